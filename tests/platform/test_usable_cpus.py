import os
import sys

import pytest

from concurrent_choices._errors import InvalidArgumentError
from concurrent_choices._platform._processors import usable_cpus
from interpreters import printed

V2_MOUNT = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw"
V1_MOUNT = "33 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct"


@pytest.mark.parametrize(("allowed", "cpus"), [("0", 1), ("0-3", 4), ("0-1,4,6-7", 5), ("0-127", 128)])
def test_affinity(tree, allowed, cpus):
    """Without any quota the affinity of the thread counts."""
    assert usable_cpus(tree.affinity(allowed).root) == cpus


@pytest.mark.parametrize("allowed", ["", "garbage", "1-", "-"])
def test_unreadable_affinity_falls_back_to_the_real_one(tree, allowed):
    """A list nobody can read is not taken for zero processors."""
    assert usable_cpus(tree.affinity(allowed).root) >= 1


def test_nothing_to_read_means_the_interpreters_answer(tmp_path):
    """On a system without /proc and /sys the interpreter's own count is used."""
    expected = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()

    assert usable_cpus(tmp_path) == expected


def test_neither_proc_nor_affinity(tmp_path, monkeypatch):
    """Where the system has no affinity either, it is the number of processors, and at least one."""
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: None)

    assert usable_cpus(tmp_path) == 1


def test_version_2_quota(tree):
    """A quota may be a fraction of a processor."""
    tree.member("0::/job").mounts(V2_MOUNT).put("sys/fs/cgroup/job/cpu.max", "150000 100000\n")

    assert usable_cpus(tree.root) == 1.5


def test_version_2_nested_groups(tree):
    """The tightest of a group and all around it holds, whichever level it stands on."""
    tree.member("0::/a/b/c").mounts(V2_MOUNT)
    tree.put("sys/fs/cgroup/a/cpu.max", "300000 100000\n")
    tree.put("sys/fs/cgroup/a/b/cpu.max", "50000 100000\n")
    tree.put("sys/fs/cgroup/a/b/c/cpu.max", "max 100000\n")

    assert usable_cpus(tree.root) == 0.5


def test_version_1_nested_groups(tree):
    """Version 1 says -1 where there is no quota, and its groups nest too."""
    tree.member("4:cpu,cpuacct:/docker/x", "0::/").mounts(V1_MOUNT)
    base = "sys/fs/cgroup/cpu,cpuacct"
    for group, quota in (("", -1), ("/docker", 250000), ("/docker/x", 400000)):
        tree.quota(f"{base}{group}", quota)

    assert usable_cpus(tree.root) == 2.5


def test_both_versions_at_once(tree):
    """On a hybrid system the limits of both hierarchies hold."""
    unified = V2_MOUNT.replace("/sys/fs/cgroup rw", "/sys/fs/cgroup/unified rw")
    tree.member("4:cpu,cpuacct:/v1", "0::/v2").mounts(V1_MOUNT, unified)
    tree.quota("sys/fs/cgroup/cpu,cpuacct/v1", 300000)
    tree.put("sys/fs/cgroup/unified/v2/cpu.max", "200000 100000")

    assert usable_cpus(tree.root) == 2


def test_a_container_sees_the_hosts_path(tree):
    """A path of the host that does not exist in here means the mount point is our group."""
    tree.member("4:cpu,cpuacct:/docker/0123abc").mounts(V1_MOUNT)
    tree.quota("sys/fs/cgroup/cpu,cpuacct", 50000)

    assert usable_cpus(tree.root) == 0.5


def test_a_mount_of_a_part_of_the_hierarchy(tree):
    """Where a bind mount shows only a part, paths are read relative to that part."""
    tree.member("4:cpu,cpuacct:/docker/x/inner")
    tree.mounts(V1_MOUNT.replace("0:30 / ", "0:30 /docker/x "))
    base = "sys/fs/cgroup/cpu,cpuacct"
    tree.quota(f"{base}/inner", 300000)
    tree.quota(base, 200000)

    assert usable_cpus(tree.root) == 2


