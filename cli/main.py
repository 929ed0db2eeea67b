"""The ``breakeven`` command.

Exit codes: 0 all well; 1 the run itself failed; 2 bad input, nothing was started; 3 some cases failed
and the report was written; 4 a run on AWS goes on, and could not be followed to its end; 130 interrupted,
what was measured was kept.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

from breakeven.errors import BreakevenError, InputError

BAD_INPUT, FAILED = 2, 1
#: in the order of the help, each with its module
COMMANDS = {
    "run": "cli.running.run_command",
    "plan": "cli.plan_command",
    "report": "cli.report_command",
    "crossover": "cli.crossover.crossover_command",
    "doctor": "cli.doctor.doctor_command",
}


def parser(asked: str | None = None) -> argparse.ArgumentParser:
    """Of the command asked for, or of all: what the others import would only be waited for."""
    root = argparse.ArgumentParser(
        prog="breakeven",
        description="At what traffic does your own RabbitMQ become cheaper than Amazon SQS?",
    )
    commands = root.add_subparsers(dest="command", required=True, metavar=f"{{{','.join(COMMANDS)}}}")
    for name in [asked] if asked in COMMANDS else COMMANDS:
        import_module(COMMANDS[name]).add_parser(commands)
    return root


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code; errors are one clear line each, on standard error."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    parsed = parser(words[0] if words else None).parse_args(words)
    try:
        code: int = parsed.run(parsed)
        return code
    except BreakevenError as error:
        for line in str(error).splitlines():
            print(f"error: {line}", file=sys.stderr)
        return BAD_INPUT if isinstance(error, InputError) else FAILED


if __name__ == "__main__":
    sys.exit(main())
