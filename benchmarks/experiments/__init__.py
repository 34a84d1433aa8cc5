"""Fourteen published experiments, run again on this machine, beside every strategy of the library.

Each module without an underscore is one experiment; `_catalogue` lists them in their order. The command
`python -m benchmarks.experiments` runs them and writes docs/experiments.md, docs/conclusions.md and the
plots.
"""
