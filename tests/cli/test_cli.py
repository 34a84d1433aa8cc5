import io
import json
import os
import re
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from concurrent_choices import Recommendation
from concurrent_choices._cli import main
from concurrent_choices._cli_items import items_of
from interpreters import interpreter


def test_recommend_prints_the_table(here, capsys):
    """The table on standard output, progress on standard error, exit code 0."""
    assert main(["recommend", "mine:Shop.price", "--items", "range(100)"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("Shop.price: 100 items on ")
    assert ">  sequential" in out
    assert err == "calling mine:Shop.price on some of its items ...\n"


def test_recommend_as_json(here, capsys):
    """What `Recommendation.from_json` reads."""
    assert main(["recommend", "mine:Shop.price", "--items", "range(100)", "--json"]) == 0
    verdict = Recommendation.from_json(capsys.readouterr().out)
    assert (verdict.items, verdict.plan.strategy) == (100, "sequential")


def test_the_version(capsys):
    """As the installed package has it."""
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"concurrent-choices {version('concurrent_choices')}\n"


def test_items_from_a_file_are_its_lines(here, capsys):
    """A line is an item, without its end; what a form feed or U+2028 parts is one to a loop over the file."""
    (here / "lines.txt").write_text("a\nb\fb\n\nc\u2028c\x85c\n", encoding="utf-8")
    assert main(["recommend", "builtins:len", "--items", "lines.txt", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["items"] == 4


def test_a_byte_order_mark_is_no_part_of_an_item(here):
    """Some editors begin a file with one."""
    (here / "marked.txt").write_text("a\nb\n", encoding="utf-8-sig")
    assert items_of("marked.txt") == ["a", "b"]


@pytest.mark.parametrize(("text", "items"), [("", []), ("\n", [""]), ("a\r\nb", ["a", "b"])])
def test_a_byte_order_mark_alone_is_no_item(here, text, items):
    """A file with one has as many items as without."""
    (here / "marked.txt").write_text(text, encoding="utf-8-sig", newline="")
    assert items_of("marked.txt") == items


@pytest.mark.parametrize(
    ("arguments", "environment"), [(["--budget", "0"], {}), ([], {"CONCURRENT_CHOICES_CPUS": "many"})]
)
def test_what_is_refused_is_not_said_to_have_begun(here, capsys, monkeypatch, arguments, environment):
    """Nobody should believe that a real call was made."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert main(["recommend", "mine:talks", "--items", "[1]", *arguments]) == 2
    assert "calling" not in capsys.readouterr().err


def test_items_from_a_pipe(here, capsys):
    """As a shell gives for <(seq 3)."""
    reading, writing = os.pipe()
    os.write(writing, b"1\n2\n3\n")
    os.close(writing)
    assert main(["recommend", "builtins:len", "--items", f"/dev/fd/{reading}", "--json"]) == 0
    os.close(reading)
    assert json.loads(capsys.readouterr().out)["items"] == 3


def test_a_long_expression(here, capsys):
    """One that is too long for a file's name is no file."""
    assert main(["recommend", "builtins:abs", "--items", str([*range(1000)]), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["items"] == 1000


def test_items_from_standard_input(here, capsys, monkeypatch):
    """The minus sign, as usual."""
    monkeypatch.setattr(sys, "stdin", io.StringIO("a\nbb\n"))
    assert main(["recommend", "builtins:len", "--items", "-", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["items"] == 2


def test_a_closed_standard_input(here, capsys, monkeypatch):
    """Python has no `sys.stdin` then."""
    monkeypatch.setattr(sys, "stdin", None)
    assert main(["recommend", "builtins:len", "--items", "-"]) == 2
    assert "--items: '-' cannot be read: standard input is closed" in capsys.readouterr().err


def test_what_if(here, capsys):
    """Another number of processors, of items, or no GIL; nothing races then."""
    what_if = ["--cpus", "64", "--no-gil", "--count", "100000", "--json"]
    assert main(["recommend", "mine:Shop.price", "--items", "range(100)", *what_if]) == 0
    verdict = Recommendation.from_json(capsys.readouterr().out)
    assert (verdict.machine.cpus, verdict.machine.gil, verdict.items) == (64, False, 100_000)
    assert all(each.measured is None for each in verdict.estimates)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere:fn", "--items", "[1]"], "nowhere:fn: there is no module nowhere"),
        (["mine:nothing", "--items", "[1]"], "has no attribute 'nothing'; write it as MODULE:FN"),
        (["mine:fails", "--items", "1 +"], "neither a file nor an expression"),
        (["mine:fails", "--items", "range(9"], "an expression that works: SyntaxError: '(' was never closed"),
        (["mine:fails", "--items", "17"], "cannot be iterated over"),
        (["mine:fails", "--items", "/dev/"], "'/dev/' cannot be read: [Errno 21] Is a directory"),
        (["mine:fails", "--items", "[1]", "--budget", "0"], ": --budget: must be seconds above 0"),
        (["mine:fails", "--items", "[1]", "--cpus", "0"], "--cpus: must be a number above 0"),
        (["mine:fails", "--items", "[1]", "--cpus", "inf"], "--cpus: must be a number above 0"),
        (["mine:fails", "--items", "[1]", "--count", "-1"], "--count: must be 0 or more, not -1"),
        (["mine:fails", "--items", "[1]", "--count", f"{10**20}"], "--count: must be no more than 9,223,"),
        (["mine:fails", "--items", "photo.jpeg"], "--items: 'photo.jpeg' cannot be read: 'utf-8' codec"),
        (["mine", "--items", "[1]"], "mine: names nothing; write it as mine:FN"),
        (["a.mine.fails", "--items", "[1]"], "names nothing; write it as a.mine.fails:FN or a.mine:fails"),
        (["./mine.py:fails", "--items", "[1]"], "names nothing; write it as mine:fails from its folder"),
        (["mine/py:fails", "--items", "[1]"], "names nothing; write it as mine:fails"),
        (["mine.py:fails", "--items", "[1]"], "names a file; write it as mine:fails"),
        (["mine:fails()", "--items", "[1]"], "names nothing; write it as mine:fails"),
        ([":", "--items", "[1]"], "names nothing; write it as MODULE:FN"),
        (["mine:fails", "--items", "./missing.txt"], "--items: there is no such file as './missing.txt'"),
        (["mine:fails", "--items", "missing.txt"], "--items: there is no such file as 'missing.txt'"),
        (["mine:fails", "--items", "missing"], "neither a file nor an expression"),
        (
            ["mine:Shop.__module__", "--items", "[1]"],
            "mine:Shop.__module__: is of type 'str', which is not callable",
        ),
        (["mine:fails", "--items", "10**5000"], "which cannot be iterated over"),
    ],
)
def test_arguments_that_cannot_work(here, capsys, arguments, message):
    """Exit code 2, and one line that names the argument and the way out."""
    (here / "photo.jpeg").write_bytes(b"\xff\xd8")
    assert main(["recommend", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert err.splitlines()[-1].startswith("concurrent-choices: ")


def test_a_callable_that_always_raises(here, capsys):
    """There is a verdict, of little worth; exit code 1."""
    assert main(["recommend", "mine:fails", "--items", "range(10)"]) == 1
    assert "100% of the sampled calls raised" in capsys.readouterr().out


def test_items_that_raise(here, capsys):
    """Exit code 1, with what they raised."""
    assert main(["recommend", "mine:Shop.price", "--items", "__import__('mine').broken()"]) == 1
    assert "the items raised RuntimeError('no more')" in capsys.readouterr().err


@pytest.mark.parametrize("error", [AttributeError("no settings"), ValueError("no"), ImportError("nothing")])
def test_a_module_whose_own_code_raises(here, capsys, error):
    """Not even of what a search raises is the reference accused: exit code 1, with what it was."""
    (here / "wrong.py").write_text(f"raise {error!r}")
    assert main(["recommend", "wrong:fn", "--items", "[1]"]) == 1
    told = f"wrong:fn: importing its module raised {error!r} at {here / 'wrong.py'}:1"
    assert capsys.readouterr() == ("", f"concurrent-choices: {told}\n")


def test_a_module_that_raises(here, capsys):
    """Exit code 1, with what it raised."""
    assert main(["recommend", "faulty:fn", "--items", "[1]"]) == 1
    told = f"faulty:fn: importing its module raised OSError('no settings') at {here / 'faulty.py'}:1"
    assert capsys.readouterr() == ("", f"concurrent-choices: {told}\n")


def test_a_module_that_is_no_python(here, capsys):
    """Of a mistake in its grammar the place is the error's own."""
    (here / "unwritten.py").write_text("x = 1\nx = =\n")
    assert main(["recommend", "unwritten:fn", "--items", "[1]"]) == 1
    assert capsys.readouterr().err.endswith(f" at {here / 'unwritten.py'}:2\n")


@pytest.mark.parametrize(
    ("raising", "message"),
    [
        ("raise SystemExit(3)", "the items raised SystemExit(3)"),
        ("raise Shy", "the items raised <Shy whose repr raises KeyError>"),
        ("raise OSError('no' * 99)", f"the items raised OSError('{'no' * 99}')"),
    ],
)
def test_whatever_items_raise(here, capsys, raising, message):
    """One line, and the whole of it, for errors that would end a program or have no repr too."""
    (here / "shy.py").write_text(
        "class Shy(Exception):\n"
        "    def __repr__(self):\n"
        "        raise KeyError\n"
        "def items():\n"
        f"    {raising}\n"
        "    yield\n"
    )
    sys.modules.pop("shy", None)
    assert main(["recommend", "builtins:abs", "--items", "__import__('shy').items()"]) == 1
    assert capsys.readouterr().err.splitlines()[1:] == [f"concurrent-choices: {message}"]


def test_a_callable_that_prints(here, capfd):
    """What it prints is no part of the JSON: it goes to standard error."""
    assert main(["recommend", "mine:talks", "--items", "range(9)", "--json"]) == 0
    out, err = capfd.readouterr()
    assert Recommendation.from_json(out).items == 9
    assert "so far 1\n" in err


def test_what_is_printed_at_the_end(here):
    """A handler for the program's end, or a thread that it waits for: neither belongs to the JSON."""
    (here / "parting.py").write_text(
        "import atexit, threading\n"
        "def fn(item):\n"
        "    return item\n"
        "def stay(main=threading.main_thread()):\n"
        "    main.join()\n"
        "    print('the last')\n"
        "atexit.register(print, 'farewell')\n"
        "threading.Thread(target=stay).start()\n"
    )
    words = ["recommend", "parting:fn", "--items", "range(3)", "--json"]
    done = interpreter("-m", "concurrent_choices", *words, cwd=here)
    assert (done.returncode, json.loads(done.stdout)["items"]) == (0, 3)
    assert {"farewell", "the last"} <= set(done.stderr.splitlines())


def test_a_closed_standard_output(here, monkeypatch):
    """Python has no `sys.stdout` then: nothing is said, and the exit code is as ever."""
    monkeypatch.setattr(sys, "stdout", None)
    assert main(["recommend", "mine:talks", "--items", "range(9)"]) == 0


def test_ctrl_c(here, capsys, monkeypatch):
    """Exit code 130, as shells have it, and no traceback."""

    def interrupted(*arguments, **named):
        raise KeyboardInterrupt

    monkeypatch.setattr("concurrent_choices._cli.recommend", interrupted)
    assert main(["recommend", "mine:Shop.price", "--items", "[1]"]) == 130
    assert capsys.readouterr().err.endswith("interrupted\n")


def test_a_reader_that_has_gone(monkeypatch):
    """Nothing is complained of where `head` has seen enough; the exit code is that of a broken pipe."""
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as nobody:
        monkeypatch.setattr(sys, "stdout", nobody)
        assert main(["machine"]) == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
def test_a_full_disk(monkeypatch, capsys):
    """Exit code 1, and a line that says so."""
    with Path("/dev/full").open("w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        assert main(["machine"]) == 1
    assert "concurrent-choices: [Errno 28]" in capsys.readouterr().err
    with Path("/dev/full").open("w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        assert main(["--version"]) == 1
    assert "concurrent-choices: [Errno 28]" in capsys.readouterr().err


@pytest.mark.parametrize(("items", "code", "said"), [("[1, 2, 3]", 0, "{"), ("no items", 2, "")])
def test_a_closed_standard_error(here, items, code, said):
    """What would be said there is said nowhere: standard output is the verdict's alone."""
    words = ["-m", "concurrent_choices", "recommend", "mine:talks", "--items", items, "--json"]
    done = interpreter(
        "-c",
        "import os, sys; os.close(2); os.execv(sys.executable, sys.argv[1:])",
        sys.executable,
        *words,
        cwd=here,
    )
    assert (done.returncode, done.stdout[:1]) == (code, said)


def test_machine_shows_how_each_number_was_obtained(capsys):
    """The machine in a line, a line for each cost, and where they are kept."""
    assert main(["machine"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert re.search(" CPUs?, GIL ", lines[0])
    assert any(line.startswith("call ") and line.endswith("measured: by a test") for line in lines)
    assert lines[-1] == "not kept: a test"


def test_machine_as_json(capsys):
    """Both halves, for programs."""
    assert main(["machine", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["machine"]["cpus"] > 0
    assert facts["calibration"]["costs"]["call"] > 0


@pytest.mark.parametrize("arguments", [[], ["choose"], ["recommend"], ["recommend", "mine:fails"]])
def test_what_argparse_refuses(arguments, capsys):
    """Exit code 2 and the usage, as of every command line."""
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert "usage: concurrent-choices" in capsys.readouterr().err


def test_it_runs_as_a_module(tmp_path):
    """`python -m concurrent_choices` is the same program."""
    told = interpreter("-m", "concurrent_choices", "--help", cwd=tmp_path)
    assert "recommend" in told.stdout
    assert "machine" in told.stdout


def test_a_terminal_that_lacks_characters(monkeypatch):
    """Where the locale is C the table is printed all the same, with what it cannot show escaped."""
    shown = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(shown, "ascii"))
    assert main(["machine"]) == 0
    assert b" \\xb5s  measured: by a test\n" in shown.getvalue()
