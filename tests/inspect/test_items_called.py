"""Callables among items: found where calls may call them, and one of each kind is enough."""

from functools import partial

import pytest

from concurrent_choices._inspect._tasks import MOST, functions_among, tasks_in


class Job:
    __slots__ = ("fn",)

    def __init__(self, fn):
        self.fn = fn

    def work(self):
        return self.fn()


def task():
    return 1


BOUND = Job(task).work
PARTIAL = partial(task)


@pytest.mark.parametrize(
    ("item", "found"),
    [
        (task, [task]),
        (BOUND, [BOUND]),
        (PARTIAL, [PARTIAL]),
        ((task, 1), [task]),
        ([1, BOUND], [BOUND]),
        ({"fn": PARTIAL}, [PARTIAL]),
        (Job(task), [task]),
        (len, []),
        (Job, []),
        ("text", []),
        (((task,),), []),
        (OSError(task), []),
    ],
)
def test_what_an_item_gives_to_call(item, found):
    """Itself, or what it holds next; not what a library's object keeps, nor classes, which hold nothing."""
    assert [*tasks_in(item)] == found


def test_one_task_stands_for_others_that_run_the_same_code():
    """They are guessed to hold the like of it."""
    tasks = [partial(task) for _ in range(3)]
    assert [each.func for each in functions_among([1, *tasks, partial(len), (len, task)])] == [task, len]


def test_so_many_different_tasks_are_looked_at():
    """To look at one takes a tenth of a millisecond."""
    names = {}
    exec("\n".join(f"def task{n}(): return {n}" for n in range(2 * MOST)), names)
    assert len(functions_among(names[f"task{n}"] for n in range(2 * MOST))) == MOST
