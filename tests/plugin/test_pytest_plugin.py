"""The plugin as those who install it meet it: in pytest runs of their own."""

from __future__ import annotations

import json
import re
from importlib.metadata import entry_points

import pytest

from patience import patient

pytest_plugins = ["pytester"]

QUICK = ("-p", "no:cacheprovider", "--benchmark-max-time=0.02", "--benchmark-min-rounds=2")


@pytest.fixture(autouse=True)
def no_worker(monkeypatch):
    """In one of pytest-xdist's workers pytest-benchmark measures nothing; these runs are nobody's workers."""
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)


@pytest.fixture
def bench(pytester):
    """Run a test file under pytest-benchmark and read the figures it leaves."""

    def run(source, *options):
        pytester.makepyfile(source)
        figures = pytester.path / "figures.json"
        result = pytester.runpytest_inprocess(*QUICK, f"--benchmark-json={figures}", *options)
        # pytest-benchmark 5.0 and 5.1 leave the file empty where nothing was measured.
        text = figures.read_text() if figures.exists() else ""
        found = json.loads(text)["benchmarks"] if text else []
        return result, {each["name"]: each for each in found}

    return run


@pytest.fixture
def fruitless(pytester):
    """Run a test file that leaves no figures, and give the result."""

    def run(source):
        pytester.makepyfile(source)
        return pytester.runpytest_inprocess(*QUICK)

    return run


COROUTINE = """
    import asyncio
    import pytest

    calls = []

    async def work(seconds, factor=1):
        calls.append(asyncio.get_running_loop())
        await asyncio.sleep(seconds * factor)
        return "done"
"""


def test_it_is_found_by_pytest():
    """The package declares the plugin under pytest's own name for such."""
    found = {point.name: point.value for point in entry_points(group="pytest11")}
    assert found["concurrent_choices"] == "concurrent_choices.pytest_plugin"


def test_it_is_light(pytester):
    """A run that asks for no fixture of it loads neither asyncio strategies nor pytest-benchmark for it."""
    pytester.makepyfile("""
        import sys

        def test_nothing():
            assert "concurrent_choices.pytest_plugin" in sys.modules
            heavy = ("concurrent_choices._plugin", "concurrent_choices._run", "anyio", "uvloop")
            assert not [name for name in heavy if name in sys.modules]
    """)
    # The anyio plugin, if there is one, imports anyio by itself.
    result = pytester.runpytest_subprocess("-p", "no:benchmark", "-p", "no:anyio", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=1)


def test_a_coroutine_is_benchmarked(bench):
    """Outside of a loop it is called like `benchmark`, and gives the result of the last call."""
    result, figures = bench(
        COROUTINE
        + """
    def test_work(aio_benchmark):
        assert aio_benchmark(work, 0.001, factor=2) == "done"
        assert len(calls) > 2
        assert len(set(calls)) == 1
    """
    )
    result.assert_outcomes(passed=1)
    stats = figures["test_work"]["stats"]
    assert stats["rounds"] >= 2
    assert stats["min"] >= 0.002


def test_a_fixed_number_of_rounds(bench):
    """`pedantic` calls as often as it is told, warm-up included."""
    result, figures = bench(
        COROUTINE
        + """
    def test_work(aio_benchmark):
        kwargs = {"factor": 0}
        assert aio_benchmark.pedantic(work, (0.001,), kwargs, rounds=4, warmup_rounds=3) == "done"
        assert len(calls) == 7
    """
    )
    result.assert_outcomes(passed=1)
    assert figures["test_work"]["stats"]["rounds"] == 4


def test_inside_a_running_loop(bench):
    """Awaited in a test that is a coroutine itself, the calls are made on the loop of the test."""
    result, figures = bench(
        COROUTINE
        + """
    @pytest.fixture
    def anyio_backend():
        return "asyncio"

    @pytest.mark.anyio
    async def test_work(aio_benchmark):
        assert await aio_benchmark(work, 0.001) == "done"
        assert set(calls) == {asyncio.get_running_loop()}
    """
    )
    result.assert_outcomes(passed=1)
    assert figures["test_work"]["stats"]["min"] >= 0.001


def test_inside_a_running_trio(bench):
    """Trio's loop is as good."""
    pytest.importorskip("trio")
    result, figures = bench("""
        import pytest
        import trio

        @pytest.fixture
        def anyio_backend():
            return "trio"

        async def work():
            await trio.sleep(0.001)
            return trio.lowlevel.current_trio_token()

        @pytest.mark.anyio
        async def test_work(aio_benchmark):
            assert await aio_benchmark(work) is trio.lowlevel.current_trio_token()
    """)
    result.assert_outcomes(passed=1)
    assert figures["test_work"]["stats"]["min"] >= 0.001


