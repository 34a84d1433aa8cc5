"""What is known of a callable, and where that says it belongs.

_accounts     finds the _account of a callable, by its _identity
_figures      what it has taken; _placing: where they say it belongs; _ramp: how many may run at once
_held         what it holds, and whether a call has changed that; _looks: how often that is looked at

Worker processes import _held and _placing, so those load nothing slow.
"""
