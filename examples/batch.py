"""Count the words of many texts in plain Python, on all processors: `python examples/batch.py`."""

import random
import re
from collections import Counter

from concurrent_choices import AdaptiveExecutor, pick_executor

WORD = re.compile(r"[a-z]+")
WORDS = ["".join(random.Random(seed).choices("abcdefgh", k=5)) for seed in range(500)]


def text(seed):
    """A made-up text of ten thousand words."""
    return " ".join(random.Random(seed).choices(WORDS, k=10_000))


def count(page):
    """Count the words of a text, but for the most common endings."""
    stems = (re.sub(r"(ab|ba|gh)$", "", word) for word in WORD.findall(page))
    return Counter(stems)


def main():
    """Count, first with an executor chosen once, then with one that learns."""
    pages = [text(seed) for seed in range(40)]
    with pick_executor(count, pages[:8]) as chosen:
        once = sum(chosen.map(count, pages), Counter())
    with AdaptiveExecutor() as learning:
        again = sum(learning.map(count, pages), Counter())
        learnt = learning.explain()["count"]
    assert once == again
    print(f"{sum(once.values())} words, {len(once)} of them different")
    print(f"chosen once: {type(chosen).__name__}; a text takes {learnt.wall * 1000:.0f} ms")


if __name__ == "__main__":
    main()
