import os
import shutil

import pytest
from benchmarks._results import load
from benchmarks.regret import __main__ as command
from benchmarks.regret._run import Run

from interpreters import interpreter


def measure(root, folder, *options):
    environment = os.environ | {"CONCURRENT_CHOICES_CACHE": str(folder / "cache")}
    words = ("-m", "benchmarks.regret", "--quick", "--seed", "1", "--output", folder, *options)
    return interpreter(*words, cwd=root, env=environment)


def run_of(root, folder, workload):
    """The folder with the results of one workload."""
    told = measure(root, folder, "--only", workload, "--sizes", "0.02")
    assert told.returncode == 0, told.stdout + told.stderr
    return folder


@pytest.fixture(scope="module")
def run_of_a_def(root, tmp_path_factory):
    return run_of(root, tmp_path_factory.mktemp("def"), "waiting/sleep-5ms")


def test_a_quick_run(root, run_of_a_def, tmp_path):
    """A `def` and an `async def` from end to end: results, environment, report, exit code 0."""
    for folder in (run_of_a_def, run_of(root, tmp_path, "coroutines/async-blocks")):
        environment, runs = load(folder, Run)
        assert environment["seed"] == 1
        assert {each.kind for each in runs} == {"pace", "hand", "auto", "audit"}
        (audit,) = [each.answer for each in runs if each.kind == "audit"]
        assert audit["once"] == audit["items"] == audit["results"]
        report = (folder / "REPORT.md").read_text()
        assert "| against plain sequential |" in report
        assert str(root) not in (folder / "results.jsonl").read_text() + report


def test_what_people_found_out_is_taken_in(root, run_of_a_def, tmp_path):
    """NOTES.md beside the results ends the report."""
    shutil.copytree(run_of_a_def, tmp_path, dirs_exist_ok=True)
    (tmp_path / "NOTES.md").write_text("More cores.\n")
    assert measure(root, tmp_path, "--report-only").returncode == 0
    assert (tmp_path / "REPORT.md").read_text().endswith("## What the losses would take\n\nMore cores.\n")


@pytest.mark.parametrize("wrong", [["--sizes", "0"], ["--sizes", "0.05,100"], ["--rounds", "0"]])
def test_impossible_options_are_refused(wrong, capsys):
    """At once, with what is possible."""
    with pytest.raises(SystemExit) as ended:
        command.main(wrong)
    assert ended.value.code == 2
    assert "must be" in capsys.readouterr().err


def test_a_part_that_fails_does_not_stop_the_rest(tmp_path):
    """Its error is kept as a result."""
    kept = []
    session = command._Session(command._parser().parse_args(["--seed", "1"]), tmp_path)

    def broken():
        raise OSError("no server")

    session._try("http-20ms", kept.append, broken)
    session._try("next", kept.append, lambda: None)
    assert [(each.kind, each.workload, each.error) for each in kept] == [
        ("failed", "http-20ms", "OSError: no server")
    ]
