"""A strategy of one's own, written from the documentation alone: the slowest kinds of item first.

Results still come in input order, because `run` sorts what `execute` yields.
"""

from concurrent.futures import ThreadPoolExecutor, as_completed

from concurrent_choices import Batch, Claim, ConcurrentChoicesError, Strategy, run


class LongestFirst:
    """Starts long items before short ones, in threads, so that no long one is left to the end.

    Args:
        length: Guesses how long an item takes, in any unit.
        threads: Items in flight at once.
    """

    name = "longest first"

    def __init__(self, length, threads=4):
        self.length = length
        self.threads = threads

    def execute(self, job):
        """Claim everything, start the longest first, give the batches as they arrive."""
        claims = sorted(everything(job), key=self.first_length, reverse=True)
        pool = ThreadPoolExecutor(self.threads)
        try:
            futures = [pool.submit(job.perform, claim) for claim in claims]
            for future in as_completed(futures):
                yield future.result()
        finally:
            job.stop()  # or the pool would wait for whole claims after Ctrl-C
            pool.shutdown(cancel_futures=True)

    def first_length(self, claim):
        """How long the one item of a claim may take."""
        return self.length(claim.items[0])


def everything(job):
    """All items, one to a claim."""
    while claim := job.claim(1):
        yield claim


def shout(word):
    """What is run."""
    if not word:
        raise ValueError(word)
    return word.upper()


def main():
    """Use it, and show that the contract holds for it as for any other."""
    strategy = LongestFirst(length=len)
    assert isinstance(strategy, Strategy)
    words = ["a", "concurrent", "to", "choices"]
    print(*run(shout, words, strategy=strategy))
    print(run(shout, ["ok", ""], strategy=strategy, return_exceptions=True))
    try:
        run(shout, ["ok", ""], strategy=strategy)
    except ValueError as error:
        print(*error.__notes__)
    try:
        run(shout, words, strategy=Silent())
    except ConcurrentChoicesError:
        print("a strategy that loses results is found out")


class Silent:
    """Claims and yields nothing: what a mistake looks like."""

    name = "silent"

    def execute(self, job):
        """Lose everything but the first batch, which is empty."""
        claim: Claim = job.claim(2)
        yield Batch(claim.start, [])


if __name__ == "__main__":
    main()
