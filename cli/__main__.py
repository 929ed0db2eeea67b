"""Entry of the ``breakeven`` command. What takes time to import is imported where Ctrl-C has an answer."""

from __future__ import annotations

import sys

from cli.exit_codes import INTERRUPTED


def main() -> int:
    """Run the command; returns its exit code."""
    try:
        from cli.main import main as run  # noqa: PLC0415

        return run()
    except KeyboardInterrupt:
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
