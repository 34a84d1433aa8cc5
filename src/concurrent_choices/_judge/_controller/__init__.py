"""Deciding while working: from sights of a run to arrangements of it, without a clock or a thread.

    Sight (times, items, CPU so far) ──► Controller ──► Arrangement (who works now, and when to look again)

    Alone ──► Pair ──► Parallel            computing: two lanes on real items tell the GIL from the cores
      │ ▲       └────► Starting ──► Outside    processes, if the rest pays for them
      ▼ │                 ▲
    Waiting ──────────────┘                waiting: lanes by delivery rate (Climb)

Without a GIL, and on many cores where looks have shown it free, Alone goes to Parallel without the trial.
Parallel may go on to Waiting or Starting, and Outside to Starting, for more lanes in each worker. Whoever
gives up says `Back`, and the controller begins with Alone again.
Alone reads the calling thread by Solo, Waiting finds how many lanes by Climb, Outside judges processes by
ProcessTrial. Rationing tells Climb whether calls that are turned away are a reason for fewer lanes, and
Ceiling when there may be more again; Probing, when it tries other numbers. What all stages know is in Known.

LoopController decides about coroutines: LoopLanes says how many at once, by Climb too, and stages where:

    OnLoop ◄─► StartingBeside ──► Leaving     processes, if the rest pays for them
      └──────────────────────────────▲        threads with loops, where items block theirs, or need no GIL

What these know is in LoopKnown.

The engine carries arrangements out in real runs; the simulator tries the same controller on thousands of
described ones. When either looks for the first time is said by _first_look.

Nothing is imported here: a first run waits for what it loads, and needs only a part.
"""
