"""Starlette's client, which asks an application without a server."""

from __future__ import annotations

import warnings

with warnings.catch_warnings():  # newer releases would rather have another client, which does the same
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient

__all__ = ["TestClient"]
