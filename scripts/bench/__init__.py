"""Honest CPU rivals for the simulator's benchmark.

All peers play the same game, the censored bandit stated in :mod:`.game`, with
the same policy, RCUCB.  Each peer module offers

* ``play(seeds, horizon, ...)``: the pulls, an array ``[seeds, K, M]``, and
* ``measure(seeds, horizon)``: a dictionary with the keys ``name``,
  ``seed_rounds_per_s``, ``cores`` and ``optimal_share``; only the play is
  timed, after a warm-up.

``python -m bench.check`` (run in ``scripts/``) compares the peers' results and
prints their speeds.
"""
