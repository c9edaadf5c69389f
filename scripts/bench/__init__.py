"""Benchmarks: what ``python scripts/bench.py WHAT`` runs (docs/benchmarks.md).

`contest` says what a contestant is and lets contestants take turns; each setting's
folder holds one game, the library's turn at it and its rivals'.
"""
