"""What a table has that ``schema.json`` does not allow.

Editors read that file as JSON Schema; this reads those of its words that it uses.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

SCHEMA: dict[str, Any] = json.loads(Path(__file__).with_name("schema.json").read_text())
_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list, tuple),
    "string": (str,),
    "number": (int, float),
    "integer": (int, float),
    "boolean": (bool,),
}
# Words about numbers: when one is wrong, and how that is said.
_LIMITS = {
    "minimum": (lambda x, end: x < end, "less than the minimum"),
    "maximum": (lambda x, end: x > end, "greater than the maximum"),
    "exclusiveMinimum": (lambda x, end: x <= end, "less than or equal to the minimum"),
    "exclusiveMaximum": (
        lambda x, end: x >= end,
        "greater than or equal to the maximum",
    ),
}


class Fault(NamedTuple):
    """What is wrong with a value.

    Attributes:
      path: keys and numbers that lead to the value.
      text: what is wrong.
      allowed: what is allowed, or None.
      unknown: keys that the value must not have.
      known: keys that it may have.
    """

    path: tuple[Any, ...]
    text: str
    allowed: str | None
    unknown: tuple[str, ...] = ()
    known: tuple[str, ...] = ()


def faults(value: Any, schema: Any = SCHEMA, path: tuple = ()) -> Iterator[Fault]:
    """All that is wrong with a value."""
    if "$ref" in schema:
        name = schema["$ref"].removeprefix("#/$defs/")
        yield from faults(value, SCHEMA["$defs"][name], path)
        return
    note = schema.get("description")
    if "if" in schema:
        branch = "else" if any(faults(value, schema["if"], path)) else "then"
        yield from faults(value, schema[branch], path)
        return
    for word in ("oneOf", "anyOf"):
        if word in schema:
            yield from _alternatives(value, schema[word], path, note)
    if "enum" in schema and value not in schema["enum"]:
        yield Fault(path, f"{value!r} is not one of {schema['enum']}", note)
    if "type" in schema and not _is(value, schema["type"]):
        yield Fault(path, f"{value!r} is not of type {schema['type']!r}", note)
    elif isinstance(value, dict):
        yield from _of_table(value, schema, path, note)
    elif isinstance(value, list | tuple):
        if len(value) < schema.get("minItems", 0):
            yield Fault(path, f"{value!r} should be non-empty", note)
        for number, each in enumerate(value if "items" in schema else ()):
            yield from faults(each, schema["items"], (*path, number))
    elif _is(value, "number"):
        for word, (wrong, text) in _LIMITS.items():
            if word in schema and wrong(value, schema[word]):
                yield Fault(path, f"{value!r} is {text} of {schema[word]}", note)


def _of_table(
    value: dict, schema: dict[str, Any], path: tuple, note: str | None
) -> Iterator[Fault]:
    for name in schema.get("required", ()):
        if name not in value:
            yield Fault(path, f"{name!r} is a required property", note)
    if len(value) < schema.get("minProperties", 0):
        yield Fault(path, f"{value!r} should be non-empty", note)
    known, more = schema.get("properties", {}), schema.get("additionalProperties", {})
    unknown = tuple(name for name in value if name not in known)
    if more is False and unknown:
        names = ", ".join(map(repr, unknown))
        verb = "was" if len(unknown) == 1 else "were"
        text = f"Additional properties are not allowed ({names} {verb} unexpected)"
        yield Fault(path, text, note, unknown, tuple(known))
    for name, each in value.items():
        own = known.get(name, more or {})
        yield from faults(each, own, (*path, name))


def _alternatives(
    value: Any, schemas: list[Any], path: tuple, note: str | None
) -> Iterator[Fault]:
    """Nothing if one of several schemas fits, else what is wrong by the nearest."""
    result = [list(faults(value, schema, path)) for schema in schemas]
    if not all(result):
        return
    # That is the one whose type is right, if there is one.
    near = [
        each
        for each in result
        if each[0].path != path
        or not any(words in each[0].text for words in ("not of type", "not one of"))
    ]
    if len(near) == 1:
        yield near[0][0]
    else:
        text = f"{value!r} is not valid under any of the given schemas"
        yield Fault(path, text, note)


def _is(value: Any, kind: str) -> bool:
    if isinstance(value, bool) and kind != "boolean":
        return False
    whole = kind != "integer" or not isinstance(value, float) or value.is_integer()
    return isinstance(value, _TYPES[kind]) and whole
