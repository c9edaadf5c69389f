"""Benchmarks: what ``python scripts/bench.py WHAT`` runs (docs/benchmarks.md).

`contest` lets contestants take turns; a setting's module holds a game and its rivals.
"""