def test_a_group_outside_the_namespace(tree):
    """A path that leads out of the namespace is not followed."""
    tree.member("0::/../../other").mounts(V2_MOUNT).put("sys/fs/cgroup/cpu.max", "100000 100000")

    assert usable_cpus(tree.root) == 1


def test_no_table_of_mounts(tree):
    """Without mountinfo the usual places are read."""
    tree.member("0::/job").put("sys/fs/cgroup/job/cpu.max", "100000 50000")

    assert usable_cpus(tree.root) == 2


def test_no_proc_at_all(tmp_path, tree):
    """Where /proc is hidden the group at the usual mount point is still read."""
    (tree.root / "proc/thread-self/status").unlink()
    tree.put("sys/fs/cgroup/cpu.max", "1000 100000")

    assert usable_cpus(tmp_path) == 0.01


@pytest.mark.parametrize("text", ["", "max", "garbage garbage", "100000 0", "0 100000", "1 2 3", "-1 100000"])
def test_a_quota_that_cannot_be_read_sets_no_limit(tree, text):
    """Damaged and empty files, and periods of 0, are no limit."""
    tree.member("0::/").mounts(V2_MOUNT).put("sys/fs/cgroup/cpu.max", text)

    assert usable_cpus(tree.root) == 8


def test_damaged_tables(tree):
    """Damaged tables of groups and mounts set no limit."""
    tree.member("nonsense", "::", "0").mounts("nonsense", "1 2 3 - cgroup2", "- -")

    assert usable_cpus(tree.root) == 8


def test_a_file_that_is_a_folder(tree):
    """What cannot be opened sets no limit."""
    tree.member("0::/").mounts(V2_MOUNT)
    (tree.root / "sys/fs/cgroup/cpu.max").mkdir(parents=True)

    assert usable_cpus(tree.root) == 8


@pytest.mark.parametrize(("text", "cpus"), [("2", 2), ("0.5", 0.5), (" 3 ", 3), ("99", 8), ("", 8)])
def test_override(tree, monkeypatch, text, cpus):
    """The environment can lower the number, not raise it; empty is as if unset."""
    monkeypatch.setenv("CONCURRENT_CHOICES_CPUS", text)

    assert usable_cpus(tree.root) == cpus


@pytest.mark.parametrize(("told", "cpus"), [(-1, 8), (3, 3), (99, 8)])
def test_what_the_interpreter_was_told(tree, monkeypatch, told, cpus):
    """`-X cpu_count` lowers the number, as it does that of `concurrent.futures`; -1 stands for none."""
    monkeypatch.setattr(sys, "_get_cpu_count_config", lambda: told, raising=False)

    assert usable_cpus(tree.root) == cpus


@pytest.mark.skipif(sys.version_info < (3, 13), reason="CPython has the option from 3.13 on")
def test_the_interpreters_option():
    """A `PYTHON_CPU_COUNT` that the interpreter has heard is heard here."""
    code = f"""if True:
        import sys
        sys.path[:0] = {sys.path!r}
        from concurrent_choices._platform._processors import usable_cpus
        print(usable_cpus() <= 1)
    """
    assert printed("-X", "cpu_count=1", "-c", code) == ["True"]


@pytest.mark.parametrize("text", ["two", "0", "-1", "nan", "inf", "2,5"])
def test_bad_override(tree, monkeypatch, text):
    """A bad override is an error that names the variable, the value and the way out."""
    monkeypatch.setenv("CONCURRENT_CHOICES_CPUS", text)

    with pytest.raises(InvalidArgumentError) as caught:
        usable_cpus(tree.root)

    assert str(caught.value) == (
        f"CONCURRENT_CHOICES_CPUS: must be a number of processors above 0, not {text!r}; unset it to use all"
    )


@pytest.mark.skipif(sys.platform != "linux", reason="compares with Linux's own answer")
def test_the_real_machine():
    """Here it lies between nothing and the affinity."""
    assert 0 < usable_cpus() <= len(os.sched_getaffinity(0))
