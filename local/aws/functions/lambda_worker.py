"""One warm Lambda environment: a process that runs a function's handler, one invocation after another.

Run as a script, isolated (``-I -S``), on the standard library alone, so that nothing but the paths it is
given can be imported: the code asset first, then the installed dependencies. The repository's own copy of
the code is never among them. It talks in JSON over a pipe of its own, for handlers may print.

Arguments: the pipe's descriptor, the import paths.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import resource
import sys
import threading
import time
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

#: Lambda guide, "Lambda quotas": file descriptors, and execution processes and threads, of one environment
DESCRIPTORS, THREADS = 1024, 1024

Handler = Callable[[Any, Any], Any]
Answer = dict[str, Any]


class Context:
    """What Lambda hands to a handler beside the event."""

    client_context = None
    identity = None

    def __init__(self, invocation: dict[str, Any]) -> None:
        self._deadline_s: float = invocation["deadline_s"]
        self.aws_request_id: str = invocation["request_id"]
        self.invoked_function_arn: str = invocation["arn"]
        self.function_name = os.environ["AWS_LAMBDA_FUNCTION_NAME"]
        self.function_version = os.environ["AWS_LAMBDA_FUNCTION_VERSION"]
        self.memory_limit_in_mb = os.environ["AWS_LAMBDA_FUNCTION_MEMORY_SIZE"]  # text on Lambda, too
        self.log_group_name = os.environ["AWS_LAMBDA_LOG_GROUP_NAME"]
        self.log_stream_name = os.environ["AWS_LAMBDA_LOG_STREAM_NAME"]

    def get_remaining_time_in_millis(self) -> int:
        return max(0, int((self._deadline_s - time.time()) * 1000))


def load(handler: str) -> Handler:
    """Import ``module.function``; what fails is raised by the first invocation, as on Lambda."""
    module, _, name = handler.rpartition(".")
    try:
        found: Handler = getattr(importlib.import_module(module), name)
    except Exception as error:
        failed = _init_failure(module, name, error)
        traceback.print_exc()

        def raise_failed(_event: Any, _context: Any) -> Any:
            raise failed

        return raise_failed
    return found


class InitError(Exception):
    """A handler that cannot be loaded, under the name that Lambda gives to it."""

    def __init__(self, error_type: str, message: str) -> None:
        self.error_type = error_type
        super().__init__(message)


def _init_failure(module: str, name: str, error: Exception) -> Exception:
    if isinstance(error, ImportError):
        return InitError("Runtime.ImportModuleError", f"Unable to import module '{module}': {error}")
    if isinstance(error, SyntaxError):
        return InitError("Runtime.UserCodeSyntaxError", f"Syntax error in module '{module}': {error}")
    if isinstance(error, AttributeError) and f"has no attribute '{name}'" in str(error):
        return InitError("Runtime.HandlerNotFound", f"Handler '{name}' missing on module '{module}'")
    return error


def invoke(handler: Handler, invocation: dict[str, Any]) -> Answer:
    """Run the handler; ``result`` holds its answer as JSON text, ``error`` what it raised."""
    time.sleep(invocation.get("sleep_s", 0))  # a fault that tests inject
    try:
        result = handler(invocation["event"], Context(invocation))
    except Exception as error:
        traceback.print_exc()
        return {"error": _described(error, invocation["request_id"])}
    try:
        return {"result": json.dumps(result)}
    except (TypeError, ValueError) as error:
        failed = InitError("Runtime.MarshalError", f"Unable to marshal response: {error}")
        return {"error": _described(failed, invocation["request_id"])}


def _described(error: Exception, request_id: str) -> dict[str, Any]:
    frames = traceback.extract_tb(error.__traceback__)
    return {
        "errorMessage": str(error),
        "errorType": getattr(error, "error_type", type(error).__name__),
        "requestId": request_id,
        "stackTrace": traceback.format_list(frames[1:]),  # without this file's own
    }


def limit(descriptors: int, threads: int) -> None:
    """Have no more of them than Lambda has: more fail as they do there.

    The system counts threads by user, not by process, so that Python's own are counted as they start.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = descriptors if hard == resource.RLIM_INFINITY else min(descriptors, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    start = threading.Thread.start

    def start_limited(self: threading.Thread) -> None:
        if threading.active_count() >= threads:
            raise RuntimeError("can't start new thread")  # as Python says where the system has no more
        start(self)

    threading.Thread.start = start_limited  # type: ignore[method-assign]


def main(pipe_fd: int, paths: str) -> None:
    limit(DESCRIPTORS, THREADS)
    # processes that a handler starts must not hold the pipe: its end tells that this one has gone
    os.set_inheritable(pipe_fd, False)
    sys.path.extend(paths.split(os.pathsep))
    # Lambda's own order: the function's code comes before everything that is installed
    sys.path.insert(0, os.environ["LAMBDA_TASK_ROOT"])
    handler = load(os.environ["_HANDLER"])
    with Connection(pipe_fd) as pipe, contextlib.suppress(EOFError):
        pipe.send_bytes(b"{}")  # ready
        while True:
            answer = invoke(handler, json.loads(pipe.recv_bytes()))
            pipe.send_bytes(json.dumps(answer).encode())


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
