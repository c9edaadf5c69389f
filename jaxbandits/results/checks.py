"""Checks of the arguments that the statistics share."""


def check_level(level: float) -> None:
    """Raise a ValueError if `level` is not in (0, 1)."""
    if not 0 < level < 1:
        raise ValueError(f"level: must be in (0, 1), got {level}")


def check_choice(argument: str, value: str, choices: tuple[str, ...]) -> None:
    """Raise a ValueError naming `argument` if `value` is none of `choices`."""
    if value not in choices:
        raise ValueError(f"{argument}: {value!r} is not one of {', '.join(choices)}")


def check_resamples(resamples: int, level: float) -> None:
    """Raise a ValueError if a tail of the resamples would hold less than one."""
    if not resamples * (1 - level) / 2 >= 1:
        raise ValueError(
            f"resamples: must be at least 2 / (1 - level) = {2 / (1 - level):.0f}, "
            f"got {resamples}"
        )
