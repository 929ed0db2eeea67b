"""The text of PerfTest's spec files: lenient JSON, with single quotes, bare words and comments.

Source: PerfTest's ``PerfTestMulti`` reads them with ``new Gson().fromJson``, whose reader is lenient
(https://www.javadoc.io/doc/com.google.code.gson/gson/latest/com.google.gson/com/google/gson/stream/JsonReader.html).
Files that lack the list's brackets, as fragments in articles do, are read as if they had them.
"""

from __future__ import annotations

import re
from typing import Any, Final, NoReturn

from breakeven.errors import InputError

#: levels of lists and objects: a spec file needs six
MAX_DEPTH = 20
_BLANK = re.compile(r"(?:\s|//[^\n]*|#[^\n]*|/\*.*?\*/)*", re.DOTALL)
#: ends a word without quotes
_WORD = re.compile(r"[^\s,:;=\[\]{}'\"/\\#]+")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,17})(?:\.\d{1,18})?(?:[eE][-+]?\d{1,3})?")
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "\n": "\n"}
_WORDS: Final = {"true": True, "false": False, "null": None}
_CLOSING: Final = {"[": "]", "{": "}"}


def parse_spec(text: str, where: str) -> list[Any]:
    """The scenarios of a spec file as plain values, none of them checked.

    :param where: what messages call the file
    :raises InputError: a fault of its syntax, with line and column, or lists and objects nested too deep
    """
    reader = _Reader(text, where)
    return reader.scenarios()


class _Reader:
    """Reads one text from its beginning to its end."""

    def __init__(self, text: str, where: str) -> None:
        self._text, self._where, self._at = text, where, 0

    def scenarios(self) -> list[Any]:
        if self._peek() == "[":
            self._at += 1
            found = self._list(depth=1)
            if self._peek():
                self._fail("nothing may follow the list")
            return found
        found = []
        while self._peek():
            found.append(self._value(depth=1))
            if self._peek() == ",":
                self._at += 1
            elif self._peek():
                self._fail("expected a comma between scenarios")
        return found

    def _value(self, depth: int) -> Any:
        first = self._peek()
        if first in _CLOSING:
            if depth >= MAX_DEPTH:
                self._fail(f"nested too deep; a spec file needs six levels, and {MAX_DEPTH} are read")
            self._at += 1
            return self._list(depth + 1) if first == "[" else self._object(depth + 1)
        if first in ("'", '"'):
            return self._quoted()
        return self._bare()

    def _list(self, depth: int) -> list[Any]:
        found: list[Any] = []
        while not self._closed("]"):
            found.append(self._value(depth))
            self._separate("]")
        return found

    def _object(self, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while not self._closed("}"):
            start = self._at
            key = self._quoted() if self._peek() in ("'", '"') else self._word()
            if key in found:
                self._at = start
                self._fail(f"the key {key!r} is there twice")
            if self._peek() not in (":", "="):
                self._fail(f"expected a colon behind the key {key!r}")
            self._at += 1
            found[key] = self._value(depth)
            self._separate("}")
        return found

    def _separate(self, closing: str) -> None:
        """A comma or semicolon, of which the last may be left out; or what closes."""
        if self._peek() in (",", ";"):
            self._at += 1
        elif self._peek() != closing:
            self._fail(f"expected a comma or {closing!r}")

    def _closed(self, closing: str) -> bool:
        if self._peek() != closing:
            return False
        self._at += 1
        return True

    def _quoted(self) -> str:
        quote, start = self._peek(), self._at
        self._at += 1
        parts: list[str] = []
        while (character := self._text[self._at : self._at + 1]) != quote:
            if character in ("", "\n"):
                self._at = start
                self._fail("this text is not closed by its quote on the same line")
            parts.append(self._escape() if character == "\\" else character)
            self._at += 1
        self._at += 1
        return "".join(parts)

    def _escape(self) -> str:
        """What a backslash and what follows stand for; ends on the last character of it."""
        self._at += 1
        character = self._text[self._at : self._at + 1]
        if character != "u":
            return _ESCAPES.get(character, character)
        digits = self._text[self._at + 1 : self._at + 5]
        if not re.fullmatch(r"[0-9a-fA-F]{4}", digits):
            self._fail("expected four hexadecimal digits behind \\u")
        self._at += 4
        return chr(int(digits, 16))

    def _bare(self) -> Any:
        word = self._word()
        if word in _WORDS:
            return _WORDS[word]
        if _NUMBER.fullmatch(word):
            return float(word) if any(mark in word for mark in ".eE") else int(word)
        return word

    def _word(self) -> str:
        self._peek()
        match = _WORD.match(self._text, self._at)
        if match is None:
            self._fail("expected a value" if self._peek() else "the file ends in the middle")
        self._at = match.end()
        return match[0]

    def _peek(self) -> str:
        """The next character that is neither blank nor of a comment; empty at the end."""
        blank = _BLANK.match(self._text, self._at)
        assert blank is not None  # it matches the empty text, too
        self._at = blank.end()
        return self._text[self._at : self._at + 1]

    def _fail(self, remedy: str) -> NoReturn:
        before = self._text[: self._at]
        line, column = before.count("\n") + 1, self._at - (before.rfind("\n") + 1) + 1
        rest = self._text[self._at :].split("\n", 1)[0][:40].rstrip()
        found = "".join(each if each.isprintable() else " " for each in rest) or "end of line"
        raise InputError(self._where, f"line {line}, column {column}", found, remedy)
