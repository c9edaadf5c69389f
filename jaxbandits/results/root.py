"""The root file of a sweep's store: attributes and the metadata of all arrays.

Readers go by it, so it is one file that is replaced as a whole. It carries a digest of
itself, and there is a copy, so that a damaged one is noticed and can be mended.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jaxbandits.atomic import replacing
from jaxbandits.results.checks import check_path

FORMAT = 3  # of the store; raised when an older library could not read it
PLAYED = "session"
CHECKSUM = "checksum"
ROOT = "zarr.json"
COPY = f"{PLAYED}/root.json"  # Where Zarr does not look for arrays.


def local(path: str | os.PathLike) -> Path:
    """The path of a store.

    Raises:
      TypeError: if it is no path.
      ValueError: if it is empty or a URL.
    """
    if "://" in str(path):
        raise ValueError(
            f"store: {path} is a URL; a store must be a folder on a file system"
        )
    return check_path("store", path)


def publish(path: Path, attributes: Mapping[str, Any], arrays: dict) -> None:
    """Replace the file that readers go by, and its copy.

    Args:
      path: the store.
      attributes: of the dataset; anything that JSON holds.
      arrays: name -> metadata, for all arrays.
    """
    coordinates = [
        name
        for name, array in arrays.items()
        # How xarray knows a coordinate that is no dimension.
        if name.startswith("param_")
        or (array["dimension_names"] == ["seed"] and name != "seed")
    ]
    # Readers load variables in this order: what `session` says is there is there.
    names = sorted(arrays, key=lambda name: (name != PLAYED, name))
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
            "metadata": {name: arrays[name] for name in names},
        },
    }
    root["attributes"][CHECKSUM] = _digest(root)
    # The root last: as long as it is old, nothing has happened.
    for name in (COPY, ROOT):
        _write(path / name, root)


def read_root(path: Path) -> dict[str, Any]:
    """What the root file says.

    Raises:
      FileNotFoundError: if there is no store at `path`.
      ValueError: if it is not a sweep's store, one of another format, or damaged.
    """
    file = path / ROOT
    if not file.is_file():
        if _good(path / COPY) is None:
            raise FileNotFoundError(f"store: there is no Zarr store at {path}")
        raise ValueError(f"store: {file} is missing; {_HELP}")
    root = _good(file)
    if root is None:
        _refuse_others(path, file)
        raise ValueError(
            f"store: {file} is damaged, it is not what a store of format {FORMAT} has "
            f"there; {_HELP}"
        )
    made = root["attributes"]["format"]
    if made != FORMAT:
        _refuse_format(path, made)
    return root


_HELP = "the next sweep into the store mends it"


def mend_root(path: Path) -> list[str]:
    """Put a damaged root file, or its copy, right by the other one.

    Returns:
      What was mended, relative to `path`.

    Raises:
      ValueError: if both are damaged.
    """
    root, copy = _good(path / ROOT), _good(path / COPY)
    if root is None and copy is not None:
        _write(path / ROOT, copy)
        return [ROOT]
    if root is None:
        if (path / ROOT).is_file():
            _refuse_others(path, path / ROOT)
        if any((path / name).exists() for name in (ROOT, COPY)):
            raise ValueError(
                f"store: {path / ROOT} and its copy {path / COPY} are both damaged; "
                "put one of them back, or play into a new store"
            )
        raise FileNotFoundError(f"store: there is no Zarr store at {path}")
    if root != copy and root["attributes"]["format"] == FORMAT:
        _write(path / COPY, root)
        return [] if copy else [COPY]  # A good one is of a writer that was killed.
    return []


def _write(file: Path, root: dict) -> None:
    file.parent.mkdir(exist_ok=True)
    with replacing(file) as temporary:
        temporary.write_text(json.dumps(root))


def _good(file: Path) -> dict[str, Any] | None:
    """The contents of a root file; None unless every byte is as it was written."""
    try:
        text = file.read_text()
        root = json.loads(text)
    except PermissionError as error:
        raise PermissionError(
            error.errno, f"store: {file} may not be read: {error.strerror}"
        ) from error
    except (OSError, ValueError, RecursionError):
        return None
    try:
        said = root["attributes"][CHECKSUM]
    except (TypeError, LookupError):
        return None
    return root if said == _digest(root) and text == json.dumps(root) else None


def _digest(root: dict) -> str:
    """Of everything but itself."""
    attributes = {k: v for k, v in root["attributes"].items() if k != CHECKSUM}
    text = json.dumps(root | {"attributes": attributes})
    return hashlib.sha256(text.encode()).hexdigest()


def _refuse_others(path: Path, file: Path) -> None:
    """Raise if a root file is whole, but none of ours or of the first format."""
    try:
        attributes = json.loads(file.read_text()).get("attributes", {})
        ours = {"format", CHECKSUM, "fingerprint"} & set(attributes)
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return
    if not ours and not (path / COPY).exists():
        raise ValueError(f"store: {path} is a Zarr store, but not of a sweep")
    if attributes.get("format") == 1 and not (path / COPY).exists():
        _refuse_format(path, 1)


def _refuse_format(path: Path, made: Any) -> None:
    what = (
        "finish it with the older version that made it, or play into a new store"
        if isinstance(made, int) and made < FORMAT
        else "take the newer version that made it"
    )
    raise ValueError(
        f"store: {path} has format {made}; this version of jaxbandits reads and writes "
        f"format {FORMAT}: {what}"
    )
