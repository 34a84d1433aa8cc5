"""The work itself: the callable, the one source all lanes draw from, and how a batch is performed.

_job          what a strategy is handed: it claims items from the _source, and has claims performed
_tap          the caller's iterable, as the source draws from it; _window: how far ahead of the results
_perform      a claim of a `def`; _watched, by a _hand, under a time limit; _awaiter, one of an `async def`
_pace         how many items are claimed at a time; _weight: how much memory a result takes
_callables    what can be told of a callable before it is called; _bonds: what binds it to a thread or a loop
_captured     what it holds; _state (by _marks): whether calls change that; _strangers: what tests replace
_alterations  whether its code would, by _trails of what is _within it; _stores: whether it stores anything
_imported     what it uses of modules, which a worker may find otherwise; _imports: what one has to import
_callable_size  how much travels with it
_kept_by_caches  settings that functools.cache keeps, which are changed since
_kept_here    why it stays though it could travel: for what tests replaced, also deep in libraries
              (_pretences), or for its _lookups by names that its code does not spell out
_interrupted  whether an error is that of a signal's handler, which ends what it comes in the midst of
_pickling     how things travel; _by_value and _apart: those that no worker can import; _obstacle: why not
_prepared     what an initializer set in what travelled by value, for functions that come later
_generators   random ones that a library shares, which travel by name
_asking       what a thing is, where its own hooks may raise
_code         what a function names; _steps: its instructions; _ownership: whether the user wrote it
_words        what messages say of things and errors; _notes: those on errors, which name the item
_suspended    what a coroutine waits for
_contexts, _running_loop, _own_loops, _limited, _forks    what all of it stands on; and _mutex, _new_thread,
              _switching

Worker processes import most of these modules, so nothing here may import attrs, anyio or multiprocessing at
the top. Only what serves coroutines alone may import asyncio there: _awaiter, _limited and _own_loops.
"""
