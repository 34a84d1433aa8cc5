import os
import sys

import pytest

from concurrent_choices._facts._machine import Machine
from concurrent_choices._platform._interpreter import gil_enabled, interpreter, start_methods
from concurrent_choices._platform._this_machine import cpu_model, this_machine
from interpreters import printed


def test_this_machine_gathers_every_fact(tree):
    """The fact carries what the single readers say."""
    machine = this_machine(tree.affinity("0-2").root)

    assert machine == Machine(
        cpus=3,
        memory=8 * 1024**3,
        gil=gil_enabled(),
        start_methods=start_methods(),
        platform=sys.platform,
        python=f"cpython {sys.version.split()[0]}",
    )


@pytest.mark.parametrize("answer", [True, False])
def test_the_interpreter_is_asked_about_its_gil(monkeypatch, answer):
    """A build that can say whether its GIL is on is believed."""
    monkeypatch.setattr(sys, "_is_gil_enabled", lambda: answer, raising=False)

    assert gil_enabled() is answer


def test_an_interpreter_that_cannot_say_has_a_gil(monkeypatch):
    """Before free-threaded builds every interpreter had one."""
    monkeypatch.delattr(sys, "_is_gil_enabled", raising=False)

    assert gil_enabled() is True


def test_start_methods_without_fork(monkeypatch):
    """Where the system cannot fork, only fresh interpreters are offered."""
    monkeypatch.delattr(os, "fork", raising=False)

    assert start_methods() == ("fresh",)


@pytest.mark.parametrize("program", ["", None, "/usr/bin/uwsgi", "/opt/python/bin/designer"])
def test_start_methods_without_an_interpreter(monkeypatch, program):
    """An application that embeds Python has none to start, but for copies of itself."""
    monkeypatch.setattr(sys, "executable", program)

    assert "fresh" not in start_methods()


@pytest.mark.parametrize("mode", [None, 0o600])
def test_start_methods_with_an_interpreter_that_cannot_be_run(monkeypatch, tmp_path, mode):
    """It is gone since this process began, or not for the user that this process has become."""
    program = tmp_path / "python3"
    if mode is not None:
        program.touch(mode)
    monkeypatch.setattr(sys, "executable", str(program))

    assert "fresh" not in start_methods()


def test_start_methods_of_a_frozen_application(monkeypatch):
    """However its file is named, it is the application that would start."""
    monkeypatch.setattr(sys, "frozen", True, raising=False)

    assert "fresh" not in start_methods()


@pytest.mark.parametrize(
    "name", ["python", "python3.14t", "Python", "PYTHONW.EXE", "pypy3", "platform-python"]
)
def test_interpreters_by_their_names(monkeypatch, name):
    """As systems and builds name them."""
    monkeypatch.setattr(sys, "executable", f"/opt/bin/{name}")

    assert interpreter() == f"/opt/bin/{name}"


@pytest.mark.parametrize(
    ("text", "model"),
    [("processor : 0\nmodel name\t: Example 9000\n", "Example 9000"), ("Processor : ARMv7\n", "ARMv7")],
)
def test_cpu_model(tree, text, model):
    """The name is found under either of the labels that systems use."""
    assert cpu_model(tree.put("proc/cpuinfo", text).root) == model


def test_cpu_model_unknown(tmp_path):
    """Without a name the architecture stands for it."""
    assert cpu_model(tmp_path) == os.uname().machine


def test_import_is_light():
    """Looking at the machine loads neither attrs nor anything that starts work."""
    heavy = {"asyncio", "attr", "multiprocessing", "subprocess", "threading"}
    script = (
        "import sys; import concurrent_choices; before = set(sys.modules);"
        "import concurrent_choices._platform._this_machine;"
        f"print(sorted({heavy!r} & (set(sys.modules) - before)))"
    )

    assert printed("-c", script) == ["[]"]
