"""`auto`: decides while it works. Here doing, looking and deciding meet.

Caller                 performs items in the calling thread, or hands over what others did
Deck                   thread lanes that come and go                 (_strategies._lanes)
Yard, Ferry            worker processes that come up in the background (_strategies._workers)
Tally                  what each of them has done, in how much time   LOOKING
Ticker ── Conductor    looks every few milliseconds, asks the Controller, has it done   DECIDING
"""
