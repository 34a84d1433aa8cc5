"""Calls in threads of this process.

_dispatch     which call runs in which _lane, and which waits; _early: what lanes come to import
_examine      whether a call changes what its callable holds, or would (_losses)
_stall_monitor    sees lanes that are stuck
"""
