"""The root of a sweep's store: attributes and the metadata of all arrays.

Readers go by it, so it is one object that is replaced as a whole. It carries a digest
of itself, and there is a copy, so that a damaged one is noticed and can be mended.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from jaxbandits.results.home import Home
from jaxbandits.results.names import COUNT, PARAMETER

FORMAT = 3  # of the store; raised when an older library could not read it
RESULTS = "results"
CHECKSUM = "checksum"
ROOT = "zarr.json"
COPY = f"{RESULTS}/root.json"  # Where Zarr does not look for arrays.


def root_of(attributes: Mapping[str, Any], arrays: Mapping[str, Any]) -> dict[str, Any]:
    """The root of a store.

    Args:
      attributes: of the dataset; anything that JSON holds.
      arrays: name -> metadata, for all arrays.
    """
    coordinates = [
        name
        for name, array in arrays.items()
        # How xarray knows a coordinate that is no dimension.
        if name.startswith(PARAMETER)
        or name == COUNT
        or (array["dimension_names"] in (["seed"], ["environment"]))
        and name != array["dimension_names"][0]
    ]
    root: dict[str, Any] = {
        "zarr_format": 3,
        "node_type": "group",
        "attributes": {
            **attributes,
            "format": FORMAT,
            "coordinates": " ".join(coordinates),
        },
        "consolidated_metadata": {
            "kind": "inline",
            "must_understand": False,
            "metadata": {name: arrays[name] for name in sorted(arrays)},
        },
    }
    root["attributes"][CHECKSUM] = _digest(root)
    return root


def publish(home: Home, root: dict[str, Any]) -> None:
    """Replace what readers go by, and its copy."""
    # The root last: as long as it is old, nothing has happened.
    for name in (COPY, ROOT):
        home.put(name, bytes_of(root))


def bytes_of(root: dict[str, Any]) -> bytes:
    """A root as it is stored."""
    return json.dumps(root).encode()


def read_root(home: Home) -> dict[str, Any]:
    """What the root says.

    Raises:
      FileNotFoundError: if there is no store.
      ValueError: if it is not a sweep's store, one of another format, or damaged.
    """
    where = home.where(ROOT)
    data = _read(home, ROOT)
    if data is None:
        if _good(_read(home, COPY)) is None:
            raise FileNotFoundError(f"store: there is no Zarr store at {home.name}")
        raise ValueError(f"store: {where} is missing; {_HELP}")
    root = _good(data)
    if root is None:
        _refuse_others(home, data)
        raise ValueError(
            f"store: {where} is damaged, it is not what a store of format {FORMAT} has "
            f"there; {_HELP}"
        )
    made = root["attributes"]["format"]
    if made != FORMAT:
        _refuse_format(home, made)
    return root


_HELP = "the next sweep into the store mends it"


def mend_root(home: Home) -> list[str]:
    """Put a damaged root, or its copy, right by the other one.

    Returns:
      Keys of what was mended.

    Raises:
      ValueError: if both are damaged.
    """
    data, other = _read(home, ROOT), _read(home, COPY)
    root, copy = _good(data), _good(other)
    if root is None and copy is not None:
        home.put(ROOT, bytes_of(copy))
        return [ROOT]
    if root is None:
        _refuse_others(home, data)
        if data is not None or other is not None:
            raise ValueError(
                f"store: {home.where(ROOT)} and its copy {home.where(COPY)} are both "
                "damaged; put one of them back, or play into a new store"
            )
        raise FileNotFoundError(f"store: there is no Zarr store at {home.name}")
    if root != copy and root["attributes"]["format"] == FORMAT:
        home.put(COPY, bytes_of(root))
        return [] if copy else [COPY]  # A good one is of a writer that was killed.
    return []


def _read(home: Home, key: str) -> bytes | None:
    try:
        return home.get(key)
    except PermissionError as error:
        raise PermissionError(
            error.errno, f"store: {home.where(key)} may not be read: {error.strerror}"
        ) from error


def _good(data: bytes | None) -> dict[str, Any] | None:
    """What a root says; None unless every byte is as it was written."""
    try:
        root = json.loads(data or b"")
        said = root["attributes"][CHECKSUM]
    except (ValueError, RecursionError, TypeError, LookupError):
        return None
    return root if said == _digest(root) and data == bytes_of(root) else None


def _digest(root: dict[str, Any]) -> str:
    """Of everything but itself."""
    attributes = {k: v for k, v in root["attributes"].items() if k != CHECKSUM}
    text = json.dumps(root | {"attributes": attributes})
    return hashlib.sha256(text.encode()).hexdigest()


def _refuse_others(home: Home, data: bytes | None) -> None:
    """Raise if a root is whole, but none of ours or of an older format."""
    try:
        attributes = json.loads(data or b"").get("attributes", {})
        ours = {"format", CHECKSUM, "fingerprint"} & set(attributes)
    except (ValueError, TypeError, AttributeError, RecursionError):
        return
    if _read(home, COPY) is not None:
        return
    if not ours:
        raise ValueError(f"store: {home.name} is a Zarr store, but not of a sweep")
    if attributes.get("format") == 1:
        _refuse_format(home, 1)


def _refuse_format(home: Home, made: Any) -> None:
    what = (
        "finish it with the older version that made it, or play into a new store"
        if isinstance(made, int) and made < FORMAT
        else "take the newer version that made it"
    )
    raise ValueError(
        f"store: {home.name} has format {made}; this version of jaxbandits reads and "
        f"writes format {FORMAT}: {what}"
    )
