"""What came of a paper's claims about an experiment, in a few lines."""

from collections.abc import Sequence

from jaxbandits_studies.common.experiment import Claim
from jaxbandits_studies.statements import (
    CAUSES,
    HEADLINES,
    STANDS_ON,
    VERDICTS,
    of_experiment,
    reasons,
    tally,
)


def verdict_lines(experiment: str, claims: Sequence[Claim]) -> list[str]:
    """Sentences: how many claims hold, what is reproduced, what not, and why.

    Args:
      experiment: its name.
      claims: of the paper, judged; none are after a quick run, whose reader is shown
        where the verdicts of full runs are.
    """
    if not claims:
        full = f"Verdicts of our full runs: jaxbandits paper {experiment}"
        return [full] if of_experiment(experiment) else []
    several = f"{len(claims)} claims" if len(claims) > 1 else "one claim"
    lines = [f"Verdict on {several} of the paper: {tally(c.verdict for c in claims)}."]
    by_id = {claim.id: claim for claim in claims}
    headlines = HEADLINES.get(experiment, {})
    for text, ids in headlines.items():
        lines.append(f"- {text}: {_judged([by_id[id] for id in ids])}.")
    if not headlines:
        why = reasons(claim.reason for claim in claims)
        lines += [f"- {reason}" for reason in why.values()]
    lines.append(f"One by one, with our numbers: jaxbandits paper {experiment}")
    return lines


def _judged(claims: Sequence[Claim]) -> str:
    """``3 of 3 hold``, ``1 of 3 hold, 1 undecided (C3: the figures were not ...)``."""
    held = sum(claim.verdict == "holds" for claim in claims)
    text = f"{held} of {len(claims)} {VERDICTS['holds']}"
    rest = [c.verdict for c in claims if c.verdict not in ("holds", "fails")]
    if rest:
        text += f", {tally(rest)}"
    causes = list(dict.fromkeys(claim.reason for claim in claims if claim.reason))
    known = CAUSES | STANDS_ON
    if len(causes) == 1:
        return f"{text} ({causes[0]}: {known[causes[0]]})"
    return f"{text} ({', '.join(causes)})" if causes else text
