"""What the pytest plugin does once a fixture is asked for.

_clock    a clock that leaves out the way into a loop and back
_aio      `aio_benchmark`: coroutines under pytest-benchmark
_chosen   which strategies a test races
_race     `bench_strategies`: a callable under a strategy, with what `recommend` says of it
"""
