"""The fixed words of the report."""

__all__ = ["INTRODUCTION", "LIMITS", "LOSSES"]

INTRODUCTION = """\
Written by `python -m benchmarks.dispatch` from `results.jsonl` (every single measurement) and
`environment.json` beside it. All contestants of a group run in one process and take turns, in an
order that is shuffled in every round; a first round only warms up. Medians over the rounds;
garbage collection is on, as users have it. "÷ ours" compares the medians per item: above 1 means
slower than this library."""

LOSSES = """\
Computed from the medians above: every target that was missed, and every contestant that was
faster than ours in its row. Where the contestant is a loop written by hand (a list
comprehension, a serial `await`, bare worker tasks or bare processes), that is the floor under
every library, and the difference is the price of what it leaves out: results that are right
after a failure, items named in errors, bounded look-ahead, and pools that close."""

LIMITS = """\
- Callables that do nothing measure the hand-over and nothing else. From about 100 µs an item on,
  most differences in these tables vanish in the work; choose by the rows of 5 ms and of sleeping
  then.
- A callable that provably calls nothing is a special case: every item of it can share one context,
  since it cannot set a context variable, and here that case is as fast as it gets. The rows of a
  callable that calls `abs()` show what an ordinary callable pays; the targets are about the no-op.
- One machine, one interpreter, few cores. Dispatch by threads gets dearer, and by processes
  cheaper relative to the work, with more cores; nothing here was measured on them.
- The machine is shared. Neighbours move single readings by 10 % and more; minimum and maximum
  stand beside the median for that reason, and every line of `results.jsonl` has the load average
  of its minute. Ratios of two contestants of one group are steadier than times, and differences
  under a tenth should not be read as an order.
- Contestants of 20 µs an item and more get fewer items to keep the run short; they are compared
  per item. Those that make a task or future for every item get dearer with the number of items
  that are alive at once, so for them the fewer items flatter.
- Other contestants' pools lie idle in the same process while one is measured, and the garbage of
  one is collected before the next begins. Pools that look for work in intervals cost the others
  a little.
- Peers on asyncio and uvloop keep one loop over all rounds. Our strategies on loops start one for
  each `run`, and that is counted.
- trio keeps no loop between calls, and neither does `anyio.run`: their rows hold the start of a
  loop too.
- "Cold" is told from inside an interpreter, from the end of a library's imports to the first
  result; the imports, which some put off until the first call, are in the column beside it. The
  start of the first interpreter is in neither. All find the bytecode of what they import, as
  installed packages do.
- Growth is the difference between the highest resident size and that before the first item, in
  the process that streams; what worker processes hold is not in it. `after start mb` leaves out
  what was there after the first thousand results: loops, threads and late imports.
- Interpreters of other versions, other systems than Linux, and builds without the GIL were not
  measured."""
