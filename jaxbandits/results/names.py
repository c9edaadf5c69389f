"""Names that variables of a dataset, and so arrays of a store, can have."""

# Other variables of datasets and stores, and of what statistics make of them.
RESERVED = frozenset(
    "environment policy params seed checkpoint "  # dimensions
    "instance compile_seconds run_seconds quantile "  # other coordinates
    "rounds session cut seeds".split()  # of every run, and of every point
)
PARAMETER = "param_"  # begins the name of the coordinate of a parameter
COUNT = "seeds"  # coordinate: how many seeds each point has, if not all have all
INSTANCE = "instance"  # coordinate: the drawn instances, if seeds share them
FACT = "environment_"  # begins the name of a coordinate in which environments differ


def check_variable(what: str, name: str) -> None:
    """Raise a ValueError if a metric or report cannot have a name.

    `what` says in errors where the name comes from.
    """
    if name in RESERVED or name.startswith((PARAMETER, FACT)):
        raise ValueError(f"{what}: the name {name!r} is taken")
    # Zarr, netCDF or the file of a block would change such a name.
    other = name[:1] in ("", ".") or name[:2] == "__" or set(name) & set("/\\")
    if other or not name.isprintable():
        raise ValueError(
            f"{what}: a name must be printable, without slashes, and not be empty or "
            f"begin with a dot or two underscores, got {name!r}"
        )
