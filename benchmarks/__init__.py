"""Measurements of concurrent_choices, run by hand: `python -m benchmarks.dispatch`."""
