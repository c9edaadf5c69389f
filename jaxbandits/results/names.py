"""Names that variables of a dataset and arrays of a store can have."""

from collections.abc import Set


def check_variable(what: str, name: str, taken: Set[str] = frozenset()) -> None:
    """Raise a ValueError if a metric or report cannot have its name.

    Args:
      what: where the name comes from, for errors.
      name: the name.
      taken: names that mean something else.
    """
    if name in taken or name.startswith("param_"):
        raise ValueError(f"{what}: the name {name!r} is taken")
    # Of these Zarr, netCDF or the file system make something else.
    if not name.strip(".") or "/" in name or not name.isprintable() or name[:2] == "__":
        raise ValueError(
            f"{what}: {name!r} is no name for a variable; it must be printable, "
            "without '/', not empty or dots only, and not begin with two underscores"
        )
