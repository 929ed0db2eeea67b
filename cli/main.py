"""The ``breakeven`` command.

Exit codes: 0 all well; 1 the run itself failed; 2 bad input, nothing was started; 3 some cases failed
and the report was written; 130 interrupted, what was measured was kept.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from breakeven.errors import BreakevenError, InputError
from cli import plan, report, run

BAD_INPUT, FAILED = 2, 1


def parser() -> argparse.ArgumentParser:
    root = argparse.ArgumentParser(
        prog="breakeven",
        description="At what traffic does your own RabbitMQ become cheaper than Amazon SQS?",
    )
    commands = root.add_subparsers(dest="command", required=True, metavar="{run,plan,report}")
    for command in (run, plan, report):
        command.add_parser(commands)
    return root


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code; errors are one clear line each, on standard error."""
    parsed = parser().parse_args(arguments)
    try:
        code: int = parsed.run(parsed)
        return code
    except BreakevenError as error:
        for line in str(error).splitlines():
            print(f"error: {line}", file=sys.stderr)
        return BAD_INPUT if isinstance(error, InputError) else FAILED


if __name__ == "__main__":
    sys.exit(main())
