"""The ``breakeven`` command: which command is asked for, and what its errors are as lines and exit codes."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import select
import sys
import tempfile
from collections.abc import Sequence
from importlib import import_module
from itertools import chain, pairwise

from breakeven.errors import BreakevenError, InputError, SelfTestFailedError
from breakeven.version import VERSION
from breakeven.workload.problems import did_you_mean, shown
from cli.command_name import command
from cli.exit_codes import BAD_INPUT, FAILED, NOT_READ, SELF_TEST_FAILED
from cli.input_flags import in_flags
from cli.option_parser import Parser
from cli.terminal import printable

#: command -> what helps whoever gave it an option that it does not have
HINTS = {"perftest": f"; PerfTest's own options stand behind --, as in: {command('perftest -- -x 1 -y 2')}"}
#: in the order of the help, each with its module
COMMANDS = {
    "run": "cli.running.run_command",
    "plan": "cli.plan_command",
    "perftest": "cli.perftest.perftest_command",
    "report": "cli.report_command",
    "compare": "cli.compare_command",
    "trend": "cli.trend_command",
    "crossover": "cli.crossover.crossover_command",
    "calculator": "cli.calculator_command",
    "doctor": "cli.doctor.doctor_command",
}


#: where a path that is given belongs to somebody else
CLOSED_TO_US = {errno.EACCES, errno.EPERM}
#: what this machine may run out of, whatever is asked of it
NO_ROOM = {errno.ENOSPC, errno.EDQUOT}
FULL = {*NO_ROOM, errno.EFBIG, errno.EROFS, errno.EMFILE, errno.ENFILE, errno.ENOMEM}


def parser(asked: str | None = None) -> Parser:
    """Of the command asked for, or of all: what the others import would only be waited for."""
    root = Parser(
        prog="breakeven",
        description="At what traffic does your own RabbitMQ become cheaper than Amazon SQS?",
    )
    root.add_argument("--version", action="version", version=f"%(prog)s {VERSION}")
    commands = root.add_subparsers(dest="command", required=True, metavar=f"{{{','.join(COMMANDS)}}}")
    for name in [asked] if asked in COMMANDS else () if asked == "--version" else COMMANDS:
        import_module(COMMANDS[name]).add_parser(commands)
    root.commands = commands.choices
    return root


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code; errors are one clear line each, on standard error."""
    is_closed = sys.stdout is None
    _open_what_is_closed()
    if is_closed:  # before anything is started whose answer would be lost
        _say("standard output: is closed; leave it open, or send it to a file, or to /dev/null")
        return FAILED
    words = sys.argv[1:] if arguments is None else list(arguments)
    try:
        return _run(words)
    except BrokenPipeError:
        if _is_read():
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return NOT_READ
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            _say(f"{error.filename[:80]}...: {error.strerror}; give another path")
            return BAD_INPUT
        if error.errno in CLOSED_TO_US and error.filename:
            _say(f"{error.filename}: {error.strerror}; give another path, or have its owner let you in")
            return BAD_INPUT
        if error.errno not in FULL:
            raise
        where = error.filename or ("standard output" if _is_output_full() else tempfile.gettempdir())
        _say(f"{where}: {error.strerror}")
        return FAILED


def _run(words: Sequence[str]) -> int:
    """:raises OSError: what is printed cannot be written, or the machine has no room or no memory"""
    root = parser(words[0] if words else None)
    _check_command(root, words)
    parsed, unknown = root.parse_known_args(words)
    if unknown:
        hint = HINTS.get(parsed.command, "")
        root.commands[parsed.command].refuse_unknown(unknown, hint, _of_others(parsed.command))
    try:
        _check_none_is_empty(words)
        code: int = parsed.run(parsed)
        sys.stdout.flush()
        return code
    except BreakevenError as error:
        for line in str(
            in_flags(error, parsed.command) if isinstance(error, InputError) else error
        ).splitlines():
            _say(line)
        return _code_of(error)


def _of_others(command: str) -> dict[str, list[str]]:
    """Option -> the commands that have it, but this one."""
    others = {name: one.names for name, one in parser().commands.items() if name != command}
    options = dict.fromkeys(chain.from_iterable(others.values()))
    return {option: [name for name, has in others.items() if option in has] for option in options}


def _code_of(error: BreakevenError) -> int:
    if isinstance(error, SelfTestFailedError):
        return SELF_TEST_FAILED
    no_room = isinstance(error.__cause__, OSError) and error.__cause__.errno in NO_ROOM
    return BAD_INPUT if isinstance(error, InputError) and not no_room else FAILED


def _check_command(root: Parser, words: Sequence[str]) -> None:
    """Ends the command where the first word is no command, or an option that none has."""
    if not words or words[0] in COMMANDS:
        return
    name = words[0].partition("=")[0]
    if not name.startswith("-"):
        remedy = f"{did_you_mean(name, list(COMMANDS))}commands are {', '.join(COMMANDS)}"
        root.error(f"command: {shown(name)!r}: no such command; {remedy}")
    if name not in root.names:
        root.refuse_unknown([name])


def _open_what_is_closed() -> None:
    """A stream that was closed (``2>&-``) goes nowhere, and no file that is opened later gets its number.
    A character that the encoding of the output lacks is written by its number."""
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, os.fdopen(_devnull_at(number), mode, encoding="utf-8"))
        elif isinstance(stream, io.TextIOWrapper) and mode == "w" and stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")


def _devnull_at(number: int) -> int:
    opened = os.open(os.devnull, os.O_RDWR)
    if opened != number:
        os.dup2(opened, number)
        os.close(opened)
    return number


def _say(line: str) -> None:
    """An error; where not even that can be written, the exit code says it alone."""
    with contextlib.suppress(OSError):
        print(f"error: {printable(line)}", file=sys.stderr)


def _is_output_full() -> bool:
    """Asked once a write has failed: of a file without a name, or of what the command prints?"""
    try:
        print(flush=True)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return True
    return False


def _is_read() -> bool:
    """Does anybody still read the output? ``head`` has had enough."""
    output = select.poll()
    output.register(sys.stdout, 0)
    return not any(event & select.POLLERR for _, event in output.poll(0))


def _check_none_is_empty(words: Sequence[str]) -> None:
    """An empty value is a script's variable that is not set, and would be taken for an option left out.

    :raises InputError: naming the flag
    """
    for before, word in pairwise(words):
        flag, equals, value = word.partition("=") if word.startswith("--") else (before, "=", word)
        if equals and not value.strip():
            named = flag if flag.startswith("--") else "argument"
            raise InputError(f"breakeven {words[0]}", named, value, "is empty; give a value, or leave it out")
