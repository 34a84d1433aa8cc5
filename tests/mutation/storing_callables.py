"""Callables that store things, and that do not."""

log = []
table = {}
loaded = None


def keeps(item):
    log.append(item)


def counts(item):
    table[item] += 1


def forgets(item):
    del table[item]


def replaces_between(start, end):
    log[start:end] = []


def keeps_inside(items):
    return [log.append(item) for item in items]


def reads(item):
    found = {}
    found[item] = table.get(item)
    return found, log[:1], table < found < table


def loads_once(item):
    global loaded  # noqa: PLW0603 - what is looked for
    if loaded is None:
        loaded = [1]
    return loaded[0] + item


def keeps_its_own(item):
    own = []
    own.append(item)
    return own
