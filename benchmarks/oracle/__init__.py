"""How good the verdicts are: every workload of the catalogue, under everything that could be done by hand.

`python -m benchmarks.oracle` measures and writes results.jsonl, environment.json and REPORT.md.

    _zygote    one measurement, in a process of its own, with a deadline
    _grid      what a careful person writes with the standard library, at many worker counts
    _ours      our strategies at the plans of a verdict; `recommend` itself
    _audit     was every item called exactly once?
    _witness   what looking costs
    _protocol  which of these, in which order, how often
    _figures   from measurements to the table's figures; _targets says which are reached, _report writes
"""
