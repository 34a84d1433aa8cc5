"""Clients that keep cookies note the time of each request with them, which is no change."""

from __future__ import annotations

from http.cookiejar import Cookie, CookieJar
from types import SimpleNamespace
from urllib.request import Request

from concurrent_choices._mutation._marks import mark_of
from concurrent_choices._mutation._state import State

PAGE = "http://shelf.example/"


class Client:
    """As a session of requests is: what it keeps of cookies can be pickled, its lock is left out."""

    class Jar(CookieJar):
        """A jar that may travel."""

        def __getstate__(self):
            return {name: held for name, held in vars(self).items() if name != "_cookies_lock"}

    def __init__(self):
        self.cookies = self.Jar()

    def ask(self, page):
        """Add to a request what is in the jar."""
        self.cookies.add_cookie_header(Request(page))

    def log_in(self, page):
        """Keep a cookie, as a response may say."""
        told = {"name": "user", "value": page, "domain": "shelf.example", "path": "/", "version": 0}
        rest = dict.fromkeys(Cookie.__init__.__code__.co_varnames[1:17])
        self.cookies.set_cookie(Cookie(**{**rest, **told, "rest": {}}))


def test_the_time_of_a_request_is_no_change():
    """Calls that ask by one session stayed in this process, and were said to change it, by chance."""
    client = Client()
    state = State(client.ask)
    client.ask(PAGE)
    assert vars(client.cookies)["_now"]
    assert not state.changed()


def test_a_cookie_is_a_change():
    """Another process would not have it."""
    client = Client()
    state = State(client.log_in)
    client.log_in(PAGE)
    assert state.changed() == "its object"


def test_what_else_a_jar_of_the_user_s_own_holds_counts():
    """Nobody else knows what it is for."""
    held = SimpleNamespace(jar=Client.Jar())
    before = mark_of(held)
    held.jar.opened = 1
    assert mark_of(held) != before
