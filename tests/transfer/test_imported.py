"""What a callable uses of modules, and whether another process finds it the same."""

from __future__ import annotations

import subprocess
import sys

import pytest

from concurrent_choices import run
from concurrent_choices._transfer._imported import Imported

MODULE = """
import collections, contextvars, functools, pickle, re, threading, types
LIMIT = 1
ANIMAL = "\u0451\u0436"
USER = contextvars.ContextVar("USER", default="nobody")
WORDS = frozenset("abcdefgh")
TABLE = {"vowels": {"a", "e", "i", "o", "u"}, "pattern": re.compile("x")}
LOCK = threading.Lock()
HOUSE = None
ROUND = lambda amount: amount

class Money:
    @classmethod
    def of(cls):
        return cls()

    @staticmethod
    def least():
        return 1

class Column:
    def __init__(self):
        self.held = bytearray(b"\\x8f") * (1 << 17)  # a set's code, among many

    def __reduce__(self):
        return bytearray, (pickle.PickleBuffer(self.held),)

PRICES = Column()

class Settings:
    depth = 1

class Client:
    url = "here"

    def get(self):
        return self.url

CLIENT = Client()

class Rules:
    @functools.cached_property
    def most(self):
        return [LIMIT]

    @functools.cached_property
    def least(self):
        return -self.most[0]

RULES = Rules()

class Kept(type):
    made = {}

    def __call__(cls):
        return cls.made.setdefault(cls, object.__new__(cls))

class Config(metaclass=Kept):
    class Meta:
        depths = [1]

    @property
    def depth(self):
        return _depths["depth"]

_depths = {"depth": 1}
_rates = {"here": 1}
_lazy = {"late": 1}
SEEN = collections.defaultdict(list)
APP = types.SimpleNamespace(beside=threading.local(), depth=1)  # it has no pickle

class Shop:
    def __init__(self):
        self.till = Till()

class Till:
    def rate(self):
        return _rates["here"]

SHOP = Shop()

class Plugin:
    pass

class First(Plugin):
    pass

@functools.singledispatch
def show(thing):
    return str(thing)

def __getattr__(name):
    try:
        return _lazy[name]
    except KeyError:
        raise AttributeError(name)

def helper(factors={"one": 1}, *, others=()):
    return LIMIT, helper.times

helper.times = 1

def use(item):
    with LOCK:
        held = HOUSE, ROUND, PRICES, Money(), CLIENT, RULES, SHOP.till.rate(), SEEN["nothing"], APP.depth
        made = Config().depth, Plugin.__subclasses__(), show(item), Config.Meta
        return item, ANIMAL, WORDS, TABLE, Settings.depth, helper(), USER.get(), held, made
"""

DECORATORS = """
import functools
TRIES = 1

def retry(fn):
    @functools.wraps(fn)
    def wrapper(item):
        return [fn(item) for _ in range(TRIES)]
    return wrapper
"""

DECORATED = """
import attrs, decorators

class Kind(type):
    @property
    def depth(cls):
        raise RuntimeError("not to be asked")

class Odd(metaclass=Kind):
    depth = 1

@attrs.define
class Order:
    amount: int

@decorators.retry
def use(item):
    return Order(item), Odd()
"""

ASK = """
import pickle, shop
from concurrent_choices._transfer._imported import Imported
{change}
open("marks", "wb").write(pickle.dumps(Imported({callable})))
"""

ANSWER = """
import pickle
try:
    pickle.load(open("marks", "rb"))
except (AttributeError, ValueError) as error:
    print(error)
"""


@pytest.fixture
def told(tmp_path):
    """What another process says of what a callable uses, changed here; nothing where it is the same."""
    for name, text in {"shop": MODULE, "decorators": DECORATORS, "decorated": DECORATED}.items():
        (tmp_path / f"{name}.py").write_text(text)
    (tmp_path / "house").mkdir()
    (tmp_path / "house" / "__init__.py").touch()
    (tmp_path / "house" / "cellar.py").write_text("import shop")

    def asked(change, callable="shop.use"):  # noqa: A002 - read as a word
        scripts = (ASK.format(change=change, callable=callable), ANSWER)
        answers = [subprocess.check_output([sys.executable, "-c", code], cwd=tmp_path) for code in scripts]
        return answers[1].decode()

    return asked


