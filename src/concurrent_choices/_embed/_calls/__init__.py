"""Calls, wherever they run.

_tasks        one call; _monitor: what is waited on for its result
_backlog      those that wait
_mapping      `map`; _underlying_function: what a method, a partial or a chunk calls
"""
