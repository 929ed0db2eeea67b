"""The errors that a person sees: each names what is wrong, the value found, and what would do."""

from __future__ import annotations

import errno
import re
import reprlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # a node of EC2 reads this module without pydantic
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

MAX_REPORTED = 20
#: characters of a value, of which an error shows both ends where there are more; a path may have many
MAX_SHOWN = 600
#: what pydantic says, and how errors say it here
LIBRARY_WORDS = {
    "Input should be ": "must be ",
    ", unable to parse string as a number": "",
    ", unable to parse string as an integer": "",
    "Extra inputs are not permitted": "no such field; leave it out",
    "Field required": "is required",
    "Value error, ": "",
    "greater than or equal to": "at least",
    "less than or equal to": "at most",
    "greater than": "over",
    "less than": "under",
    "a valid number": "a number",
    "a valid integer": "a whole number",
    "a valid string": "text",
    "a valid boolean": "true or false",
    "a valid list": "a list",
    "a valid tuple": "a list",
    "a valid array": "a list",
    ", got a number with a fractional part": "",
    r"String should match pattern '^\d{4}-\d{2}-\d{2}$'": "must be a date such as 2026-11-20",
    "String should match pattern": "must match the pattern",
    "String should have": "must have",
}

_short = reprlib.Repr()
_short.maxstring = 80


class BreakevenError(Exception):
    """Base of every error that is reported without a traceback."""


class InputError(BreakevenError):
    """Bad input. Exit code 2; nothing has been started when it is raised.

    :param where: the file or option that holds the value, such as ``scenarios/quick.yaml``
    :param field: the field's path, such as ``scenarios.parallel.threads``
    :param value: the value found, as read; None where there is none
    :param remedy: what would do instead
    """

    def __init__(self, where: str, field: str, value: object, remedy: str) -> None:
        self.where, self.field, self.value, self.remedy = where, field, value, remedy
        found = "" if value is None else f"{_shortened(repr(value))}: "
        super().__init__(f"{where}: {field}: {found}{remedy}")


def _shortened(text: str) -> str:
    half = MAX_SHOWN // 2
    return text if len(text) <= MAX_SHOWN else f"{text[:half]}...{text[-half:]}"


class MultipleInputError(InputError):
    """Several bad values at once, reported one a line; ``where`` to ``remedy`` are the first one's."""

    def __init__(self, errors: Sequence[InputError]) -> None:
        first = errors[0]
        super().__init__(first.where, first.field, first.value, first.remedy)
        self.errors = tuple(errors)

    def __str__(self) -> str:
        return "\n".join(str(error) for error in self.errors)


def together(errors: Sequence[InputError]) -> InputError:
    """One error that says them all, at most 20 of them; ``errors`` must not be empty."""
    if len(errors) == 1:
        return errors[0]
    if len(errors) > MAX_REPORTED:
        rest = len(errors) - MAX_REPORTED
        more = InputError(errors[0].where, "and more", rest, "further faults; mend these first")
        errors = [*errors[:MAX_REPORTED], more]
    return MultipleInputError(errors)


def in_words(complaint: str) -> str:
    """A complaint of pydantic's as a remedy."""
    for theirs, ours in LIBRARY_WORDS.items():
        complaint = complaint.replace(theirs, ours)
    return re.sub(r"a valid dictionary( or instance of \w+)?", "an object", complaint)


def first_fault(error: ValidationError, whole: str) -> tuple[str, ErrorDetails, str]:
    """What pydantic complains of first: the field, its details, and the complaint as a remedy.

    :param whole: what the field is called where it is the document itself
    """
    first = error.errors()[0]
    return ".".join(printable(str(part)) for part in first["loc"]) or whole, first, in_words(first["msg"])


def printable(name: str) -> str:
    """A field's name as it can stand in a path, whatever somebody wrote as a key."""
    return name if name and name.isprintable() and len(name) <= _short.maxstring else _short.repr(name)


def check_regular(path: Path) -> None:
    """A pipe would be waited for without end, and a device has none.

    :raises OSError: there is no such file, or it is not a regular one
    """
    if not path.is_file():
        path.stat()
        raise OSError(errno.EINVAL, "is not a regular file")


class SelfTestFailedError(InputError):
    """The run that is to be resumed is complete, and its self-test failed. Exit code 5, as that run's."""


class CaseError(BreakevenError):
    """A case that cannot go on; it becomes the case's recorded reason and the run continues."""


class NoRoomYetError(CaseError):
    """The account's quota has no room, perhaps as instances are still on their way out: to be tried again."""


class LoaderAborted(CaseError):
    """The case was ended by someone else (another loader failed, or the run was stopped)."""


class LockHeldError(BreakevenError):
    """Another run goes on, or has left something that does; this one has started nothing."""
