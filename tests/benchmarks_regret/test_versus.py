import os
import re

from interpreters import interpreter


def test_a_checkout_against_itself(root, tmp_path):
    """A line tells how many items, what both took, and the ratio with its interval."""
    environment = os.environ | {"CONCURRENT_CHOICES_CACHE": str(tmp_path)}
    command = ("-m", "benchmarks.regret.versus", ".", ".", "sleep-5ms", "--size", "0.02", "--rounds", "3")
    told = interpreter(*command, cwd=root, env=environment)
    assert told.returncode == 0, told.stdout + told.stderr
    assert re.fullmatch(r"sleep-5ms, \d items: .* -> .* ms, \d\.\d{3} \(.* to .*\)\n", told.stdout)


def test_a_workload_that_is_not_in_the_catalogue(root):
    """The command names those there are."""
    told = interpreter("-m", "benchmarks.regret.versus", ".", ".", "sleep", cwd=root)
    assert told.returncode == 2
    assert "sleep-5ms" in told.stderr
