"""Names that variables of a dataset and arrays of a store can have."""

# What datasets and stores have besides metrics and reports, and what statistics add.
RESERVED = frozenset(
    "environment policy params seed checkpoint "  # dimensions
    "instance compile_seconds run_seconds quantile "  # other coordinates
    "rounds session cut seeds".split()  # of every run, and of every point
)
PARAMETER = "param_"  # how the coordinate of a parameter begins
COUNT = "seeds"  # the coordinate of how many seeds a point plays, if not all play all
INSTANCE = "instance"  # the coordinate of the drawn instances, if seeds share them
FACT = "environment_"  # and that of what environments differ in


def check_variable(what: str, name: str) -> None:
    """Raise a ValueError if a metric or report cannot have its name.

    Args:
      what: where the name comes from, for errors.
      name: the name.
    """
    if name in RESERVED or name.startswith((PARAMETER, FACT)):
        raise ValueError(f"{what}: the name {name!r} is taken")
    # Of these Zarr, netCDF or a file of a block make something else.
    other = name[:1] in ("", ".") or name[:2] == "__" or set(name) & set("/\\")
    if other or not name.isprintable():
        raise ValueError(
            f"{what}: a name must be printable, without slashes, and not be empty or "
            f"begin with a dot or two underscores, got {name!r}"
        )
