"""The parent's side of one Lambda environment: start it, call it, see it die, and end it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from multiprocessing import Pipe
from pathlib import Path
from typing import Any

from local.children import Children

WORKER = Path(__file__).with_name("lambda_worker.py")
#: wheels of the layer are for Lambda's platform; here the same packages come from where they are installed
INSTALLED = dict.fromkeys([sysconfig.get_path("purelib"), sysconfig.get_path("platlib")])
#: imports of many environments at once share this machine's cores
INIT_LIMIT_S = 120.0
_TICK_S = 0.1
#: from SIGTERM to SIGKILL, of what is not to go on
END_GRACE_S = 0.5


#: of a process: who it signs as, and the variables that its template declares -> more variables
OwnVariables = Callable[[str, Mapping[str, str]], Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Host:
    """What the processes of functions and of tasks have in common.

    :param environment: variables for every one; they win over what its template declares, which names AWS
    :param own: variables of one, where it has any; they win over ``environment``
    :param log_dir: gets one ``<name of the function, or family of the task>.log`` for what it prints
    :param scratch: home of the processes
    """

    children: Children
    environment: Mapping[str, str]
    log_dir: Path
    scratch: Path
    own: OwnVariables | None = None

    def variables(self, caller: str, declared: Mapping[str, str], given: Mapping[str, str]) -> dict[str, str]:
        """The whole environment of a process.

        :param given: its service's variables and its own, ``declared`` among them
        """
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(self.scratch),
            "LANG": "C.UTF-8",
            "TZ": ":UTC",
            **given,
            **self.environment,
            **(self.own(caller, declared) if self.own else {}),
            # each calls as itself, in its own role: see local/aws/strict/permissions/roles.py
            "AWS_ACCESS_KEY_ID": caller,
        }


class EnvironmentDiedError(Exception):
    """The process ended before it answered; the message says how."""


class EnvironmentTimedOutError(Exception):
    """No answer in the time allowed. The process is still there and still busy."""


class LambdaProcess:
    """One warm environment. Not thread-safe: it serves one invocation at a time.

    :raises BreakevenError: when it cannot be started
    """

    def __init__(self, host: Host, name: str, environment: Mapping[str, str]) -> None:
        self._children = host.children
        self._pipe, other = Pipe()
        try:
            with other, (host.log_dir / f"{name}.log").open("ab") as output:
                self.process = host.children.spawn(
                    [
                        # isolated, without installed .pth files; -B leaves the asset as it was synthesized
                        *(sys.executable, "-I", "-S", "-B", "-u", str(WORKER)),
                        *(str(other.fileno()), os.pathsep.join(INSTALLED)),
                    ],
                    env=environment,
                    cwd=host.scratch,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    pass_fds=(other.fileno(),),
                    name=f"function {name}",
                )
        except BaseException:
            self._pipe.close()
            raise

    def wait_ready(self) -> None:
        """Until the handler is imported.

        :raises EnvironmentDiedError: it ended in doing so
        :raises EnvironmentTimedOutError: it is not done after ``INIT_LIMIT_S``
        """
        self._answer(time.monotonic() + INIT_LIMIT_S)

    def call(self, invocation: Mapping[str, Any], timeout_s: float) -> dict[str, Any]:
        """Hand over one invocation and wait for its answer.

        :raises EnvironmentDiedError: the process ended instead
        :raises EnvironmentTimedOutError: no answer within ``timeout_s``
        """
        deadline = time.monotonic() + timeout_s
        try:
            self._pipe.send_bytes(json.dumps(invocation).encode())
        except BrokenPipeError:
            raise EnvironmentDiedError(self._how_it_ended()) from None
        answer: dict[str, Any] = json.loads(self._answer(deadline))
        return answer

    def release(self) -> None:
        """End it with all that it has started, and give its descriptor back; by the thread that uses it."""
        self._children.stop(self.process, END_GRACE_S)
        self._pipe.close()

    def _answer(self, deadline: float) -> bytes:
        # The pipe's end tells of a death at once, unless a forked child of the handler holds it open.
        while not self._pipe.poll(max(0.0, min(_TICK_S, deadline - time.monotonic()))):
            if self.process.poll() is not None:
                raise EnvironmentDiedError(self._how_it_ended())
            if time.monotonic() >= deadline:
                raise EnvironmentTimedOutError
        try:
            return self._pipe.recv_bytes()
        except (EOFError, OSError):
            raise EnvironmentDiedError(self._how_it_ended()) from None

    def _how_it_ended(self) -> str:
        code = self.process.wait()
        if code < 0:
            name = "killed" if -code == signal.SIGKILL else signal.Signals(-code).name
            return f"Runtime exited with error: signal: {name}"
        return f"Runtime exited with error: exit status {code}" if code else "Runtime exited without a reason"
