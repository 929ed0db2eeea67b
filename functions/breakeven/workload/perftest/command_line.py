"""PerfTest's command line as the parameters of its spec files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Final

from breakeven.errors import InputError, printable, together
from breakeven.workload.perftest.command_options import BY_NAME, COMMAND, SECRET, Option
from breakeven.workload.perftest.spec_keys import Key
from breakeven.workload.perftest.spec_notes import Note
from breakeven.workload.perftest.spec_values import SpecError, converted
from breakeven.workload.problems import shown

ID: Final = ("-d", "--id")
QUORUM: Final = ("-qq", "--quorum-queue")
#: of a long name's letters, how many of a slip of the pen are the same
NEAR: Final = 0.75


@dataclass(slots=True)
class CommandLine:
    """What a command line asks for: parameters by the keys of spec files, and the options that gave them."""

    params: dict[str, Any]
    called: dict[str, str]
    notes: list[Note]
    name: str = "perftest"
    #: argument of queues -> its value, and the option that gave it
    arguments: dict[str, tuple[str, str]] = field(default_factory=dict)


def read_options(words: Sequence[str]) -> CommandLine:
    """The parameters of PerfTest's options; every fault is named.

    :raises InputError: an unknown option, one without its value, or one that cannot be carried out
    """
    line, faults = CommandLine({}, {}, []), []
    pairs = _Words(words)
    for name, value in pairs:
        try:
            _take(line, name, value, pairs)
        except InputError as error:
            faults.append(error)
    if faults:
        raise together(faults)
    return line


class _Words:
    """Goes through the words: an option, and what stands behind ``=``; a value that follows is asked for."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = list(reversed(words))

    def __iter__(self) -> Iterator[tuple[str, str | None]]:
        while self._words:
            name, equals, value = self._words.pop().partition("=")
            yield name, value if equals else None

    def following(self, name: str) -> str:
        """:raises InputError: there is none"""
        if not self._words:
            raise InputError(COMMAND, name, None, "needs a value after it")
        return self._words.pop()

    def skip_values(self) -> None:
        """Up to the next option: what follows one that is not known may be its value."""
        while self._words and not self._words[-1].startswith("-"):
            self._words.pop()


def _take(line: CommandLine, name: str, value: str | None, words: _Words) -> None:
    option = BY_NAME.get(name)
    if option is None and name not in {*ID, *QUORUM}:
        words.skip_values()
        raise _unknown(name)
    if name in QUORUM or (option and option.takes == "none"):
        if value is not None:
            raise InputError(COMMAND, name, shown(value), "takes no value; leave that out")
        given = "true"
    else:
        given = value if value is not None else words.following(name)
    if option is None:
        (_take_id if name in ID else _take_quorum)(line, name, given)
    elif isinstance(option.key, Key):
        _command_only(line, name, option, given)
    elif option.key == "queue-arguments":
        _add_arguments(line, name, given)
    elif option.takes == "many":
        _add(line, name, option.key, given)
    elif option.key in line.params:
        raise InputError(COMMAND, name, shown(given), "is there twice; keep one of them")
    else:
        line.params[option.key], line.called[option.key] = given, name


def _unknown(name: str) -> InputError:
    text = printable(name)
    if not name.startswith("-"):
        return InputError(COMMAND, text, None, "belongs to no option; PerfTest's options begin with -")
    hint = f"did you mean {meant!r}? " if (meant := _meant(name)) else ""
    return InputError(COMMAND, text, None, f"no such option of PerfTest; {hint}docs/perftest.md lists them")


def _meant(name: str) -> str:
    """The option that is spelt nearly so; empty where none is. Of a short name only its case may differ."""
    known = [*BY_NAME, *ID, *QUORUM]
    other_case = [each for each in known if each.lower() == name.lower()]
    long = {each.lstrip("-"): each for each in known if each.startswith("--")}
    near = get_close_matches(name.lstrip("-"), long, n=1, cutoff=NEAR)
    return next(iter([*other_case, *(long[each] for each in near)]), "")


def _take_id(line: CommandLine, name: str, given: str) -> None:
    if ID[0] in line.called:
        raise InputError(COMMAND, name, shown(given), "is there twice; keep one of them")
    line.name, line.called[ID[0]] = given, name


def _take_quorum(line: CommandLine, name: str, _: str) -> None:
    _add_arguments(line, name, "x-queue-type=quorum")
    _add(line, name, "flags", "persistent")


def _command_only(line: CommandLine, name: str, option: Option, given: str) -> None:
    assert isinstance(option.key, Key)
    if given == str(option.key.default):
        return
    value = "(not shown)" if option.long in SECRET else given
    if option.key.outcome == "refused":
        raise InputError(COMMAND, name, None if option.takes == "none" else shown(value), option.key.reason)
    try:
        converted(name, option.key, given)
    except SpecError as error:
        raise error.at(COMMAND, "", {}) from None
    line.notes.append(Note(name, value, option.key.reason))


def _add_arguments(line: CommandLine, name: str, given: str) -> None:
    """Arguments of queues, to those before.

    :raises InputError: one of them has another value already: PerfTest takes the last, whichever that is
    """
    for pair in given.split(","):
        key, _, value = (part.strip() for part in pair.partition("="))
        before, option = line.arguments.setdefault(key, (value, name))
        if before != value:
            remedy = f"contradicts {option}, by which it is {key}={before}; keep one of them"
            raise InputError(COMMAND, name, shown(pair.strip()), remedy)
    _add(line, name, "queue-arguments", given)


def _add(line: CommandLine, name: str, key: str, given: str) -> None:
    """To what has been given before, by the same option or by ``-qq``, which stands for several."""
    before = line.params.get(key)
    line.params[key] = f"{before},{given}" if before else given
    if name not in QUORUM or key not in line.called:
        line.called[key] = name
