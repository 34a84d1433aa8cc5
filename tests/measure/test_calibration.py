import json
import os
import stat
import subprocess
import sys
import threading
from types import ModuleType

import pytest
from attrs import fields

from concurrent_choices._facts._costs import Costs
from concurrent_choices._measure import _cache, _calibration, _probes
from concurrent_choices._measure._calibration import PATIENCE, describe, machine_costs
from concurrent_choices._runtime._hand import DaemonHand

NAMES = {each.name for each in fields(Costs)}
DAY = 24 * 3600


@pytest.fixture(autouse=True)
def cheap(monkeypatch):
    """Costs that are measured at once, each time others, where nothing queues; no memory of earlier tests."""
    counter = iter(range(1, 1000))
    probes = {"call": (lambda: next(counter) * 1e-6, "counting")}
    monkeypatch.setattr(_calibration, "DIRECT", probes)
    monkeypatch.setattr(_calibration, "_known", {})
    monkeypatch.setattr(_calibration.SystemClock, "run_queue", lambda _: 0)  # of microseconds it may be most


@pytest.fixture
def folder(tmp_path, monkeypatch):
    folder = tmp_path / "deep" / "cache"
    monkeypatch.setenv("CONCURRENT_CHOICES_CACHE", str(folder))
    return folder


def forget():
    """As if in another process."""
    _calibration._known.clear()


def again(**options):
    forget()
    return machine_costs(**options)


def the_file(folder):
    (file,) = folder.iterdir()
    return file


def test_measured_once_and_remembered(folder):
    """A second process finds what the first measured, and where it is kept."""
    first = machine_costs()

    assert first.costs.call == 1e-6
    assert again() == first
    assert first.kept == f"kept in {the_file(folder)}"


def test_where_threads_are_greenlets_nothing_is_measured(folder, monkeypatch):
    """It would tell nothing about threads, and could hang; another process measures it."""
    with monkeypatch.context() as patch:
        patch.setattr(_probes, "is_greenlet", lambda: True)
        assert machine_costs().costs == Costs()
    assert not folder.exists()
    assert dict(machine_costs().origins)["call"] == "measured: counting"


def test_remembered_within_a_process(folder, monkeypatch):
    """A process that may keep nothing measures once all the same."""
    monkeypatch.setenv("CONCURRENT_CHOICES_CACHE", "off")

    assert machine_costs() is machine_costs()
    assert machine_costs().kept == "not kept: CONCURRENT_CHOICES_CACHE=off"
    assert not folder.exists()


