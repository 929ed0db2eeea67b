"""Values of PerfTest's parameters, converted as PerfTest does: text that reads as a number is one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any, Final, NoReturn

from breakeven.errors import InputError, printable
from breakeven.workload.perftest.spec_keys import ALIASES, BYTES, KEYS, Key, Kind
from breakeven.workload.problems import did_you_mean, shown
from breakeven.workload.sizes import parse_size

#: how PerfTest says that there is no such limit, number or timeout
NONE: Final = -1
#: larger ones are no count, rate or size of anything
MOST: Final = 10**12
_WHOLE = re.compile(r"-?\d{1,13}")
_DECIMAL = re.compile(r"-?\d{1,13}(\.\d{1,9})?")


class SpecError(Exception):
    """A parameter that cannot be carried out: its key, value and remedy, but not where it stands."""

    def __init__(self, key: str, value: object, remedy: str) -> None:
        super().__init__(key, value, remedy)
        self.key, self.value, self.remedy = key, value, remedy

    def at(self, where: str, place: str, called: Mapping[str, str]) -> InputError:
        """The error as a person sees it.

        :param place: the scenario and parameter list that it stands in; empty on a command line
        :param called: what the person calls keys, such as ``-x``, where it is not their name
        """
        key = called.get(self.key, printable(self.key))
        return InputError(where, f"{place}.{key}" if place else key, shown(self.value), self.remedy)


def values_of(params: Mapping[str, Any]) -> dict[str, Any]:
    """Each parameter's value by its key, defaults filled in.

    :raises SpecError: an unknown key, one that is given twice by its aliases, or a value of another kind
    """
    found: dict[str, Any] = {}
    for written, value in params.items():
        key = ALIASES.get(written, written)
        if key not in KEYS:
            known = [*KEYS, *ALIASES]
            raise SpecError(
                written, value, f"no such parameter of PerfTest; {did_you_mean(written, known)}"
                "docs/perftest.md lists them"
            )  # fmt: skip
        if key in found:
            raise SpecError(written, value, f"is {key}, which is there, too; keep one of them")
        found[key] = converted(key, KEYS[key], value)
    return {**{key: each.default for key, each in KEYS.items()}, **found}


def converted(name: str, key: Key, value: Any) -> Any:
    """The value of a parameter as PerfTest reads it.

    :param name: what an error calls the parameter
    :raises SpecError: a value of another kind, or below 0 where that is not how PerfTest says "none"
    """
    try:
        found = _CONVERSIONS[key.kind](name, value)
    except SpecError as error:
        if key.kind not in ("count", "number"):
            raise
        unit = f" of {key.unit}" if key.unit else ""
        raise SpecError(name, value, f"{error.remedy}{unit}, such as {_example(key, value)}") from None
    if isinstance(found, int | float) and found < 0 and not (key.may_be_none and found == NONE):
        raise SpecError(
            name, value, f"must be at least 0{f', or {NONE} for none' if key.may_be_none else ''}"
        )
    return found


def _example(key: Key, value: Any) -> int:
    """Of bytes the size that was meant, where it can be read: 40KiB is 40960."""
    if key.unit == BYTES and isinstance(value, str):
        with suppress(ValueError):
            return parse_size(value)
    return key.example


def durations_of(key: str, entries: tuple[str, ...]) -> Iterator[tuple[float, float]]:
    """Values with their seconds, of entries such as ``100:300``.

    :raises SpecError: an entry of another form, a negative value, or no time at all
    """
    for entry in entries:
        value, colon, seconds = entry.partition(":")
        if not (colon and _DECIMAL.fullmatch(value) and _WHOLE.fullmatch(seconds)):
            raise SpecError(key, entry, "must be a value and its seconds, such as 100:300")
        if float(value) < 0 or int(seconds) < 1:
            raise SpecError(key, entry, "the value must be at least 0, and its seconds at least 1")
        yield float(value), float(seconds)


def _count(key: str, value: Any) -> int:
    if isinstance(value, str) and _WHOLE.fullmatch(value):
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > MOST:
        _refuse(key, value, "must be a whole number")
    return value


def _number(key: str, value: Any) -> float:
    if isinstance(value, str) and _DECIMAL.fullmatch(value):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) <= MOST:
        _refuse(key, value, "must be a number")
    return float(value)


def _flag(key: str, value: Any) -> bool:
    if isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    if not isinstance(value, bool):
        _refuse(key, value, "must be true or false")
    return value


def _text(key: str, value: Any) -> str:
    if not isinstance(value, str):
        _refuse(key, value, "must be text")
    return value


def _names(key: str, value: Any) -> tuple[str, ...]:
    several = value.split(",") if isinstance(value, str) else value
    if not isinstance(several, list) or not all(isinstance(each, str) for each in several):
        _refuse(key, value, "must be a list of texts")
    return tuple(each.strip() for each in several)


def _pairs(key: str, value: Any) -> dict[str, str]:
    """Of ``name=value,name=value``, or of an object."""
    if isinstance(value, dict):
        return {name: str(each) for name, each in value.items()}
    found: dict[str, str] = {}
    for pair in _names(key, value):
        name, equals, given = pair.partition("=")
        if not (equals and name):
            _refuse(key, pair, "must be names and values, such as x-queue-type=quorum")
        if found.setdefault(name, given) != given:
            _refuse(key, pair, f"contradicts {name}={found[name]} in front of it; keep one of them")
    return found


def _refuse(key: str, value: Any, remedy: str) -> NoReturn:
    raise SpecError(key, value, remedy)


_CONVERSIONS: Final[Mapping[Kind, Callable[[str, Any], Any]]] = {
    "count": _count,
    "number": _number,
    "flag": _flag,
    "text": _text,
    "names": _names,
    "pairs": _pairs,
}
