"""JSON that people write or edit: its document, or what is wrong with it, where, and what to do about it."""

from __future__ import annotations

import json
import re
from typing import Any

from breakeven.errors import InputError
from breakeven.workload.problems import shown

#: characters of the text at fault that an error shows
MOST_SHOWN = 40
NOT_JSON = "is not JSON"
#: how the library's complaint begins -> what would do
REMEDIES = {
    "Expecting property name": "the name of a field is missing here; write it in double quotes",
    "Expecting ':'": "a colon is missing between a field's name and its value",
    "Expecting ','": "a comma or a closing bracket is missing before it",
    "Expecting value": "a value is missing here; text needs double quotes around it",
    "Extra data": "the document has ended before it; remove what follows",
    "Illegal trailing comma": "a comma stands before a closing bracket; remove the comma",
    "Invalid \\uXXXX": "\\u stands before four hexadecimal digits; write \\\\ for a backslash",
    "Invalid \\": "a backslash stands before a character that needs none; write \\\\ for a backslash",
    "Invalid control character": "text has no line breaks or tabs; write \\n or \\t for them",
    "Unterminated string": "text has no closing double quotation mark, or the file was cut off",
}


#: what stands where a value is missing -> what would do, of words and numbers that other languages have
NO_VALUES = {
    r"(True|False|None)\b": "JSON's words are true, false and null",
    r"[-+]?\.?[0-9]": "a number begins with a digit, or a minus sign and a digit, as in 0.5 and -1",
    "'": "text needs double quotes around it, not single ones",
}


class JsonFault(ValueError):
    """Text that is no JSON.

    :param place: the line and column, such as ``line 2, column 13``, or the field
    :param found: what is there, shortened
    :param remedy: what is wrong with it, and what would do
    """

    def __init__(self, place: str, found: str, remedy: str) -> None:
        self.place, self.found, self.remedy = place, found, remedy
        super().__init__(f"{place}: {found!r}: {remedy}")

    def of_file(self, where: str, what: str) -> InputError:
        """As an error of bad input.

        :param where: the file
        :param what: what to give instead, such as ``give a price book``
        """
        return InputError(where, self.place, self.found, f"{self.remedy}; {what}")


def parse_json(raw: bytes) -> Any:
    """The document that the text holds, in UTF-8, with or without a byte order mark.

    NaN and Infinity, which are no JSON, are read as what Python's library writes so.

    :raises JsonFault: it is no JSON, is nested too deeply, or an object has a field twice
    """
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        found = f"0x{raw[error.start]:02x}"
        raise JsonFault(f"byte {error.start}", found, f"{NOT_JSON}, which is text in UTF-8") from None
    try:
        return json.loads(text, object_pairs_hook=_each_once)
    except JsonFault:
        raise
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise JsonFault(place, _found(text, error.pos), f"{NOT_JSON}: {_remedy(text, error)}") from None
    except RecursionError:
        raise JsonFault("file", "nesting", f"{NOT_JSON} that can be read: it is nested too deeply") from None
    except ValueError:  # Python's limit on digits, which says no place
        remedy = f"{NOT_JSON} that can be read: a number has thousands of digits"
        raise JsonFault("file", "number", remedy) from None


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; of two values under one name either might be meant.

    :raises JsonFault: a name is there twice
    """
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise JsonFault("field", str(shown(twice)), "is there twice; keep one of them")
    return found


def _found(text: str, at: int) -> str:
    """What stands there up to the end of the line."""
    if not text[at:].strip():
        return "end of file"
    line = (text[at:].splitlines() or [""])[0].rstrip() or "end of line"
    return line if len(line) <= MOST_SHOWN else f"{line[: MOST_SHOWN - 3]}..."


def _remedy(text: str, error: json.JSONDecodeError) -> str:
    before, there = text[: error.pos].rstrip(), text[error.pos :].lstrip()
    if not text.strip():
        return "the file is empty"
    if not there:
        return "the file ends before the document does; it may have been cut off"
    if there.startswith(("//", "/*", "#")):
        return "JSON has no comments; remove it"
    if before.endswith(",") and there.startswith(("}", "]")):
        return REMEDIES["Illegal trailing comma"]
    complaints = (ours for theirs, ours in REMEDIES.items() if error.msg.startswith(theirs))
    return _no_value(text, error) or next(complaints, error.msg)


def _no_value(text: str, error: json.JSONDecodeError) -> str:
    """Of a word or number as other languages have it; else empty."""
    before, there = text[: error.pos], text[error.pos :]
    if re.search(r"(?<![0-9.])0$", before) and there[0].isdigit():
        return "a number has no zeros before it"
    if not error.msg.startswith("Expecting value"):
        return ""
    return next((ours for looks, ours in NO_VALUES.items() if re.match(looks, there)), "")
