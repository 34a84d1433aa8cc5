"""The command line: arguments in, exit code out. It knows words, not strategies.

Exit codes: 0 done; 1 the callable, its module or items, or the application raised, or the output could not be
written; 2 an argument cannot work; 3 the application held its loop and could not be interrupted; 130 Ctrl-C;
141 whoever read its output, such as `head`, has gone.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager, redirect_stdout
from math import inf
from pathlib import Path
from traceback import extract_tb
from typing import Any, NoReturn

from attrs import asdict, evolve

from ._cli_items import items_of
from ._embed._advise._drive import AT_ONCE, PATIENCE, TIMES, Drive, check_drive, drive
from ._embed._advise._exchange import Request, StartUpError
from ._embed._advise._loading import application_at, found_at
from ._embed._advise._openapi import HARMLESS, requests_of
from ._errors import InvalidArgumentError
from ._facts._json import Jsonable
from ._facts._machine import Machine
from ._facts._recommendation import Recommendation
from ._facts._table import counted
from ._facts._workload import Workload
from ._inspect._words import safe_repr
from ._measure._calibration import describe, machine_costs
from ._platform._this_machine import this_machine
from ._run._arguments import check_budget
from ._run._choosing import recommend
from ._run._probes import probes

__all__ = ["main", "program"]


class _UserCodeError(Exception):
    """What the user's own code raised, in a sentence. Internal: `main` says it."""


_OPTIONS = {
    "budget": "--budget",
    "items": "--items",
    "items_count": "--count",
    "times": "--times",
    "at_once": "--at-once",
    "timeout": "--timeout",
}
"""Arguments of functions that are options here, and told as such where a function refuses them."""


def program() -> int:
    """Run the command that this process was started for; what is printed from then on is put aside.

    Threads that the user's code leaves behind, and what it has registered with `atexit`, may still print: to
    whoever reads JSON that is no part of it, either.
    """
    code = main()
    if sys.stdout is not None:
        sys.stdout.flush()
        _put_aside()
        sys.stdout = sys.stderr
    return code


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command, by default the one that this program was called with; its exit code."""
    try:
        asked = _parsed(arguments)
        _escape_what_cannot_be_encoded()
        code: int = asked.command(asked)
        print(end="", flush=True)  # here, where it can still be said that nobody reads it
    except InvalidArgumentError as error:
        argument = _OPTIONS.get(error.argument, error.argument)
        _tell(f"concurrent-choices: {argument}: {error.problem}")
        return 2
    except _UserCodeError as error:
        _tell(f"concurrent-choices: {error}")
        return 1
    except KeyboardInterrupt:
        _tell("concurrent-choices: interrupted")
        return 130
    except BrokenPipeError:
        _drop_what_is_left()
        return 141
    except OSError as error:  # such as a full disk
        _tell(f"concurrent-choices: {error}")
        _drop_what_is_left()
        return 1
    return code


def _tell(line: str) -> None:
    """Say something on standard error, unless it is closed: `print` would take standard output then."""
    if sys.stderr is not None:
        print(line, file=sys.stderr)


def _drop_what_is_left() -> None:
    """Of standard output's buffer, or the interpreter's end would complain of it once more."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _escape_what_cannot_be_encoded() -> None:
    """Such as µ where the locale is C: as standard error has it, rather than lose the report."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")


def _parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The arguments; requests may stand behind options too, where argparse no longer looks for any."""
    parser = _parser()
    asked, more = parser.parse_known_args(arguments)
    if more and (not hasattr(asked, "requests") or any(each.startswith("-") for each in more)):
        parser.error(f"unrecognized arguments: {' '.join(more)}")
    if more:
        asked.requests += more
    return asked


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="concurrent-choices", description="Measures a callable and says which concurrency suits it."
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and end")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_recommend(commands)
    _add_advise(commands)
    machine = commands.add_parser("machine", help="show this machine, and what concurrency costs on it")
    machine.add_argument("--json", action="store_true", help="as JSON instead of a table")
    machine.set_defaults(command=_machine)
    return parser


