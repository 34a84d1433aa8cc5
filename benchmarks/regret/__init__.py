"""How far `run(fn, items)` is from what an expert could have written for that callable and that many items.

`python -m benchmarks.regret` measures and writes results.jsonl, environment.json and REPORT.md. Measurements,
processes, hand-tuned runs and the audit are those of `benchmarks.oracle`.

    _pace         how many items make a job of so many seconds
    _contestants  the hand-tuned runs worth trying on a workload, and the simple rules
    _run          one line of results.jsonl; a run under `auto`
    _protocol     which of these, in which order, how often
    _single       the jobs that issue 4 names one by one
    _changing     callables that change what they hold: are results those of a loop?
    _deaths       workers killed at work: is every item accounted for?
    simulated     the controller in virtual time, on workloads drawn by _drawn
    informed      what any controller loses there by having to find out
    _figures      from measurements to regret; _report writes it down, with the losses
"""
