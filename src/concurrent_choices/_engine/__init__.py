"""`auto`: decides while it works. Here doing, looking and deciding meet.

Caller                 performs items in the calling thread, or hands over what others did
ElasticPool            thread lanes that come and go                 (_strategies._lanes)
ElasticTaskPool        the same with tasks on a loop                 (_strategies._lanes)
WorkerStartup          worker processes that come up in the background (_strategies._workers)
FallbackPump           sends items to them, and performs here what cannot travel (_strategies._workers)
Tally                  what each of them has done, in how much time   LOOKING
Ticker ── Conductor    looks every few milliseconds, asks the Controller, has it done   DECIDING
"""
