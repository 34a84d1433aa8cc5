"""Doing: one file per way of running. All side effects live here."""
