"""A Lambda runtime with one folder of code, for the tests of the runtime."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from types import SimpleNamespace

from local.aws.functions.lambda_process import Host
from local.aws.functions.lambda_runtime import LambdaRuntime
from local.children import Children

LIMIT_S = 30
CODE = """
    import datetime, json, os, signal, subprocess, sys, threading, time
    from pathlib import Path

    class CaseError(Exception):
        pass

    def handler(event, context):
        print("hello from the handler")
        return globals()[event["do"]](event, context)

    def echo(event, context):
        return event

    def pid(event, context):
        return os.getpid()

    def surroundings(event, context):
        context_says = {name: getattr(context, name) for name in (
            "function_name", "function_version", "memory_limit_in_mb", "invoked_function_arn",
            "log_group_name", "log_stream_name", "aws_request_id")}
        left = context.get_remaining_time_in_millis()
        flags = [sys.flags.isolated, sys.flags.no_site]
        return {"env": dict(os.environ), "context": context_says, "left_ms": left, "flags": flags}

    def open_files(event, context):
        held = []
        try:
            for _ in range(event["count"]):
                held.append(open("/dev/null"))
        except OSError as error:
            return {"held": len(held), "errno": error.errno}
        finally:
            for each in held:
                each.close()
        return {"held": len(held)}

    def start_threads(event, context):
        leave, held = threading.Event(), []
        try:
            for _ in range(event["count"]):
                thread = threading.Thread(target=leave.wait)
                thread.start()
                held.append(thread)
        except RuntimeError as error:
            return {"held": len(held), "error": str(error)}
        finally:
            leave.set()
            for each in held:
                each.join()
        return {"held": len(held)}

    def text(event, context):
        return "x" * event["length"]

    def imported(event, context):
        module = __import__(event["module"])
        return module.__file__

    def fail(event, context):
        raise CaseError("it went wrong")

    def unserializable(event, context):
        return datetime.datetime.now()

    def leave(event, context):
        sys.exit(event["status"])

    def wait(event, context):
        Path(event["here"]).write_text(str(os.getpid()))
        time.sleep(60)

    def meet(event, context):
        mine, other = Path(event["here"]) / event["me"], Path(event["here"]) / event["other"]
        mine.write_text("here")
        while not other.exists():
            time.sleep(0.01)
        return os.getpid()

    def family(event, context):
        child = subprocess.Popen(["sleep", "60"])
        Path(event["here"]).write_text(str(child.pid))
        time.sleep(60)
"""


class Runtime:
    """A runtime with one folder of code, and functions declared on the spot."""

    def __init__(self, children: Children, folder: Path) -> None:
        self.code, self.logs = folder / "code", folder / "logs"
        for made in (self.code, self.logs, folder / "scratch"):
            made.mkdir()
        (self.code / "probe.py").write_text(textwrap.dedent(CODE))
        self.faults = {}
        environment = {"AWS_REGION": "us-east-1", "OVERRIDDEN": "here"}
        self.host = Host(children, environment, log_dir=self.logs, scratch=folder / "scratch")
        self.runtime = LambdaRuntime(
            self.host,
            task_root={"code.zip": self.code}.__getitem__,
            on_invoke=lambda name, event: self.faults.get(name),
        )

    def function(self, name="function", **declared):
        settings = {
            "handler": "probe.handler",
            "timeout": LIMIT_S,
            "memory_size": 512,
            "run_time": "python3.13",
            "environment_vars": {"DECLARED": "in the template", "OVERRIDDEN": "in the template"},
            "code": {"S3Key": "code.zip"},
            "function_arn": f"arn:{name}",
        }
        return SimpleNamespace(function_name=name, **{**settings, **declared})

    def call(self, do, function=None, **event):
        answer, failed = self.runtime.invoke(function or self.function(), {"do": do, **event})
        assert not failed, answer
        return json.loads(answer)

    def error(self, do, function=None, **event):
        answer, failed = self.runtime.invoke(function or self.function(), {"do": do, **event})
        assert failed, answer
        return json.loads(answer)
