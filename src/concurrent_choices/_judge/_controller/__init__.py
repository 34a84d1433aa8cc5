"""Deciding while working: from sights of a run to arrangements of it, without a clock or a thread.

    Sight (times, items, CPU so far) ──► Controller ──► Arrangement (who works now, and when to look again)

    Alone ──► Pair ──► Parallel            computing: two lanes on real items tell the GIL from the cores
      │ ▲       └────► Starting ──► Outside    processes, if the rest pays for them
      ▼ │                 ▲
    Waiting ──────────────┘                waiting: lanes by delivery rate (Climb)

On many cores, where looks have shown the GIL free, Alone goes to Parallel without the trial.
Alone reads the calling thread by Solo, Waiting finds how many lanes by Climb, Outside judges processes by
ProcessTrial. What all stages know is in Known; LoopController decides about coroutines.

The engine carries arrangements out in real runs; the simulator tries the same controller on thousands of
described ones.

Nothing is imported here: a first run waits for what it loads, and needs only a part.
"""