def test_what_attrs_calls_after_the_class_that_was_made_last(told):
    """From Python 3.13 on its `evolve` is in each class, and is called after another one in each process."""
    assert told("import attrs, decorated; attrs.make_class('Later', ['amount'])", "decorated.use") == ""


def test_the_same(told):
    """Sets order strings differently in each process, and are equal; so is what is called the same."""
    assert told("") == ""


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ("shop.LIMIT = 2", "shop.LIMIT"),
        ("shop.ANIMAL = '\u0451\u043b\u043a\u0430'", "shop.ANIMAL"),  # its bytes have that of a set's code
        ("shop.WORDS = frozenset('xyz')", "shop.WORDS"),
        ("shop.TABLE['vowels'].add('y')", "shop.TABLE"),
        ("shop.Settings.depth = 2", "shop.Settings.depth"),
        ("shop.helper = print", "shop.helper"),
        ("shop.helper = lambda: 2", "shop.helper"),
        ("from unittest.mock import Mock; shop.helper = Mock()", "shop.helper"),
        ("import threading; shop.HOUSE = threading.Lock()", "shop.HOUSE"),
        ("shop.LOCK = open('marks', 'wb')", "shop.LOCK"),
        ("shop.Money = float", "shop.Money"),
        ("shop.Money.of = classmethod(lambda kind: kind())", "shop.Money.of"),
        ("shop.Client.url = 'there'", "shop.Client.url"),  # the class of an object that is named
        ("shop.Client.get = lambda self: 2", "shop.Client.get"),
        ("shop.PRICES.held[0] = 1", "shop.PRICES"),  # as a large array of NumPy, which hands out its memory
        ("shop.RULES.most.append(2)", "shop.RULES.most"),
        ("shop.RULES.least = 2", "shop.RULES.least"),
        ("shop.Config.Meta.depths.append(2)", "shop.Config.Meta.depths"),
        ("shop.Config.depth = property(lambda self: 2)", "shop.Config.depth"),
        ("shop._depths['depth'] = 2", "shop._depths"),  # which a property reads
        ("shop.Config()", "shop.Kept.made"),  # by the class of its class
        ("shop._rates['here'] = 2", "shop._rates"),  # which a method of what an object holds reads
        ("shop.APP.depth = 2", "shop.APP"),
        ("shop.SEEN['something'].append(1)", "shop.SEEN"),
        ("class Second(shop.Plugin): pass", "shop.Plugin.__subclasses__()"),
        ("shop.show.register(int, lambda number: 'int')", "shop.show.registry"),
        ("shop.helper.__defaults__[0]['two'] = 2", "shop.helper.__defaults__"),
        ("shop.helper.__kwdefaults__['others'] = [2]", "shop.helper.__kwdefaults__"),
        ("shop.helper.times = 2", "shop.helper.times"),
        ("shop.USER.set('Ada')", "shop.USER"),
        ("shop.USER.set(shop.LOCK)", "shop.USER"),
    ],
)
def test_what_was_changed(told, change, name):
    """Whatever was changed since the import is named, in functions that are called too."""
    assert told(change).startswith(name)


@pytest.mark.parametrize("change", ["shop.RULES.most", "shop.RULES.least"])
def test_what_an_object_has_computed_and_keeps(told, change):
    """A worker computes it, too, and then has the same."""
    assert told(change) == ""


def test_a_module_that_gives_what_it_does_not_hold(told):
    """By a function that reads something else of it."""
    own = "def ours(item): return shop.late\n"
    assert told(own, "ours") == ""
    assert told(f"{own}shop._lazy['late'] = 2", "ours").startswith("shop._lazy")


