"""Exact stand-ins for clocks and witnesses."""

import math

from concurrent_choices._measure._witness import Statement


class FakeClock:
    """Time passes when a test says so, in whole nanoseconds."""

    missing = ()

    def __init__(self):
        self.times = dict.fromkeys(("wall", "thread_cpu", "run_queue", "process_cpu", "children_cpu"), 0)
        self.counts = {"blocking_calls": 0, "disk_blocks": 0, "fresh_memory": 0}

    def spend(self, wall=0.0, cpu=0.0, queued=0.0, **more):
        """Let seconds pass: CPU, queueing, and for the rest of the wall a sleep; more: native, children."""
        native, children = more.get("native", 0.0), more.get("children", 0.0)
        seconds = (wall, cpu, queued, cpu + native, children)
        for name, each in zip(self.times, seconds, strict=True):
            self.times[name] += round(each * 1e9)
        self.counts["blocking_calls"] += more.get("sleeps", int(wall > cpu + queued))
        self.counts["disk_blocks"] += more.get("blocks", 0)
        self.counts["fresh_memory"] += more.get("fresh", 0)

    def wall(self):
        return self.times["wall"]

    def thread_cpu(self):
        return self.times["thread_cpu"]

    def run_queue(self):
        return self.times["run_queue"]

    def process_cpu(self):
        return self.times["process_cpu"]

    def children_cpu(self):
        return self.times["children_cpu"]

    def blocking_calls(self):
        return self.counts["blocking_calls"]

    def disk_blocks(self):
        return self.counts["disk_blocks"]

    def fresh_memory(self):
        return self.counts["fresh_memory"]

    def cores_busy(self):
        return 2 * self.times["wall"]

    def watch(self, thread):
        return self.thread_cpu(), self.run_queue()

    def watch_children(self, thread):
        return self.children_cpu()


class CountingClock(FakeClock):
    """Knows how often the run queue was asked for, which is a system call."""

    def __init__(self):
        super().__init__()
        self.readings = 0

    def run_queue(self):
        self.readings += 1
        return super().run_queue()


class FakeWitness:
    """Saw the GIL held for a share that a test chooses."""

    def __init__(self, share=None):
        self.said = Statement(share, math.inf if share is None else 0.0, 0.0, 100)
        self.spans = None

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        pass

    def testify(self, spans):
        self.spans = list(spans)
        return self.said
