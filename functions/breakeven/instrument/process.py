"""The instrument as a child process: started for one case, asked at the end what it did."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

from breakeven.errors import CaseError
from breakeven.instrument.program import Program

HOST = "127.0.0.1"
#: how long it may take to say what it did, seconds
STOP_TIMEOUT_S = 10.0


class Instrument:
    """Runs from here to ``stop``; it ends too when this process does.

    :raises CaseError: it does not start
    """

    def __init__(self, program: Program) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "breakeven.instrument"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=_environment(),
        )
        #: what it did (``Notes.to_json``), once it is stopped; None when it could not say
        self.record: dict[str, Any] | None = None
        assert self._process.stdin
        assert self._process.stdout
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        try:
            self._stdin.write(program.model_dump_json().encode() + b"\n")
            self._stdin.flush()
            self.port = int(self._stdout.readline())
        except (OSError, ValueError) as error:
            self._process.kill()
            self._process.communicate()
            raise CaseError(f"the instrument did not start: {error}") from None

    def stop(self) -> None:
        """Let it end and tell what it did; called twice it does nothing more. Never raises."""
        if self._process.returncode is not None:
            return
        try:
            said, _ = self._process.communicate(timeout=STOP_TIMEOUT_S)
            self.record = json.loads(said)
        except (subprocess.TimeoutExpired, ValueError, OSError):
            self._process.kill()
            self._process.wait()


def _environment() -> dict[str, str]:
    """What this process imports it can import too; it has no business with credentials."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    return {**kept, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