def test_private_to_the_user(folder):
    """Nobody else may read or write the file or its folder, and nothing else lies there."""
    machine_costs()

    assert stat.S_IMODE(the_file(folder).stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_plain_json(folder):
    """The file is JSON that anybody can read."""
    machine_costs()

    assert json.loads(the_file(folder).read_text())["costs"]["call"] == 1e-6


@pytest.mark.parametrize(
    "garbage",
    [
        b"",
        b"garbage",
        b"\xff\xfe\x00",
        b"null",
        b"[]",
        b"{}",
        b"[" * 60_000,
        b'{"costs": {}}',
        b'{"costs": {"call": "fast"}, "origins": [], "taken": 1}',
        b'{"costs": {"call": -1.0}, "origins": [], "taken": 1e9}',
        b'{"costs": {"call": NaN}, "origins": [], "taken": 1e9}',
        b'{"costs": {"call": 1' + b"0" * 400 + b'}, "origins": [], "taken": 1e9}',
        b'{"costs": {}, "origins": [["call"]], "taken": 1e9}',
        b'{"costs": {}, "origins": [[["call"], 1]], "taken": 1e9}',
        b'{"costs": {"unheard_of": 1.0}, "origins": [], "taken": 1e9}',
        b"x" * 100_000,
    ],
    ids=lambda text: repr(text[:30]),
)
def test_a_damaged_file(folder, garbage):
    """Garbage is measured anew, and written over."""
    machine_costs()
    the_file(folder).write_bytes(garbage)

    assert again().costs.call == 2e-6
    assert again().costs.call == 2e-6


@pytest.mark.parametrize("value", ["-1e-6", "0.0", "NaN", "1e999", "1e300", "60.0", "1" + 400 * "0", "true"])
def test_a_senseless_figure(folder, value):
    """A cost that is negative, nothing, infinite or longer than measuring may take is measured anew."""
    machine_costs()
    file = the_file(folder)
    file.write_text(file.read_text().replace('"call": 1e-06', f'"call": {value}'))

    assert again().costs.call == 2e-6


@pytest.mark.parametrize("value", ["-1", "NaN", "Infinity", "1" + 400 * "0", "-1" + 400 * "0"])
def test_a_senseless_date(folder, value):
    """Neither is what was never taken believed."""
    machine_costs()
    file = the_file(folder)
    text = json.loads(file.read_text())
    file.write_text(json.dumps(text | {"taken": "here"}).replace('"here"', value))

    assert again().costs.call == 2e-6


def test_a_figure_that_was_measured_in_another_way(folder, monkeypatch):
    """It stands for something else than it does now, so an older release's is not believed."""
    machine_costs()
    monkeypatch.setattr(_calibration, "DIRECT", {"call": (lambda: 5e-6, "otherwise")})

    assert again().costs.call == 5e-6
    assert dict(again().origins)["call"] == "measured: otherwise"


def test_a_file_cut_off(folder):
    """At any place."""
    machine_costs()
    file = the_file(folder)
    file.write_text(file.read_text()[:-2])

    assert again().costs.call == 2e-6


def test_a_folder_in_the_files_place(folder):
    """It is left there, and nothing is kept."""
    machine_costs()
    file = the_file(folder)
    file.unlink()
    file.mkdir()

    found = again()

    assert found.costs.call == 2e-6
    assert found.kept.startswith(f"not kept: {folder}: ")
    assert list(folder.iterdir()) == [file]


def test_links_that_lead_to_one_another(folder):
    """A folder that cannot be found is no reason to fail."""
    folder.parent.mkdir()
    folder.symlink_to(folder.with_name("other"))
    folder.with_name("other").symlink_to(folder)

    assert machine_costs().kept.startswith(f"not kept: {folder}: ")


def test_the_home_of_nobody(monkeypatch):
    """A name this system does not know is told."""
    monkeypatch.setenv("CONCURRENT_CHOICES_CACHE", "~nobody-of-that-name/cache")

    assert machine_costs().kept.startswith("not kept: CONCURRENT_CHOICES_CACHE=~nobody-of-that-name/cache: ")


@pytest.mark.parametrize(("days", "call"), [(29, 1e-6), (31, 2e-6), (-1, 2e-6)])
def test_a_stale_file(folder, days, call):
    """After a month, or with a clock that went back, it is measured anew."""
    start = 2e9
    machine_costs(now=lambda: start)

    assert again(now=lambda: start + days * DAY).costs.call == call


def test_one_that_was_disturbed_is_believed_for_minutes(folder):
    """Where the machine had no core to spare it is measured again soon."""
    start = 2e9
    machine_costs(now=lambda: start)
    file = the_file(folder)
    text = json.loads(file.read_text())
    file.write_text(json.dumps(text | {"starved": 0.5}))

    assert again(now=lambda: start + 300).costs.call == 1e-6
    assert again(now=lambda: start + 900).costs.call == 2e-6


def test_another_machine(folder, monkeypatch):
    """A change of what the figures depend on means another file."""
    machine_costs()
    monkeypatch.setattr(_cache, "cpu_model", lambda: "another")

    assert again().costs.call == 2e-6
    assert len(list(folder.iterdir())) == 2


@pytest.mark.parametrize("what", ["usable_cpus", "gil_enabled", "_version"])
def test_the_name_stands_for_all_it_depends_on(monkeypatch, what):
    """Processors, GIL and version of the package are among it."""
    before = _cache.fingerprint()
    monkeypatch.setattr(_cache, what, lambda: 0.123)

    assert _cache.fingerprint() != before


def test_an_unwritable_folder(folder, monkeypatch):
    """Where nothing can be written it is measured, and the reason is told."""

    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.mkdir", refuse)

    assert machine_costs().kept == f"not kept: {folder}: Permission denied"


def test_a_folder_that_is_a_file(folder):
    """A file in the folder's place, or in its parent's, is no reason to fail."""
    folder.parent.write_text("in the way")

    found = machine_costs()

    assert found.costs.call == 1e-6
    assert found.kept.startswith(f"not kept: {folder}: ")


def test_an_impossible_name(folder, monkeypatch):
    """A folder that no system could have is no reason to fail either."""
    monkeypatch.setattr(_cache.Place, "file", None)
    place = _cache.Place(folder / "a\0b", "name")

    assert "embedded null" in _cache.store(place, "{}")


@pytest.mark.parametrize("error", [28, 30, 122])
def test_a_full_disk(folder, monkeypatch, error):
    """A disk that is full or read-only leaves nothing behind, not even a part of a file."""

    def full(*_):
        raise OSError(error, os.strerror(error))

    monkeypatch.setattr("pathlib.Path.replace", full)
    found = machine_costs()

    assert os.strerror(error) in found.kept
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("mode", [0o777, 0o770])
def test_a_folder_that_others_may_write_to(folder, mode):
    """Nothing is put where another user could exchange it."""
    folder.mkdir(parents=True)
    folder.chmod(mode)

    assert "others may write to it" in machine_costs().kept
    assert list(folder.iterdir()) == []


def test_a_file_that_others_may_write_to(folder):
    """What another user may have written is not believed."""
    machine_costs()
    the_file(folder).chmod(0o666)

    assert again().costs.call == 2e-6


def test_a_file_of_another_user(folder, monkeypatch):
    """A file that is not ours is not read."""
    machine_costs()
    mine = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: mine + 1)

    found = again()

    assert found.costs.call == 2e-6
    assert "belongs to another user" in found.kept


