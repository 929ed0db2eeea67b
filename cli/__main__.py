"""Entry of the ``breakeven`` command. What takes time to import is imported where Ctrl-C has an answer."""

from __future__ import annotations

import signal
import sys

from cli.exit_codes import INTERRUPTED


def main() -> int:
    """Run the command; returns its exit code."""
    # whatever ends it, what it has made goes first
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # nohup ignores it
        signal.signal(signal.SIGHUP, signal.default_int_handler)
    try:
        from cli.main import main as run  # noqa: PLC0415

        return run()
    except KeyboardInterrupt:
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