def test_what_takes_no_time_takes_no_minutes(bench):
    """The rounds are as many as fit with the hops, although the hops are not in the figures."""
    result, figures = bench("""
        async def work():
            return 1

        def test_work(aio_benchmark):
            assert aio_benchmark(work) == 1
    """)
    result.assert_outcomes(passed=1)
    stats = figures["test_work"]["stats"]
    assert stats["rounds"] < 20_000
    # By its median round, as a neighbour may spoil a few: with the hops it would be all of 0.02 s.
    assert stats["rounds"] * stats["median"] < 0.02


def test_the_marks_of_pytest_benchmark_stay(bench):
    """A group and a number of rounds that the test was marked with are obeyed."""
    result, figures = bench(
        COROUTINE
        + """
    @pytest.mark.benchmark(group="mine", min_rounds=7)
    def test_work(aio_benchmark):
        aio_benchmark(work, 0.005)
    """
    )
    result.assert_outcomes(passed=1)
    assert figures["test_work"]["group"] == "mine"
    assert figures["test_work"]["stats"]["rounds"] == 7


def test_an_error_fails_the_test(fruitless):
    """What the coroutine raises is what the test fails with."""
    result = fruitless("""
        async def work():
            raise LookupError("gone")

        def test_work(aio_benchmark):
            aio_benchmark(work)
    """)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*LookupError: gone*"])


def test_a_plain_function_is_refused(fruitless):
    """The message names the fixture that is meant for it."""
    result = fruitless("""
        def test_work(aio_benchmark):
            aio_benchmark(abs, -1)
    """)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*benchmark abs with the fixture `benchmark`*"])


def test_a_coroutine_itself_is_refused(fruitless):
    """Written as for `asyncio.run`, the call has been made: the message asks for the function."""
    result = fruitless("""
        from contextlib import closing

        async def work():
            pass

        def test_work(aio_benchmark):
            with closing(work()) as coroutine:
                aio_benchmark(coroutine)
    """)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*not coroutine; give the function itself, without calling it*"])


def test_disabled_benchmarks_run_once(bench):
    """With --benchmark-disable the coroutine is called once, and the strategies too."""
    result, figures = bench(
        COROUTINE
        + """
    def test_work(aio_benchmark):
        assert aio_benchmark(work, 0) == "done"
        assert len(calls) == 1

    @pytest.mark.bench_strategies("sequential", "thread")
    def test_race(bench_strategies):
        seen = []
        assert bench_strategies(seen.append, "ab") == [None, None]
        assert sorted(seen) == ["a", "b"]
    """,
        "--benchmark-disable",
    )
    result.assert_outcomes(passed=3)
    assert figures == {}


RACE = """
    import pytest
    from concurrent_choices import ThreadStrategy

    def double(number):
        return 2 * number

    async def double_async(number):
        return 2 * number
"""


@patient
def test_a_race(bench):
    """A test runs once for each strategy; the figures are one group and say what was run and recommended."""
    result, figures = bench(
        RACE
        + """
    @pytest.mark.bench_strategies("sequential", "thread", ThreadStrategy(max_workers=3), "auto")
    def test_double(bench_strategies):
        assert bench_strategies(double, range(5)) == [0, 2, 4, 6, 8]
    """
    )
    result.assert_outcomes(passed=4)
    assert {each["group"] for each in figures.values()} == {"test_double"}
    three = next(each["extra_info"] for name, each in figures.items() if "max_workers=3" in name)
    assert three["strategy"].startswith("ThreadStrategy(")
    assert (three["items"], three["max_workers"]) == (5, 3)
    assert {each["extra_info"]["recommended"] for each in figures.values()} == {"sequential"}
    assert {each["extra_info"]["bound"] for each in figures.values()} <= {"cpu", "io", "mixed", "unknown"}
    assert figures["test_double[auto]"]["extra_info"]["strategy"] == "auto"


def test_all_strategies_by_default(bench):
    """Without a mark every registered strategy races, and `auto`; a budget of 0 asks nobody."""
    from concurrent_choices._strategies._registry import NAMES

    result, figures = bench(
        RACE
        + """
    @pytest.mark.bench_strategies(budget=0)
    def test_double(bench_strategies):
        assert bench_strategies(double, range(3)) == [0, 2, 4]
    """
    )
    result.assert_outcomes(passed=len(NAMES) + 1)
    assert set(figures) == {f"test_double[{name}]" for name in (*NAMES, "auto")}
    assert all("recommended" not in each["extra_info"] for each in figures.values())


