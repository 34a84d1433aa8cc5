from concurrent_choices._platform._memory import memory_limit

V2_MOUNT = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw"
V1_MOUNT = "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory"
GIB = 1024**3


def test_physical_memory(tree):
    """Without a limit it is the memory of the machine."""
    assert memory_limit(tree.root) == 8 * GIB


def test_version_2_nested(tree):
    """The tightest level holds; "max" is no limit."""
    tree.member("0::/a/b").mounts(V2_MOUNT)
    tree.put("sys/fs/cgroup/a/memory.max", f"{GIB}\n").put("sys/fs/cgroup/a/b/memory.max", "max\n")

    assert memory_limit(tree.root) == GIB


def test_version_1_nested(tree):
    """The number that version 1 writes for "unlimited" is larger than the machine's memory."""
    tree.member("4:memory:/a/b").mounts(V1_MOUNT)
    tree.put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n")
    tree.put("sys/fs/cgroup/memory/a/memory.limit_in_bytes", f"{2 * GIB}\n")
    tree.put("sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", f"{3 * GIB}\n")

    assert memory_limit(tree.root) == 2 * GIB


def test_damaged_files(tree):
    """A limit or a size that cannot be read is passed over."""
    tree.member("0::/").mounts(V2_MOUNT)
    tree.put("sys/fs/cgroup/memory.max", "lots").put("proc/meminfo", "MemTotal:\nMemTotal: x kB\n")

    limit = memory_limit(tree.root)

    assert limit is None or limit > 0


def test_nothing_known(tmp_path, monkeypatch):
    """Where the system tells nothing, no limit is known."""
    monkeypatch.delattr("os.sysconf", raising=False)

    assert memory_limit(tmp_path) is None


def test_the_real_machine():
    """Here it is a size that an interpreter fits into, or unknown."""
    limit = memory_limit()

    assert limit is None or limit > 16 * 1024**2
