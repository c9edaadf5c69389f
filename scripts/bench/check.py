"""Check that the peers agree in distribution, and print their speeds.

Run in ``scripts/``: ``python -m bench.check [seeds]``.
"""

import sys

import numpy as np

from . import c_peer, numba_peer, numpy_peer
from .game import optimal_shares

HORIZON = 1000
MAX_STANDARD_ERRORS = 4.0
SPEED_HORIZONS = {numpy_peer: 10_000, numba_peer: 20_000, c_peer: 400_000}


def share_and_error(shares):
    """Return the mean and its standard error."""
    return shares.mean(), shares.std(ddof=1) / np.sqrt(len(shares))


def compare(seeds, penalty_radius):
    """Compare every peer with the first; return whether all agree.

    Two shares are compared: of the most pulled pair (of all peers together) and
    of the optimal pair.
    """
    all_pulls = {}
    for peer in (numpy_peer, numba_peer, c_peer):
        pulls = peer.play(seeds, HORIZON, penalty_radius, seed=7)
        if pulls is not None:
            assert (pulls.sum(axis=(1, 2)) == HORIZON).all()
            all_pulls[peer.__name__] = pulls
    total = sum(pulls.sum(axis=0) for pulls in all_pulls.values())
    most_pulled = int(total.argmax())
    agree = True
    reference = None
    for name, pulls in all_pulls.items():
        most = pulls.reshape(seeds, -1)[:, most_pulled] / HORIZON
        pairs = [share_and_error(most), share_and_error(optimal_shares(pulls))]
        reference = reference or pairs
        scores = [
            (mean - other) / max(np.hypot(error, other_error), 1e-12)
            for (mean, error), (other, other_error) in zip(
                pairs, reference, strict=True
            )
        ]
        agree &= max(map(abs, scores)) <= MAX_STANDARD_ERRORS
        texts = [
            f"{label} {mean:.5f} +- {error:.5f} (z {score:+.1f})"
            for label, (mean, error), score in zip(
                ("most pulled", "optimal"), pairs, scores, strict=True
            )
        ]
        print(f"{name:18s} radius {penalty_radius:g}: " + ", ".join(texts))
    return agree


def main():
    """Compare at both radii, then time every peer."""
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 512
    agree = all([compare(seeds, 0.0), compare(seeds, 1.0)])
    for peer, horizon in SPEED_HORIZONS.items():
        entry = peer.measure(seeds, horizon)
        if entry:
            print(f"horizon {horizon}: {entry}")
    print("agree" if agree else "DISAGREE")
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main())