class _Version(argparse.Action):
    """As argparse's own, which has to be told the version whether anybody asks for it or not."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version  # noqa: PLC0415 - read from the installed package, when asked for

        print(parser.prog, version("concurrent_choices"), flush=True)  # a full disk can still be told here
        parser.exit()


def _add_recommend(commands: Any) -> None:
    parser = commands.add_parser(
        "recommend",
        help="measure a callable on some of its items",
        description="Calls it on some of the items, predicts how long each strategy would take for all of "
        "them, and says which to use, and why. The calls are real.",
        epilog="For example: concurrent-choices recommend shop.prices:fetch --items urls.txt",
    )
    parser.add_argument("callable", metavar="PKG.MOD:FN", help="where the callable can be imported from")
    parser.add_argument(
        "--items",
        required=True,
        metavar="FILE|EXPRESSION",
        help="a file with a str a line, or a Python expression such as 'range(1000)'; - for standard input",
    )
    parser.add_argument("--budget", type=float, default=1.0, help="seconds to spend at most (default: 1)")
    parser.add_argument("--no-race", action="store_true", help="only predict; do not race the candidates")
    parser.add_argument("--cpus", type=float, help="what if there were so many processors")
    parser.add_argument("--no-gil", action="store_true", help="what if there were no GIL")
    parser.add_argument("--count", type=int, help="what if there were so many items")
    parser.add_argument("--json", action="store_true", help="as JSON instead of a table")
    parser.set_defaults(command=_recommend)


def _add_advise(commands: Any) -> None:
    parser = commands.add_parser(
        "advise",
        help="drive an ASGI application, and say which endpoints block, compute or queue, and where",
        description="Starts the application without a server, makes requests of it, and says for each "
        "endpoint whether `def` or `async def` is right, and which line to change.",
        epilog="For example: concurrent-choices advise shop.main:app /orders/7",
    )
    parser.add_argument(
        "application", metavar="MODULE:APP", help="where the application can be imported from"
    )
    parser.add_argument(
        "requests",
        nargs="*",
        metavar="REQUEST",
        help="a path, or 'METHOD PATH BODY'; without any, those of its OpenAPI description",
    )
    parser.add_argument(
        "--method",
        action="append",
        metavar="METHOD",
        help=f"which of its OpenAPI description (default: {', '.join(HARMLESS)}); others may change data",
    )
    parser.add_argument("--factory", action="store_true", help="MODULE:APP makes the application when called")
    parser.add_argument("--header", action="append", default=[], metavar="'NAME: VALUE'", help="with each")
    parser.add_argument("--times", type=int, default=TIMES, help=f"how often each is made (default: {TIMES})")
    parser.add_argument(
        "--at-once", type=int, default=AT_ONCE, help=f"how many of a kind at once (default: {AT_ONCE})"
    )
    parser.add_argument(
        "--timeout",
        type=float,
        default=PATIENCE,
        help=f"seconds an answer, its start-up and its end may take, and the loop be held "
        f"(default: {PATIENCE:g})",
    )
    parser.add_argument("--json", action="store_true", help="as JSON instead of a table")
    parser.set_defaults(command=_advise)


def _put_aside() -> None:
    """Lead what is written to standard output to standard error, and to nowhere where that is closed."""
    with Path(os.devnull).open("w") as nowhere:
        os.dup2(2 if sys.stderr else nowhere.fileno(), 1)


@contextmanager
def _printing_aside() -> Generator[None]:
    """What the user's own code prints, in worker processes too, goes to standard error: ours may be JSON."""
    ours = sys.stdout
    if ours is None:  # closed by the caller: nothing of ours is said there, and 1 may be anybody's file
        yield
        return
    kept = os.dup(1)
    try:
        with redirect_stdout(sys.stderr):
            _put_aside()
            yield
    finally:
        ours.flush()  # what wrote to it all the same, such as a log's handler
        os.dup2(kept, 1)
        os.close(kept)


def _advise(asked: argparse.Namespace) -> int:
    _search_here()
    with _printing_aside():
        try:
            found = _driven(asked)
        except KeyboardInterrupt:
            _tell("concurrent-choices: interrupted")
            _end_now(130)
    for trouble in found.troubles:
        _tell(f"concurrent-choices: {trouble}")
    _say(found.advice, as_json=asked.json)
    code = 0 if found.answered else 1
    if found.unending:
        _end_now(code)
    return code


def _end_now(code: int) -> NoReturn:
    """End the process without waiting for threads of an application's, which may never end."""
    for stream in filter(None, (sys.stdout, sys.stderr)):
        stream.flush()
    os._exit(code)


