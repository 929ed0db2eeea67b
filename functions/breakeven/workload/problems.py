"""Pydantic's complaints about a suite in words: field path, the value found, and what would do instead.

What a field takes is read from the model's own JSON Schema, so no message can disagree with the model.
"""

from __future__ import annotations

import difflib
import re
import reprlib
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from breakeven.errors import InputError, printable
from breakeven.workload.fields import FAULT
from breakeven.workload.suite import Suite

Loc = tuple[int | str, ...]
Schema = Mapping[str, Any]

SCHEMA: Schema = Suite.model_json_schema()
KEY = "[key]"  # how pydantic marks that a mapping's key is at fault, not its value
PLAIN = re.compile(r"[-+]?[0-9]+(\.[0-9]*)?|true|false")
#: fields of a mapping, of which an error names all
FEW_FIELDS = 20
#: a value of which only the name was written
NOTHING = "nothing"
#: ends of the fields' names -> what their numbers are in
UNITS = {"s": "seconds", "ms": "milliseconds", "gb": "GB"}
NUMBERS = {"integer": "a whole number", "number": "a number"}


class _AsWritten(reprlib.Repr):
    """A value as YAML has it, abbreviated."""

    def repr_str(self, text: str, level: int) -> str:
        half = self.maxstring // 2 - 2
        return text if len(text) <= self.maxstring else f"{text[:half]}...{text[-half:]}"

    def repr_dict(self, value: Mapping[Any, Any], level: int) -> str:
        if level <= 0 and value:
            return "{...}"
        pairs = [f"{self.repr1(k, level - 1)}: {self.repr1(v, level - 1)}" for k, v in value.items()]
        more = ["..."] if len(pairs) > self.maxdict else []
        return f"{{{', '.join([*pairs[: self.maxdict], *more])}}}"

    def repr_bool(self, value: bool, level: int) -> str:
        return str(value).lower()

    def repr_NoneType(self, value: None, level: int) -> str:  # noqa: N802 (the library asks for it by type)
        return "null"


_as_written = _AsWritten()
_as_written.maxstring = _as_written.maxother = 80


def input_errors(where: str, document: object, error: ValidationError) -> list[InputError]:
    """One InputError a complaint, in the document's order."""
    return [_input_error(where, document, details) for details in error.errors(include_url=False)]


def empty_fields(where: str, document: object) -> list[InputError]:
    """One InputError a field of a valid suite of which only the name was written, or null.

    A model takes it as left out; whoever wrote the name may have forgotten the value.
    """
    return [
        InputError(
            where, _path(document, loc), NOTHING, f"must be {_allowed(_schema_at(loc))}; or leave it out"
        )
        for loc in _nulls(document, ())
    ]


def _nulls(node: object, loc: Loc) -> Iterator[Loc]:
    if node is None:
        yield loc
    pairs = node.items() if isinstance(node, Mapping) else enumerate(node) if isinstance(node, list) else ()
    for key, value in pairs:
        yield from _nulls(value, (*loc, key))


def did_you_mean(value: object, known: Sequence[str]) -> str:
    """``did you mean 'threads'? `` when a known word is close to the value; empty otherwise.

    One that differs in nothing but capitals comes first.
    """
    text = str(value)
    close = [each for each in known if each.lower() == text.lower()]
    close = close or difflib.get_close_matches(text, known, n=1)
    return f"did you mean {close[0]!r}? " if close else ""


def shown(value: object) -> object:
    """The value as it can stand in one line: short scalars as they are, the rest abbreviated."""
    short = len(value) <= 80 if isinstance(value, str) else isinstance(value, (bool, int, float, type(None)))
    return value if short else _as_written.repr(value)


def _input_error(where: str, document: object, details: ErrorDetails) -> InputError:
    loc, value = details["loc"], details["input"]
    context = details.get("ctx", {})
    if details["type"] == FAULT and "field" in context:
        value = value.get(context["field"]) if isinstance(value, Mapping) else None
        loc = (*loc, context["field"])
    elif details["type"] == "missing":
        value = None
    elif value is None:
        value = NOTHING
    return InputError(where, _path(document, loc), shown(value), _remedy(details, loc))


def _remedy(details: ErrorDetails, loc: Loc) -> str:
    value = details["input"]
    if details["type"] == FAULT:
        return details["msg"]
    if details["type"] == "extra_forbidden":
        return _no_such_field(loc)
    if details["type"] == "invalid_key":
        return "the name of a field is text"
    if loc and loc[-1] == KEY:
        return _key_remedy(loc)
    schema = _schema_at(loc)
    if details["type"] == "list_type" and isinstance(value, (str, int, float)):
        return f"must be a list: write [{shown(value)}]"
    hint = did_you_mean(value, _choices(schema)) if isinstance(value, str) else ""
    empty = details["type"] == "too_short" and _choices(schema)
    verb = "is required:" if details["type"] == "missing" else "must have at least" if empty else "must be"
    quotes = isinstance(value, str) and PLAIN.fullmatch(value) and _is_plain(_item(schema))
    quoted = ", without quotes" if quotes else ""
    return f"{hint}{verb} {_allowed(schema)}{_unit(loc, _item(schema))}{quoted}"