def test_what_a_dictionary_has_made_of_its_default(told):
    """A worker that asks for it gets the same."""
    assert told("shop.SEEN['something']") == ""


def test_a_context_variable_that_is_set_to_what_a_worker_finds(told):
    """What counts is what a call would be given."""
    assert told("shop.USER.set('nobody')") == ""


def test_a_module_in_a_callable_that_travels_by_value(told):
    """What a function of the main module takes from a module is compared; what is its own is not."""
    own = "mine = 5\ndef ours(item): return item, mine, shop.LIMIT\n"
    assert told(own, "ours") == ""
    assert told(f"{own}shop.LIMIT = None", "ours").startswith("shop.LIMIT")


@pytest.mark.parametrize(
    "own",
    [
        "def ours(item):\n    import shop\n    return shop.LIMIT\n",
        "def ours(item):\n    from shop import LIMIT\n    return LIMIT\n",
        "def make():\n    import shop as own\n    return lambda item: own.LIMIT\nours = make()\n",
        "import house.cellar\ndef ours(item): return house.cellar.shop.LIMIT\n",
        "def ours(item):\n    import house.cellar\n    return house.cellar.shop.LIMIT\n",
    ],
    ids=["import", "from", "around", "package", "import package"],
)
def test_a_module_that_is_no_global(told, own):
    """It is the same module, whoever imported it, and wherever it is kept."""
    assert told(f"{own}import house.cellar", "ours") == ""
    assert told(f"{own}import house.cellar\nshop.LIMIT = None", "ours").startswith("shop.LIMIT")


def test_a_name_that_was_added(told):
    """What no module sets is missing elsewhere."""
    assert "EXTRA" in told("shop.EXTRA = 1\ndef ours(item): return shop.EXTRA\n", "ours")


def test_a_method_that_was_put_into_a_class_of_a_library(told):
    """As one that logs at a level of the program's own, which a worker's loggers do not have."""
    own = "import logging\nLOG = logging.getLogger('shop')\ndef ours(item): return LOG.success(item)\n"
    assert told(own, "ours") == ""
    put = "def success(logger, words): logger.log(25, words)\nlogging.Logger.success = success\n"
    assert "success" in told(own + put, "ours")


@pytest.mark.parametrize(
    "added",
    [
        "import gettext; gettext.install('shop')\ndef ours(item): return _(item)\n",
        "import builtins; builtins.EXTRA = 1\ndef ours(item): return EXTRA\n",
        "import builtins; builtins.print = shop.helper\ndef ours(item): return print()\n",
    ],
    ids=["gettext", "data", "replaced"],
)
def test_a_name_that_was_put_into_builtins(told, added):
    """Code finds it as if it were Python's own, and another process does not have it."""
    assert "builtins" in told(added, "ours")


def test_names_that_python_has_put_into_builtins(told):
    """They are the same in each process."""
    assert told("def ours(item): return print, open, ValueError, Ellipsis, exit\n", "ours") == ""


def leaves(item):
    """Name what `site` has put into `builtins`, for which a worker has no time."""
    return item or exit(1) or quit(1)  # noqa: PLR1722 - as scripts have it


def test_names_that_a_worker_puts_into_builtins_by_itself():
    """They are the same there, too."""
    assert run(bool, [Imported(leaves)], strategy="process") == [False]


def test_a_method(told):
    """The class of a bound method is looked at."""
    change = "shop.Settings.use = lambda self, item: item\nshop.Settings.depth = 7"
    assert told(change, "shop.Settings().use").startswith("shop.Settings.depth")


def test_a_decorated_function(told):
    """What a wrapper says is its module is that of what it stands around; what it uses is not there."""
    assert told("import decorated", "decorated.use") == ""
    change = "import decorated; decorated.decorators.TRIES = 2"
    assert told(change, "decorated.use").startswith("decorators.TRIES")
