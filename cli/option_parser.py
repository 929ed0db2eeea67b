"""Parser of the command line: what is wrong with an option is one line, in the words of all errors."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from breakeven.words import listing
from breakeven.workload.problems import did_you_mean, shown
from cli.exit_codes import BAD_INPUT

#: as people write numbers: Python's own reading takes underscores and other scripts' digits, too
WHOLE = re.compile(r"[-+]?[0-9]+")
DECIMAL = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?|[-+]?(inf|nan)")
#: how argparse begins what it says of arguments that are not there
REQUIRED = "the following arguments are required"
#: what argparse says, and how errors say it here
LIBRARY_WORDS = (
    (
        r"argument (.*?): expected one argument",
        r"\1: needs a value after it; one that begins with - is written \1=-1",
    ),
    (r"argument (.*?): ignored explicit argument (.*)", r"\1: \2: takes no value; leave that out"),
    (rf"{REQUIRED}: (.*), (.*)", r"\1, \2: are required"),
    (rf"{REQUIRED}: (.*)", r"\1: is required"),
    (r"argument (.*)", r"\1"),
)


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line and not the usage; options' names are whole, and there once."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **{"allow_abbrev": False, **options})
        self.names: list[str] = ["-h", "--help"]
        #: a whole command, for whoever left out its arguments
        self.example = ""
        #: what people may call an option -> its name
        self.meant: dict[str, str] = {}
        #: of a command's name, where there are several commands
        self.commands: Mapping[str, Parser] = {}
        self.register("action", None, Once)
        self.register("action", "store", Once)

    def add_argument(self, *names: Any, **options: Any) -> argparse.Action:
        """As argparse's, and keeps the options' names."""
        action = super().add_argument(*names, **options)
        if hasattr(self, "names"):  # argparse adds --help before there are any
            self.names += action.option_strings
        return action

    def error(self, message: str) -> NoReturn:
        said = message
        for theirs, ours in LIBRARY_WORDS:
            said, changed = re.subn(f"^{theirs}$", ours, said, flags=re.DOTALL)
            if changed:
                break
        help_too = "" if "; " in said else f"; see {self.prog} --help"
        if self.example and message.startswith(REQUIRED):
            help_too = f", such as: {self.example}"
        self.exit(BAD_INPUT, f"error: {self.prog}: {said}{help_too}\n")

    def _print_message(self, message: str, file: Any = None) -> None:
        """As argparse's, of which help and version pass over an output that takes no more.

        :raises OSError: standard output cannot be written
        """
        if file is sys.stdout:
            print(message, end="", file=file, flush=True)
        else:
            super()._print_message(message, file)

    def refuse_unknown(
        self, words: list[str], hint: str = "", of_others: Mapping[str, Sequence[str]] | None = None
    ) -> NoReturn:
        """Ends the command: words that belong to no option.

        :param hint: what helps whoever gave them to this command
        :param of_others: option -> the other commands that have it
        """
        name = next((word for word in words if word.startswith("-")), words[0]).partition("=")[0]
        if not name.startswith("-"):
            self.error(f"{shown(name)!r}: is one argument too many; leave it out{hint}")
        meant = self.meant.get(name)
        commands = (of_others or {}).get(name, ())
        if hint:
            close = ""
        elif commands and not meant:
            close = f"{listing(commands)} {'has' if len(commands) == 1 else 'have'} it; "
        else:
            close = f"did you mean {meant!r}? " if meant else did_you_mean(name, self.names)
        self.error(f"{shown(name)}: no such option; {close}see {self.prog} --help{hint}")


class Once(argparse.Action):
    """Keeps an option's value; a second one is refused, as only one could hold."""

    given: object = None

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: Any = None
    ) -> None:
        if option is not None and self.given is not None:
            raise argparse.ArgumentError(
                self,
                f"{_written(values)}: is given twice, with {_written(self.given)} before; keep one of them",
            )
        self.given = values
        setattr(namespace, self.dest, values)


def _written(value: object) -> str:
    return repr(shown(value if isinstance(value, str | int | float) else str(value)))


def one_of(*known: str) -> Callable[[str], str]:
    """The type of an option that takes one of these words."""

    def chosen(text: str) -> str:
        if text not in known:
            remedy = f"{did_you_mean(text, known)}must be one of {', '.join(known)}"
            raise argparse.ArgumentTypeError(f"{shown(text)!r}: {remedy}")
        return text

    return chosen


def whole_number(text: str) -> int:
    """The type of an option that takes a whole number."""
    if not WHOLE.fullmatch(text) or len(text) > 30:
        raise argparse.ArgumentTypeError(
            f"{shown(text)!r}: must be a whole number, such as 1; or leave it out"
        )
    return int(text)


def number_such_as(example: str) -> Callable[[str], float]:
    """The type of an option that takes a number; whether it is one of those that do is for the command."""

    def number(text: str) -> float:
        if not DECIMAL.fullmatch(text):
            raise argparse.ArgumentTypeError(f"{shown(text)!r}: must be a number, such as {example}")
        return float(text)

    return number
