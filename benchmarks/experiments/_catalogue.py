"""All experiments, in their order."""

from __future__ import annotations

from . import computing_endpoints as computing
from . import (
    coroutines,
    database,
    fifteen_sums,
    fifty_requests,
    files,
    files_and_sums,
    http_requests,
    interleaving,
    part_waiting,
    rising_load,
    sleeps,
    sums,
    two_at_once,
)
from ._model import Experiment

__all__ = ["EXPERIMENTS"]

EXPERIMENTS: tuple[Experiment, ...] = (
    sleeps.EXPERIMENT,
    files.EXPERIMENT,
    sums.EXPERIMENT,
    files_and_sums.EXPERIMENT,
    http_requests.EXPERIMENT,
    database.EXPERIMENT,
    interleaving.EXPERIMENT,
    coroutines.EXPERIMENT,
    two_at_once.EXPERIMENT,
    rising_load.EXPERIMENT,
    part_waiting.EXPERIMENT,
    computing.EXPERIMENT,
    fifty_requests.EXPERIMENT,
    fifteen_sums.EXPERIMENT,
)