def test_a_link_is_not_followed(folder, tmp_path):
    """A link in the file's place could lead anywhere; it is replaced, its target untouched."""
    machine_costs()
    file, target = the_file(folder), tmp_path / "target"
    target.write_text(file.read_text())
    before = target.read_text()
    file.unlink()
    file.symlink_to(target)

    assert again().costs.call == 2e-6
    assert target.read_text() == before
    assert not file.is_symlink()


def test_a_pipe_in_the_files_place(folder):
    """A pipe that nobody writes to does not hang the reader."""
    machine_costs()
    file = the_file(folder)
    file.unlink()
    os.mkfifo(file)

    assert again().costs.call == 2e-6


def test_without_platformdirs(monkeypatch):
    """Where the extra is not installed nothing is kept, and the way out is told."""
    monkeypatch.delenv("CONCURRENT_CHOICES_CACHE", raising=False)
    monkeypatch.setitem(sys.modules, "platformdirs", None)

    assert "pip install 'concurrent_choices[cache]'" in machine_costs().kept


def test_the_users_cache(monkeypatch, tmp_path):
    """Unless told otherwise it is kept where the system keeps caches."""
    monkeypatch.delenv("CONCURRENT_CHOICES_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    folder = _cache.place().folder

    assert folder.name == "concurrent_choices"
    assert sys.platform != "linux" or folder.parent == tmp_path


def test_two_processes_at_once(folder):
    """Both get their costs, and what stays is whole."""
    script = "from concurrent_choices._measure._calibration import machine_costs as m; print(m().kept)"
    both = [
        subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]
    said = [process.communicate()[0].strip() for process in both]

    file = the_file(folder)
    assert said == [f"kept in {file}"] * 2
    assert set(json.loads(file.read_text())["costs"]) == NAMES


def test_two_threads_at_once(folder):
    """Both get their costs, and one file stays."""
    found = []
    threads = [threading.Thread(target=lambda: found.append(machine_costs())) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(found) == 2
    assert json.loads(the_file(folder).read_text())["costs"]["call"] in {1e-6, 2e-6}


def test_probes_that_are_handed(folder):
    """What strategies cost is measured by what is handed, and then remembered."""
    found = machine_costs({"process_start": (lambda: 0.125, "one start"), "nonsense": (lambda: 1.0, "")})

    assert found.costs.process_start == 0.125
    assert dict(found.origins)["process_start"] == "measured: one start"
    assert again().costs.process_start == 0.125


def test_what_could_not_be_measured_before(folder):
    """Costs measured without the probes are measured again once these are at hand."""
    machine_costs()
    assert again(probes={"process_start": (lambda: 0.125, "one start")}).costs.process_start == 0.125
    assert again().costs.process_start == 0.125


def test_what_this_process_cannot_measure_is_left_to_another(folder, monkeypatch):
    """Under uvicorn uvloop is loaded already: the default for its import was then believed for a month."""
    monkeypatch.setitem(_calibration.DIRECT, "uvloop_start", (lambda: 0.02, "its import"))
    monkeypatch.setitem(sys.modules, "uvloop", ModuleType("uvloop"))
    assert machine_costs().costs.uvloop_start == Costs().uvloop_start

    monkeypatch.delitem(sys.modules, "uvloop")
    assert again().costs.uvloop_start == 0.02


def boom():
    raise OSError("no processes here")


@pytest.mark.parametrize(
    ("probe", "how"),
    [
        (boom, "default: no processes here"),
        (lambda: float("nan"), "default: measuring it gave nan"),
        (lambda: 0.0, "default: measuring it gave 0"),
        (lambda: -1.0, "default: measuring it gave -1"),
        (lambda: None, "default: float() argument must be"),
    ],
)
def test_probes_that_fail(probe, how, folder):
    """A probe that raises or gives nonsense leaves the default, and says so."""
    found = machine_costs({"process_start": (probe, "")})

    assert found.costs.process_start == Costs().process_start
    assert dict(found.origins)["process_start"].startswith(how)


@pytest.mark.parametrize(
    ("error", "believed"), [(OSError(24, "Too many open files"), 600), (ImportError("no uvloop"), 30 * DAY)]
)
def test_what_failed_is_measured_again_soon(folder, error, believed):
    """Others have the descriptors that one process lacks, or the pids; a missing package is missed by all."""

    def failing():
        raise error

    start = 2e9
    machine_costs({"uvloop_step": (failing, "one")}, now=lambda: start)
    works = {"uvloop_step": (lambda: 0.5, "one")}
    assert again(probes=works, now=lambda: start + believed - 1).costs.uvloop_step == Costs().uvloop_step
    assert again(probes=works, now=lambda: start + believed).costs.uvloop_step == 0.5


class Hanging:
    """A probe that hangs until its test is over, and counts how often it is asked."""

    def __init__(self):
        self.begun, self.over, self.asked = threading.Event(), threading.Event(), 0

    def __call__(self):
        self.asked += 1
        self.begun.set()
        return float(self.over.wait())


@pytest.fixture
def hanging(monkeypatch):
    """One that is left behind as soon as it hangs, however long a machine takes to come to it."""
    probe = Hanging()

    def wait_until_it_hangs(hand, work, seconds):
        assert seconds == PATIENCE
        hangs_already = probe.begun.is_set()
        hand.begin(work)
        return hand.ended(60.0 if hangs_already or not probe.begun.wait(60.0) else 0.0)

    monkeypatch.setattr(DaemonHand, "do", wait_until_it_hangs)
    yield probe
    probe.over.set()


def test_a_probe_that_hangs(hanging, folder):
    """It is left behind; it and those after it keep their defaults."""
    found = machine_costs({"process_start": (hanging, ""), "process_item": (lambda: 1.0, "")})

    assert found.starved == 1.0  # so it is believed for minutes only
    origins = dict(found.origins)
    assert found.costs.call == 1e-6
    assert origins["process_start"] == "default: there was no time left to measure it"
    assert origins["process_item"] == origins["process_start"]
    assert found.costs.process_item == Costs().process_item


def test_what_there_was_no_time_for_is_measured_at_the_next_chance(folder, hanging):
    """That alone, in the same process and in others."""
    probes = {"process_start": (lambda: 0.5, "one"), "process_item": (lambda: 0.25, "one")}
    machine_costs(probes | {"process_start": (hanging, "one")})

    found = again(probes=probes)
    assert (found.costs.call, found.costs.process_start, found.costs.process_item) == (1e-6, 0.5, 0.25)
    assert found.starved == 1.0  # what was measured before may be as wrong as ever
    assert again() == found


def test_a_probe_that_hangs_though_it_was_asked_first(monkeypatch, folder, hanging):
    """It is asked no more, so that it does not cost each call its patience."""
    monkeypatch.setattr(_calibration, "DIRECT", {"call": (hanging, "one"), "step": (lambda: 0.5, "one")})
    found = [machine_costs() for _ in range(3)]

    assert hanging.asked == 1
    assert [dict(each.origins)["call"] for each in found] == ["default: measuring it did not end"] * 3
    assert [each.costs.step for each in found] == [Costs().step, 0.5, 0.5]


def test_one_that_was_disturbed_is_believed_for_minutes_in_the_same_process(folder, monkeypatch):
    """A notebook lives for long."""
    monkeypatch.setattr(_calibration, "DISTURBED", -1.0)  # as if there had been no core to spare
    found = [machine_costs(now=lambda when=when: when) for when in (2e9, 2e9 + 300, 2e9 + 900)]

    assert [each.costs.call for each in found] == [1e-6, 1e-6, 2e-6]


def test_no_time_left(monkeypatch, folder):
    """Once the budget is spent the rest keeps its defaults."""
    monkeypatch.setattr(_calibration, "BUDGET", -1.0)

    found = machine_costs()
    assert dict(found.origins)["call"] == "default: there was no time left to measure it"
    assert found.starved == 1.0


def test_description(folder):
    """Each cost has a row, with how it was obtained."""
    rows = {row.name: row for row in describe(machine_costs())}

    assert set(rows) == NAMES
    assert rows["call"] == ("call", 1e-6, "measured: counting")
    assert rows["process_start"].how == "default: nothing was at hand to measure it with"
    assert all(row.seconds > 0 for row in rows.values())


def test_a_cost_without_an_origin():
    """A calibration made by hand can be described too."""
    rows = describe(_calibration.Calibration(costs=Costs()))

    assert {row.how for row in rows} == {"default: nothing was at hand to measure it with"}
