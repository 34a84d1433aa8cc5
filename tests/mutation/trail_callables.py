"""A module of the user's own, which keeps things."""

seen = set()
failures = 0
rows = [[]]
latest = None


def remember(item):
    """Keep it here."""
    global latest  # noqa: PLW0603 - what is looked for
    latest = item


def into(kept, item):
    """Keep it elsewhere."""
    kept.append(item)


class Tally:
    """Keeps what it is told."""

    hits = []  # noqa: RUF012 - what is looked for
    total = 0

    def __init__(self):
        self.failures = []

    def record(self, item):
        """Keep it."""
        self.failures.append(item)

    @classmethod
    def note(cls, item):
        """Keep it for all."""
        cls.hits.append(item)


class UnrulyTable(dict):
    """Runs code of its own to be read."""

    def __getitem__(self, key):
        raise RuntimeError(key)

    __contains__ = __iter__ = get = keys = values = __getitem__


tally = Tally()
