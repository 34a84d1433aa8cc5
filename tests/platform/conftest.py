import pytest


class Tree:
    """A made-up file system that readers are pointed at."""

    def __init__(self, root):
        self.root = root

    def put(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return self

    def affinity(self, cpus):
        return self.put("proc/thread-self/status", f"Name:\tpython\nCpus_allowed_list:\t{cpus}\n")

    def member(self, *lines):
        return self.put("proc/self/cgroup", "\n".join(lines) + "\n")

    def mounts(self, *lines):
        return self.put("proc/self/mountinfo", "\n".join(lines) + "\n")

    def quota(self, group, quota):
        """Of a hundred milliseconds, as version 1 has it."""
        self.put(f"{group}/cpu.cfs_quota_us", f"{quota}\n")
        return self.put(f"{group}/cpu.cfs_period_us", "100000\n")

    def memory(self, kib):
        return self.put("proc/meminfo", f"MemTotal:       {kib} kB\nMemFree:  1 kB\n")


@pytest.fixture
def tree(tmp_path):
    return Tree(tmp_path).affinity("0-7").memory(8 * 1024 * 1024)


@pytest.fixture(autouse=True)
def no_override(monkeypatch):
    monkeypatch.delenv("CONCURRENT_CHOICES_CPUS", raising=False)
