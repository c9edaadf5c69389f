"""Every setting's main policy beside its rivals: speed, and agreement."""

from .contest import turns, z_score
from .contests import CONTESTS

AGREEMENT_SEEDS = 512


def measure(options) -> list[dict]:
    """Contestants take turns; rows ``{setting, policy, contestant, rate, ...}``."""
    rows = []
    for setting in options.settings:
        contest = CONTESTS[setting]()
        played = turns(
            contest.contestants,
            contest.game,
            options.seeds,
            seconds=options.seconds,
            repeats=options.repeats,
        )
        own = played[0].rate
        rows += [
            {
                "setting": setting,
                "policy": contest.policy,
                "contestant": turn.name,
                "cores": turn.cores,
                "M rounds/s": turn.rate / 1e6,
                "ns per round and core": 1e9 * turn.cores / turn.rate,
                "jaxbandits is x faster": own / turn.rate,
                "horizon": turn.horizon,
                "compile_seconds": turn.compile_seconds,
            }
            for turn in played
        ]
    return rows


def agree(options) -> list[dict]:
    """Scores of all contestants, and their distance from the library's.

    Raises:
      SystemExit: if a score is more than 4 standard errors away.
    """
    rows = []
    for setting in options.settings:
        contest = CONTESTS[setting]()
        first = None
        for name, timed in contest.contestants.items():
            if name in contest.other_policies:
                continue
            done = timed(contest.game, AGREEMENT_SEEDS, contest.agreement, 7)
            if done is None:
                continue
            first = first or done
            z = z_score(done.played, first.played)
            score = float(done.played.score.mean())
            rows.append(
                {"setting": setting, "contestant": name, "score": score, "z": z}
            )
    if any(abs(row["z"]) > 4 for row in rows):
        raise SystemExit(f"contestants disagree: {rows}")
    return rows
