"""Advice for the endpoints of an ASGI application, from how its requests really behave.

_middleware    stands around the application; counts, and answers for the page of advice
_rate          which requests are timed
_visit         one request: the steps of its coroutine, timed
_routes        which route it was for
_sampler       a thread that looks, as often as _pauses says, at which of the user's _lines the loop is held
_pool_threads  what each route computes in the pool's threads
_route_table   what is known of each route
_rules         from that to _advice
_page, _guard  the advice as a page, and who may see it
"""
