"""What can be told of a callable, and of other things, before they are called.

_callables    what kind it is, and what is beneath partials and wrappers; _words: what messages call it
_bonds        what binds it to a thread, a loop or the terminal, by _setters too; _one_process: to a process
_captured     what it holds, some of which are _strangers that tests put there, or the _held_items themselves;
              _tasks: what its items give it to call, and methods of theirs that it comes to
_code         what a function names; _steps: its instructions
_hashes       whether a set has another order in another process
_ownership    whether the user wrote it, or a library
_generators   random ones that a library shares, which count as the library's
_asking       what a thing is, where its own hooks may raise
"""
