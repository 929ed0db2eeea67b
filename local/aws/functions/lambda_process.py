"""The parent's side of one Lambda environment: start it, call it, see it die, and end it."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import sysconfig
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from local.children import Children

WORKER = Path(__file__).with_name("lambda_worker.py")
#: wheels of the layer are for Lambda's platform; here the same packages come from where they are installed
INSTALLED = dict.fromkeys([sysconfig.get_path("purelib"), sysconfig.get_path("platlib")])
#: imports of many environments at once share this machine's cores
INIT_LIMIT_S = 120.0
_TICK_S = 0.1


class EnvironmentDiedError(Exception):
    """The process ended before it answered; the message says how."""


class EnvironmentTimedOutError(Exception):
    """No answer in the time allowed. The process is still there and still busy."""


class LambdaProcess:
    """One warm environment. Not thread-safe: it serves one invocation at a time.

    :raises BreakevenError: when it cannot be started
    """

    def __init__(
        self, children: Children, name: str, environment: Mapping[str, str], log: Path, cwd: Path
    ) -> None:
        self._children = children
        requests, self._requests = os.pipe()
        self._answers, answers = os.pipe()
        try:
            with log.open("ab") as output:
                self._process = children.spawn(
                    [
                        # isolated, without installed .pth files; -B leaves the asset as it was synthesized
                        *(sys.executable, "-I", "-S", "-B", "-u", str(WORKER)),
                        *(str(requests), str(answers), os.pathsep.join(INSTALLED)),
                    ],
                    env=environment,
                    cwd=cwd,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    pass_fds=(requests, answers),
                    name=f"function {name}",
                )
        except BaseException:
            os.close(self._requests)
            os.close(self._answers)
            raise
        finally:
            os.close(requests)
            os.close(answers)
        self._rest = b""

    def alive(self) -> bool:
        return self._process.poll() is None

    def wait_ready(self) -> None:
        """Until the handler is imported.

        :raises EnvironmentDiedError: it ended in doing so
        :raises EnvironmentTimedOutError: it is not done after ``INIT_LIMIT_S``
        """
        self._line(time.monotonic() + INIT_LIMIT_S)

    def call(self, invocation: Mapping[str, Any], timeout_s: float) -> dict[str, Any]:
        """Hand over one invocation and wait for its answer.

        :raises EnvironmentDiedError: the process ended instead
        :raises EnvironmentTimedOutError: no answer within ``timeout_s``
        """
        deadline = time.monotonic() + timeout_s
        request = memoryview(json.dumps(invocation).encode() + b"\n")
        try:
            while request:
                request = request[os.write(self._requests, request) :]
        except BrokenPipeError:
            raise EnvironmentDiedError(self._how_it_ended()) from None
        answer: dict[str, Any] = json.loads(self._line(deadline))
        return answer

    def end(self, grace_s: float = 0.5) -> None:
        """Kill it with all that it has started. Idempotent, and safe from another thread."""
        self._children.stop(self._process, grace_s)

    def release(self) -> None:
        """End it and give its descriptors back; by the thread that uses it."""
        self.end()
        os.close(self._requests)
        os.close(self._answers)

    def _line(self, deadline: float) -> bytes:
        poller = select.poll()
        poller.register(self._answers, select.POLLIN)
        while b"\n" not in self._rest:
            # The pipe's end tells of a death at once, unless a forked child of the handler holds it open.
            left = min(_TICK_S, deadline - time.monotonic())
            if left <= 0:
                raise EnvironmentTimedOutError
            if poller.poll(left * 1000):
                read = os.read(self._answers, 1 << 16)
                if not read:
                    raise EnvironmentDiedError(self._how_it_ended())
                self._rest += read
            elif self._process.poll() is not None:
                raise EnvironmentDiedError(self._how_it_ended())
        line, _, self._rest = self._rest.partition(b"\n")
        return line

    def _how_it_ended(self) -> str:
        code = self._process.wait()
        if code < 0:
            name = "killed" if -code == signal.SIGKILL else signal.Signals(-code).name
            return f"Runtime exited with error: signal: {name}"
        return f"Runtime exited with error: exit status {code}" if code else "Runtime exited without a reason"
