"""How a callable, and what it holds, gets to another process; and for what it stays in this one.

_pickling     how things travel; _by_value and _apart: those that no worker can import, among them _classes;
              _markers: by their names, those told by their identity, and _nameless: by keys;
              _whole_errors: what they hold of errors; _obstacle: why not
_prepared     what an initializer set in what travelled by value, for functions that come later
_imports      what a worker has to import for it; _callable_size: how much travels with it
_imported     what it uses of modules, which a worker may find otherwise
_kept_here    why it stays though it could travel: for what tests replaced, also deep in libraries
              (_pretences), for its _lookups by names that its code does not spell out, or because what
              it gives is _hashed: by `hash()`, or by the _orders of sets
"""
