"""Lambda on this machine: functions run as their template declares them, each environment a process.

As on Lambda, an environment serves one invocation at a time, stays warm for the next, and invocations that
come together get environments of their own: loaders use all cores and share nothing with the control plane.
"""

from __future__ import annotations

import json
import threading
import time
import uuid
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from moto.awslambda.models import LambdaFunction

from breakeven.errors import BreakevenError
from local.aws.functions.lambda_process import (
    END_GRACE_S,
    EnvironmentDiedError,
    EnvironmentTimedOutError,
    Host,
    LambdaProcess,
)
from local.aws.swaps import Swaps

#: what a test may do to an invocation: None leaves it alone, {"raise": name} answers with that error
#: instead of running it, {"sleep": seconds} has its environment sleep first, within the function's timeout
Fault = dict[str, Any] | None
OnInvoke = Callable[[str, Any], Fault]

#: Lambda guide, "Lambda quotas", invocation payload: 6 MB of a response, and what the service itself adds
RESPONSE_BYTES, TOO_LARGE = 6_291_556, "Function.ResponseSizeTooLarge"
#: an environment that has waited this long is surplus; each holds 70 MB or more
IDLE_LIMIT_S = 60.0


class LambdaRuntime:
    """:param task_root: an S3 key of deployed code -> the folder that holds that code"""

    def __init__(
        self, host: Host, task_root: Callable[[str], Path], on_invoke: OnInvoke | None = None
    ) -> None:
        self._host, self._task_root, self._on_invoke = host, task_root, on_invoke
        self._lock = threading.Lock()
        #: function -> environments with the time since when they wait, the longest first
        self._idle: dict[str, list[tuple[float, LambdaProcess]]] = defaultdict(list)
        self._all: set[LambdaProcess] = set()
        self._closed = False

    def install(self, swaps: Swaps) -> None:
        """Have moto's functions run here."""

        def invoke(function: Any, event: Any = None) -> tuple[str, bool, str]:
            # moto hands an absent payload over as the text of an empty object
            answer, failed = self.invoke(function, {} if event in (None, "{}") else event)
            return answer, failed, ""

        swaps.attribute(LambdaFunction, "_invoke_lambda", invoke)

    def invoke(self, function: Any, event: Any) -> tuple[str, bool]:
        """Run one invocation to its end: JSON text of the answer or of the error, and whether it failed."""
        request_id = str(uuid.uuid4())
        fault = (self._on_invoke(function.function_name, event) if self._on_invoke else None) or {}
        if "raise" in fault:
            return _error(fault["raise"], "injected by a test", request_id)
        try:
            answer = self._run(function, event, request_id, fault.get("sleep", 0))
        except EnvironmentDiedError as died:
            return _error("Runtime.ExitError", f"RequestId: {request_id} Error: {died}", request_id)
        except EnvironmentTimedOutError:
            message = (
                f"RequestId: {request_id} Error: Task timed out after {int(function.timeout)}.00 seconds"
            )
            return _error("Sandbox.Timedout", message, request_id)
        except BreakevenError as error:
            return _error("Runtime.Unavailable", str(error), request_id)
        return _outcome_of(answer, request_id)

    def close(self) -> None:
        """Kill every environment; invocations under way end as errors at once, later ones too."""
        with self._lock:
            self._closed = True
            everyone = list(self._all)
        self._host.children.stop_together([each.process for each in everyone], END_GRACE_S)
        self._retire(0.0)

    def _run(self, function: Any, event: Any, request_id: str, sleep_s: float) -> dict[str, Any]:
        timeout_s = float(function.timeout)
        process = self._take(function)
        invocation = {
            "event": event,
            "request_id": request_id,
            "arn": function.function_arn,
            "deadline_s": time.time() + timeout_s,
            "sleep_s": sleep_s,
        }
        try:
            answer = process.call(invocation, timeout_s)
        except BaseException:
            self._discard(process)
            raise
        self._give_back(function, process)
        return answer

    def _take(self, function: Any) -> LambdaProcess:
        while True:
            with self._lock:
                idle = self._idle[function.function_name]
                process = idle.pop()[1] if idle else None
            if process is None:
                return self._start(function)
            if process.process.poll() is None:
                return process
            self._discard(process)

    def _give_back(self, function: Any, process: LambdaProcess) -> None:
        with self._lock:
            closed = self._closed
            if not closed:
                self._idle[function.function_name].append((time.monotonic(), process))
        if closed:
            self._discard(process)
        else:
            self._retire(IDLE_LIMIT_S)

    def _retire(self, limit_s: float) -> None:
        """End what has waited for longer than ``limit_s``."""
        oldest = time.monotonic() - limit_s
        surplus = []
        with self._lock:
            for name, idle in self._idle.items():
                surplus += [process for since, process in idle if since <= oldest]
                self._idle[name] = [waiting for waiting in idle if waiting[0] > oldest]
        for process in surplus:
            self._discard(process)

    def _start(self, function: Any) -> LambdaProcess:
        name = function.function_name
        with self._lock:
            if self._closed:
                raise BreakevenError(f"{name}: not invoked, the control plane is closed")
            process = LambdaProcess(self._host, name, self._variables(function))
            self._all.add(process)
        try:
            process.wait_ready()
        except BaseException:
            self._discard(process)
            raise
        return process

    def _discard(self, process: LambdaProcess) -> None:
        process.release()
        with self._lock:
            self._all.discard(process)

    def _variables(self, function: Any) -> dict[str, str]:
        """The whole environment of a function's process, as Lambda sets it."""
        name, declared = function.function_name, function.environment_vars
        given = {
            "LAMBDA_TASK_ROOT": str(self._task_root(function.code["S3Key"])),
            "_HANDLER": function.handler,
            "AWS_EXECUTION_ENV": f"AWS_Lambda_{function.run_time}",
            "AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand",
            "AWS_LAMBDA_FUNCTION_NAME": name,
            "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
            "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(function.memory_size),
            "AWS_LAMBDA_LOG_GROUP_NAME": f"/aws/lambda/{name}",
            "AWS_LAMBDA_LOG_STREAM_NAME": f"{time.strftime('%Y/%m/%d')}/[$LATEST]{uuid.uuid4().hex}",
            # there is no X-Ray daemon to send to
            "AWS_XRAY_SDK_ENABLED": "false",
            "POWERTOOLS_TRACE_DISABLED": "true",
            **{key: str(value) for key, value in declared.items()},
        }
        return self._host.variables(name, declared, given)


def _outcome_of(answer: dict[str, Any], request_id: str) -> tuple[str, bool]:
    """What a handler has answered, as the service passes it on, and whether it is an error."""
    if "error" in answer:
        return json.dumps(answer["error"]), True
    result: str = answer["result"]
    if (size := len(result.encode())) > RESPONSE_BYTES:
        said = f"Response payload size ({size} bytes) exceeded maximum allowed payload size"
        return _error(TOO_LARGE, f"{said} ({RESPONSE_BYTES} bytes).", request_id)
    return result, False


def _error(error_type: str, message: str, request_id: str) -> tuple[str, bool]:
    described = {"errorType": error_type, "errorMessage": message, "requestId": request_id, "stackTrace": []}
    return json.dumps(described), True