def _driven(asked: argparse.Namespace) -> Drive:
    with _blaming(asked.application):
        app = application_at(asked.application, factory=asked.factory)
        described = [] if asked.requests else requests_of(app, asked.method or HARMLESS)
        requests = [_with(each, asked.header) for each in asked.requests or described]
        how = {"times": asked.times, "at_once": asked.at_once, "timeout": asked.timeout}
        check_drive(requests, **how)
        _tell(f"making requests of {asked.application} ...")
        return drive(app, requests, **how)


@contextmanager
def _blaming(whose: str, place: Callable[[BaseException], str] = lambda _: "") -> Generator[None]:
    """Where the user's own code raises, `main` says whose it was, and at what place if that is told."""
    try:
        yield
    except InvalidArgumentError:
        raise
    except StartUpError as error:
        raise _UserCodeError(str(error)) from error
    except (Exception, SystemExit) as error:
        problem = f"{whose} raised {safe_repr(error)}{place(error)}"
        raise _UserCodeError(problem) from error


def _place(error: BaseException) -> str:
    """Where an error was raised, as " at FILE:LINE"; empty where that is in no file."""
    if isinstance(error, SyntaxError):
        return f" at {error.filename}:{error.lineno}" if error.filename else ""
    frames = [each for each in extract_tb(error.__traceback__) if not each.filename.startswith("<")]
    if not frames or frames[-1].filename == found_at.__code__.co_filename:
        return ""
    return f" at {frames[-1].filename}:{frames[-1].lineno}"


def _with(given: Request | str, headers: Iterable[str]) -> Request:
    """A request with headers as the command line has them."""
    request = Request.of(given)
    return evolve(request, headers=(*request.headers, *map(_header, headers)))


def _header(text: str) -> tuple[str, str]:
    name, _, value = text.partition(":")
    if not (name.strip() and value.strip()):
        raise InvalidArgumentError("--header", f"must be 'NAME: VALUE', not {text!r}")
    return name.strip(), value.strip()


def _recommend(asked: argparse.Namespace) -> int:
    with _printing_aside():
        verdict = _verdict(asked)
    _say(verdict, as_json=asked.json)
    return 1 if verdict.profile.failed else 0


def _verdict(asked: argparse.Namespace) -> Recommendation:
    fn = _imported(asked.callable)
    items = items_of(asked.items)
    if asked.count is not None and asked.count < 0:
        raise InvalidArgumentError("--count", f"must be 0 or more, not {asked.count}")
    workload = Workload(fn, items, items_count=asked.count)
    check_budget(asked.budget)
    machine = _what_if(asked)
    _tell(f"calling {asked.callable} on some of its items ...")
    with _blaming("the items"):
        return recommend(workload, budget=asked.budget, verify=not asked.no_race, machine=machine)


def _say(fact: Jsonable, *, as_json: bool) -> None:
    print(fact.to_json(indent=2) if as_json else fact)


def _imported(reference: str) -> Callable[[Any], Any]:
    """The callable of a reference; the current folder is searched, as by ``python -m``."""
    _search_here()
    with _blaming(f"{reference}: importing its module", _place):  # nobody has seen a traceback
        found = found_at(reference, "FN")
    if not callable(found):
        problem = f"is of type {type(found).__name__!r}, which is not callable"
        raise InvalidArgumentError(reference, problem)
    fn: Callable[[Any], Any] = found
    return fn


def _search_here() -> None:
    if "" not in sys.path:
        sys.path.insert(0, "")


def _what_if(asked: argparse.Namespace) -> Machine | None:
    """The machine asked about, or None for this one."""
    here = this_machine()  # in any case: it refuses a wrong CONCURRENT_CHOICES_CPUS before anything is called
    if asked.cpus is None and not asked.no_gil:
        return None
    if asked.cpus is not None and not 0 < asked.cpus < inf:
        raise InvalidArgumentError("--cpus", f"must be a number above 0, not {asked.cpus:g}")
    return evolve(here, cpus=asked.cpus or here.cpus, gil=here.gil and not asked.no_gil)


def _machine(asked: argparse.Namespace) -> int:
    machine, calibration = this_machine(), machine_costs(probes())
    if asked.json:
        facts = {"machine": asdict(machine), "calibration": json.loads(calibration.to_json())}
        print(json.dumps(facts, indent=2))
        return 0
    gil = "on" if machine.gil else "off"
    print(f"{machine.python} on {machine.platform}, {counted(machine.cpus, 'CPU')}, GIL {gil}")
    for row in describe(calibration):
        print(f"{row.name:<20} {row.seconds * 1e6:>12.3f} µs  {row.how}")
    print(calibration.kept)
    return 0
