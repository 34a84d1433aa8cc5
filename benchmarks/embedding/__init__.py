"""Embedding against what people do by hand: `python -m benchmarks.embedding` (see `--help`)."""
