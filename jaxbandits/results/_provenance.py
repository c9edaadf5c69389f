"""The provenance of results: versions, revision, machine, time."""

import os
import platform
import shlex
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from jaxbandits.results.plain import plain

PACKAGES = ("jaxbandits", "jax", "jaxlib", "numpy", "xarray")
_SOURCE = Path(__file__).resolve().parents[1]


def provenance(**extra: Any) -> dict[str, Any]:
    """Facts by which one knows, later, what made a result.

    Args:
      **extra: more entries (seeds, device, parameters); arrays become lists.

    Returns:
      A dict that JSON can hold: ``versions`` (package -> version, "unknown" if it is
      not installed), ``platform``, ``git`` (see `git_state`), ``command`` (line of this
      process), ``created`` (UTC, ISO 8601, to the second) and the extra entries.

    Raises:
      ValueError: if an extra entry has no JSON form, or the name of a standard one.
    """
    entries = {
        "versions": {"python": platform.python_version()} | versions(PACKAGES),
        "platform": platform.platform(),
        "git": git_state(_SOURCE),
        "command": shlex.join(sys.argv),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    if clash := sorted(entries.keys() & extra.keys()):
        raise ValueError(f"extra: {clash} are standard entries of a provenance")
    return entries | {name: plain(value, name) for name, value in extra.items()}


def versions(packages: Iterable[str]) -> dict[str, str]:
    """Versions of packages, "unknown" for those that are not installed."""
    result = {}
    for package in packages:
        result[package] = "unknown"
        with suppress(PackageNotFoundError):  # Only metadata are read.
            result[package] = version(package)
    return result


def git_state(folder: Path) -> dict[str, Any]:
    """The revision of the folder of a package.

    Returns:
      ``{"revision": str | None, "dirty": bool | None}``. Dirty: files under `folder`
      are changed or new. Both are None without git, a repository or a commit, or if git
      does not track the folder's ``__init__.py``.
    """
    # A repository around a virtual environment does not track the package in it.
    tracked = _git(folder, "ls-files", "--error-unmatch", "--", "__init__.py")
    revision = _git(folder, "rev-parse", "HEAD") if tracked else None
    if not revision:
        return {"revision": None, "dirty": None}
    status = _git(folder, "status", "--porcelain", "--", ".")
    return {"revision": revision, "dirty": None if status is None else bool(status)}


def _git(folder: Path, *arguments: str) -> str | None:
    """The output of git, or None if git fails."""
    # Hooks set GIT_DIR and similar variables, which name another repository.
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    environment["GIT_OPTIONAL_LOCKS"] = "0"  # Git must not refresh the index.
    try:
        answer = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            capture_output=True,
            env=environment,
            text=True,
            timeout=10,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return answer.stdout.strip() if answer.returncode == 0 else None
