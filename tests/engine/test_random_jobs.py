"""Whatever calls turn out to do, results are those of a loop, and each item is called once."""

import pytest
from engine_forms import in_a_loop, in_a_stream, in_an_async_stream

import chances
from concurrent_choices import run


@pytest.mark.parametrize("form", [run, in_a_stream, in_a_loop, in_an_async_stream])
@pytest.mark.parametrize("fn", [chances.call, chances.call_soon])
@pytest.mark.parametrize("made", [list, iter])
@pytest.mark.parametrize("seed", range(3))
def test_a_job_made_by_chance(form, fn, made, seed, tmp_path):
    """It is another one in each form, and the same whenever this is tested."""
    log = tmp_path / "calls"
    items = chances.job(f"{form.__name__} {fn.__name__} {made.__name__} {seed}", str(log))
    results = form(fn, made(items), return_exceptions=True)
    assert [*map(chances.comparable, results)] == [*map(chances.outcome, items)]
    assert sorted(map(int, log.read_text().split())) == [item.number for item in items]