def _unit(loc: Loc, schema: Schema) -> str:
    """', in seconds', of a number whose field is named so, as a value with its unit is none."""
    field = next((part for part in reversed(loc) if isinstance(part, str)), "")
    unit = "" if field.endswith("_per_s") else UNITS.get(field.rpartition("_")[2], "")
    return f", in {unit}" if unit and schema.get("type") in NUMBERS and "allowed" not in schema else ""


def _no_such_field(loc: Loc) -> str:
    if loc[0] == "defaults" and loc[-1] in SCHEMA["$defs"]["Scenario"]["properties"]:
        return "has no default; give it in each scenario that needs it"
    known = list(_schema_at(loc[:-1]).get("properties", {}))
    meant = f"{_lookalike(str(loc[-1]))}{did_you_mean(loc[-1], known)}"
    there = f"there are {', '.join(known)}" if len(known) <= FEW_FIELDS else "docs/suites.md lists them"
    return f"no such field; {meant.rstrip() if '?' in meant else meant + there}"


def _lookalike(name: str) -> str:
    """Of a character that may look like a letter of the field's name and is another."""
    other = next((character for character in name if not character.isascii()), "")
    return f"its {other!r} is {unicodedata.name(other, f'U+{ord(other):04X}')}; " if other else ""


def _key_remedy(loc: Loc) -> str:
    mapping = _schema_at(loc[:-2])
    names: Schema = mapping.get("propertyNames", {})
    return f"{did_you_mean(loc[-2], _choices(names))}the name must be {_allowed(names)}"


def _allowed(schema: Schema) -> str:
    """What the schema takes, in words."""
    if "allowed" in schema:
        return str(schema["allowed"])
    if choices := _choices(schema):
        return f"one of {', '.join(choices)}" if len(choices) > 1 else choices[0]
    kind = schema.get("type")
    if kind in NUMBERS:
        return f"{NUMBERS[kind]} from {schema['minimum']} to {schema['maximum']}"
    if kind == "boolean":
        return "true or false"
    if kind == "array":
        item, several = _allowed(_resolved(schema["items"])), f"a list of 1 to {schema['maxItems']}"
        return (
            f"{several}, each {item}"
            if item.startswith("a mapping")
            else f"{item} ({several} different ones)"
        )
    return f"a mapping of {', '.join(schema.get('properties', {})) or 'names, at least one'}"


def _is_plain(schema: Schema) -> bool:
    """A number or boolean, which YAML reads as text when it is quoted; a size may be text."""
    kind = schema.get("type")
    return kind == "number" or (kind in {*NUMBERS, "boolean"} and "allowed" not in schema)


def _choices(schema: Schema) -> list[str]:
    return [str(value) for value in _item(schema).get("enum", ())]


def _item(schema: Schema) -> Schema:
    return _resolved(schema["items"]) if schema.get("type") == "array" else schema


def _schema_at(loc: Loc) -> Schema:
    schema = SCHEMA
    for part in loc:
        schema = _resolved(_step(schema, part))
    return schema


def _step(schema: Schema, part: int | str) -> Schema:
    if schema.get("type") == "array":
        return schema["items"] if isinstance(part, int) else {}
    if part in schema.get("properties", {}):
        return schema["properties"][part]  # type: ignore[no-any-return]
    values = [*schema.get("patternProperties", {}).values(), schema.get("additionalProperties")]
    return next((value for value in values if isinstance(value, Mapping)), {})


def _resolved(schema: Schema) -> Schema:
    """References followed, and the null of optional fields left out."""
    if "anyOf" in schema:
        schema = next(option for option in schema["anyOf"] if option.get("type") != "null")
    if "$ref" in schema:
        schema = SCHEMA["$defs"][schema["$ref"].rsplit("/", 1)[-1]]
    return schema


def _path(document: object, loc: Loc) -> str:
    """``scenarios.parallel.threads.2``; a single value that stands for a list has no index."""
    parts: list[str] = []
    node: Any = document
    for part in loc:
        if part == KEY or (isinstance(part, int) and not isinstance(node, (list, Mapping))):
            continue
        parts.append(printable(str(part)))
        try:
            node = node[part]
        except (KeyError, IndexError, TypeError):
            node = None
    return ".".join(parts) or "suite"
