"""Advice for the endpoints of an ASGI application, from how its requests really behave.

_middleware    stands around the application; counts, and answers for the page of advice
_rate          which requests are timed
_visit         one request: the steps of its coroutine, timed
_sampler       a thread that looks at what holds the loop and where the pool's threads are
_pool_threads  what each route computes in those threads
_route_table   what is known of each route
_rules         from that to advice
"""
