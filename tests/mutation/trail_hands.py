"""Functions that callables hand things on to, and a decorator: what those do with them is followed."""

from functools import wraps


def handed_on(fn):
    """A decorator of the user's own."""

    @wraps(fn)
    def wrapper(*args, **kwargs):
        return fn(*args, **kwargs)

    return wrapper


def into(kept, item):
    if item > 1000:
        kept.append(item)


def marks(to, item, *, also=None):
    to.append(item)
    also["seen"] = item


def reads(kept, item):
    kept = [*kept, item]
    kept.append(item)
    return kept[0].count(item)