def test_a_race_inside_a_running_loop(bench):
    """In a test that is a coroutine the race is awaited, and does not block the loop."""
    result, figures = bench(
        RACE
        + """
    @pytest.fixture
    def anyio_backend():
        return "asyncio"

    @pytest.mark.anyio
    @pytest.mark.bench_strategies("asyncio", "thread")
    async def test_double(bench_strategies):
        assert await bench_strategies(double_async, range(3)) == [0, 2, 4]
    """
    )
    result.assert_outcomes(passed=2)
    assert all(each["extra_info"]["recommended"] for each in figures.values())


def test_a_strategy_whose_package_is_missing_is_skipped(fruitless):
    """The skip says what to install."""
    result = fruitless("""
        import pytest
        from concurrent_choices import MissingExtraError

        class Absent:
            name = "absent"

            @property
            def max_workers(self):
                raise MissingExtraError("absent", "trio")

            def execute(self, job):
                raise AssertionError

        @pytest.mark.bench_strategies(Absent())
        def test_double(bench_strategies):
            bench_strategies(abs, [1])
    """)
    result.assert_outcomes(skipped=1)


def test_a_strategy_that_there_is_not_fails_the_test(fruitless):
    """The failure lists those there are, and pytest-benchmark adds no complaint of its own."""
    result = fruitless("""
        import pytest

        @pytest.mark.bench_strategies("threads")
        def test_race(bench_strategies):
            bench_strategies(abs, [1])
    """)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*no strategy 'threads'; there are 'auto', *"])


def test_a_mark_that_nobody_would_hear(fruitless):
    """A misspelt option of the mark is refused; before, all strategies raced without a word."""
    result = fruitless("""
        import pytest

        @pytest.mark.bench_strategies(strategy="thread")
        def test_race(bench_strategies):
            bench_strategies(abs, [1])
    """)
    result.stdout.fnmatch_lines(["*the mark bench_strategies takes strategies, and budget=; not strategy=*"])
    result.assert_outcomes(errors=1)


OTHERS = """
    def test_other():
        pass

    def test_work(aio_benchmark):
        pass
"""


def test_without_pytest_benchmark_nothing_changes_until_a_fixture_is_asked_for(pytester):
    """Other tests run, and whoever asks for a fixture is told what to install."""
    pytester.makeconftest("import sys; sys.modules['pytest_benchmark'] = None")
    pytester.makepyfile(OTHERS)
    result = pytester.runpytest_subprocess("-p", "no:benchmark", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*pip install 'concurrent_choices[[]pytest[]]'*"])


def test_where_pytest_benchmark_is_switched_off_nobody_is_told_to_install_it(pytester):
    """It is there already, so the way out is another."""
    pytester.makepyfile(OTHERS)
    result = pytester.runpytest_subprocess("-p", "no:benchmark", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*leave out `-p no:benchmark`*"])
    result.stdout.no_fnmatch_line("*pip install*")


@pytest.mark.parametrize(
    ("option", "outcomes"),
    [("--benchmark-only", {"passed": 3, "skipped": 1}), ("--benchmark-skip", {"passed": 1, "skipped": 3})],
)
def test_only_benchmarks_or_none_of_them(pytester, option, outcomes):
    """pytest-benchmark's own options know both fixtures as benchmarks."""
    pytester.makepyfile("""
        import pytest

        def test_other():
            pass

        def test_work(aio_benchmark):
            async def work():
                pass
            aio_benchmark(work)

        @pytest.mark.bench_strategies("sequential", "auto", budget=0)
        def test_race(bench_strategies):
            bench_strategies(abs, [1, 2])
    """)
    pytester.runpytest_inprocess(*QUICK, option).assert_outcomes(**outcomes)


def test_what_the_documentation_shows_runs(bench, root):
    """The tests on the page of the plugin pass, and leave figures, run as the tests they are."""
    blocks = re.findall(r"```python\n(.*?)```", (root / "docs" / "testing.md").read_text(), re.DOTALL)
    result, figures = bench("".join(blocks))
    result.assert_outcomes(passed=8)
    assert len(figures) == 7


def test_the_mark_is_declared(pytester):
    """`pytest --markers` explains it, so strict runs accept it."""
    result = pytester.runpytest_inprocess("--markers", "-p", "no:cacheprovider")
    result.stdout.fnmatch_lines(["@pytest.mark.bench_strategies(*"])
