"""Titles as parts of files' names."""

from collections.abc import Iterable
from unicodedata import normalize

_LONGEST = 100  # bytes of a title: names of files have at most 255


def slug(title: str) -> str:
    """Lower case, with a hyphen for whatever is no letter and no digit; not long."""
    # Some file systems take titles for the same that differ in case or composition.
    folded = normalize("NFC", normalize("NFC", title).casefold())
    kept = "".join(c if c.isalnum() else "-" for c in folded)
    name = "-".join(filter(None, kept.split("-"))) or "unnamed"
    return name.encode()[:_LONGEST].decode(errors="ignore")


def slugs(titles: Iterable[str]) -> dict[str, str]:
    """Of several titles, by title: those that are alike as names are numbered.

    So "correlation -0.6" and "correlation 0.6" are two files.
    """
    result: dict[str, str] = {}
    for title in titles:
        name, copy = slug(title), 1
        while name in result.values():
            copy += 1
            name = f"{slug(title)}-{copy}"
        result[title] = name
    return result
