"""Benchmarks: what ``python scripts/bench.py WHAT`` runs (docs/benchmarks.md).

`contest` says what a contestant is and lets contestants take turns; each setting's
module holds one game and its rivals: a loop for Numba, an array program for NumPy.
"""
