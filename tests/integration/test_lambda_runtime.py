"""Functions as processes: what they are given, how they end, and that nothing of them stays."""

from __future__ import annotations

import json
import os
import signal
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest

from local.children import Children
from local.lambda_process import LambdaProcess
from local.lambda_runtime import LambdaRuntime

LIMIT_S = 30
CODE = '''
    import datetime, json, os, signal, subprocess, sys, time
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
        return {"env": dict(os.environ), "context": context_says, "left_ms": left, "cwd": os.getcwd()}

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
'''


class Runtime:
    """A runtime with one folder of code, and functions declared on the spot."""

    def __init__(self, children: Children, folder: Path) -> None:
        self.code, self.logs = folder / "code", folder / "logs"
        for made in (self.code, self.logs, folder / "scratch"):
            made.mkdir()
        (self.code / "probe.py").write_text(textwrap.dedent(CODE))
        self.faults = {}
        self.runtime = LambdaRuntime(
            children,
            environment={"AWS_REGION": "us-east-1", "OVERRIDDEN": "here"},
            task_root={"code.zip": self.code}.__getitem__,
            log_dir=self.logs,
            scratch=folder / "scratch",
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


@pytest.fixture
def children():
    with Children() as started:
        yield started


@pytest.fixture
def lambda_(children, tmp_path):
    made = Runtime(children, tmp_path)
    yield made
    made.runtime.close()


def wait_for(condition):
    deadline = time.monotonic() + LIMIT_S
    while not condition():
        assert time.monotonic() < deadline, "it does not happen"
        time.sleep(0.01)


def gone(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    # one that has ended and is not yet waited for by whoever adopted it is gone as well
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"


def test_a_function_is_surrounded_as_its_template_declares(lambda_):
    found = lambda_.call("surroundings", lambda_.function("mine", memory_size=1769, timeout=25))
    env, context = found["env"], found["context"]
    assert env["DECLARED"] == "in the template"
    assert env["OVERRIDDEN"] == "here"
    assert env["AWS_LAMBDA_FUNCTION_NAME"] == context["function_name"] == "mine"
    assert env["AWS_LAMBDA_FUNCTION_MEMORY_SIZE"] == context["memory_limit_in_mb"] == "1769"
    assert env["_HANDLER"] == "probe.handler"
    assert env["LAMBDA_TASK_ROOT"] == str(lambda_.code)
    assert env["AWS_EXECUTION_ENV"] == "AWS_Lambda_python3.13"
    assert env["AWS_REGION"] == "us-east-1"
    assert env["TZ"] == ":UTC"
    assert env["AWS_XRAY_SDK_ENABLED"] == "false"
    assert context["invoked_function_arn"] == "arn:mine"
    assert context["function_version"] == "$LATEST"
    assert context["log_group_name"] == "/aws/lambda/mine"
    assert context["aws_request_id"]
    assert 0 < found["left_ms"] <= 25_000


def test_nothing_of_the_users_environment_reaches_a_function(lambda_, monkeypatch):
    monkeypatch.setenv("AWS_PROFILE", "production")
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy")
    env = lambda_.call("surroundings")["env"]
    assert not {"AWS_PROFILE", "HTTPS_PROXY", "PYTHONPATH"} & env.keys()


def test_code_comes_from_the_asset(lambda_):
    (lambda_.code / "breakeven").mkdir()
    (lambda_.code / "breakeven" / "__init__.py").write_text("")
    found = lambda_.call("imported", module="breakeven")
    assert Path(found) == lambda_.code / "breakeven" / "__init__.py"


@pytest.mark.parametrize("module", ["breakeven", "handlers", "local", "infra"])
def test_code_that_is_not_in_the_asset_is_not_found_elsewhere(lambda_, module):
    assert lambda_.error("imported", module=module)["errorType"] == "ModuleNotFoundError"


def test_dependencies_come_from_the_running_environment(lambda_):
    import pydantic  # noqa: PLC0415

    assert lambda_.call("imported", module="pydantic") == pydantic.__file__


def test_the_asset_stays_as_it_was_synthesized(lambda_):
    before = sorted(lambda_.code.rglob("*"))
    lambda_.call("pid")
    assert sorted(lambda_.code.rglob("*")) == before


def test_an_exception_is_described(lambda_):
    found = lambda_.error("fail")
    assert (found["errorType"], found["errorMessage"]) == ("CaseError", "it went wrong")
    assert str(lambda_.code / "probe.py") in found["stackTrace"][-1]
    assert "lambda_worker" not in "".join(found["stackTrace"])


@pytest.mark.parametrize(
    ("handler", "error_type"),
    [
        ("absent.handler", "Runtime.ImportModuleError"),
        ("broken.handler", "Runtime.UserCodeSyntaxError"),
        ("raising.handler", "ZeroDivisionError"),
        ("probe.absent", "Runtime.HandlerNotFound"),
    ],
)
def test_a_handler_that_cannot_be_loaded_fails_its_invocations(lambda_, handler, error_type):
    (lambda_.code / "broken.py").write_text("def handler(:")
    (lambda_.code / "raising.py").write_text("1 / 0")
    assert lambda_.error("echo", lambda_.function(handler=handler))["errorType"] == error_type


def test_an_answer_that_is_no_json_is_an_error(lambda_):
    assert lambda_.error("unserializable")["errorType"] == "Runtime.MarshalError"


def test_large_events_and_answers_pass(lambda_):
    assert lambda_.call("echo", text="é" * 400_000)["text"] == "é" * 400_000


def test_what_a_handler_prints_goes_to_its_log(lambda_):
    lambda_.call("pid", lambda_.function("talker"))
    assert "hello from the handler" in (lambda_.logs / "talker.log").read_text()
    lambda_.error("fail", lambda_.function("talker"))
    assert "CaseError: it went wrong" in (lambda_.logs / "talker.log").read_text()


def test_an_environment_is_used_again(lambda_):
    assert lambda_.call("pid") == lambda_.call("pid")


def test_functions_have_environments_of_their_own(lambda_):
    assert lambda_.call("pid", lambda_.function("one")) != lambda_.call("pid", lambda_.function("two"))


def test_invocations_that_come_together_run_side_by_side(lambda_, tmp_path):
    with ThreadPoolExecutor(2) as pool:
        calls = [
            pool.submit(lambda_.call, "meet", me=me, other=other, here=str(tmp_path))
            for me, other in [("a", "b"), ("b", "a")]
        ]
        pids = {call.result() for call in calls}
    assert len(pids) == 2


def test_warm_environments_wait_for_invocations(lambda_, children, tmp_path):
    lambda_.runtime.warm(lambda_.function(), 2)
    assert children.running() == ["function function"] * 2
    test_invocations_that_come_together_run_side_by_side(lambda_, tmp_path)
    assert children.running() == ["function function"] * 2


def test_time_out(lambda_, tmp_path):
    found = lambda_.error("family", lambda_.function(timeout=1), here=str(tmp_path / "pid"))
    assert found["errorType"] == "Sandbox.Timedout"
    assert "Task timed out after 1.00 seconds" in found["errorMessage"]
    wait_for(lambda: gone(int((tmp_path / "pid").read_text())))  # what the handler had started is ended, too


def test_death_of_the_process(lambda_, tmp_path):
    here = tmp_path / "pid"
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(lambda_.error, "wait", here=str(here))
        wait_for(lambda: here.exists() and here.read_text())
        os.kill(int(here.read_text()), signal.SIGKILL)
        found = answer.result(LIMIT_S)
    assert found["errorType"] == "Runtime.ExitError"
    assert "signal: killed" in found["errorMessage"]
    assert lambda_.call("echo") == {"do": "echo"}


@pytest.mark.parametrize(("status", "said"), [(3, "exit status 3"), (0, "without a reason")])
def test_a_handler_that_leaves(lambda_, status, said):
    found = lambda_.error("leave", status=status)
    assert (found["errorType"], said in found["errorMessage"]) == ("Runtime.ExitError", True)


def test_an_environment_that_died_idle_is_replaced(lambda_):
    first = lambda_.call("pid")
    os.kill(first, signal.SIGKILL)
    wait_for(lambda: gone(first))
    assert lambda_.call("pid") != first


def test_close_ends_what_runs(lambda_, children, tmp_path):
    here = tmp_path / "pid"
    lambda_.call("pid", lambda_.function("idle"))
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(lambda_.error, "wait", here=str(here))
        wait_for(lambda: here.exists() and here.read_text())
        lambda_.runtime.close()
        assert answer.result(LIMIT_S)["errorType"] == "Runtime.ExitError"
    assert children.running() == []
    assert lambda_.error("echo")["errorType"] == "Runtime.Unavailable"


def test_an_idle_environment_ends_when_nobody_can_call_it(lambda_, children, tmp_path):
    variables = lambda_.runtime._variables(lambda_.function())
    process = LambdaProcess(children, "orphan", variables, tmp_path / "log", tmp_path)
    process.wait_ready()
    os.close(process._requests)
    assert process._process.wait(LIMIT_S) == 0
    os.close(process._answers)


def test_faults_are_injected(lambda_):
    lambda_.faults["broken"] = {"raise": "Boom"}
    assert lambda_.error("echo", lambda_.function("broken"))["errorType"] == "Boom"
    lambda_.faults["slow"] = {"sleep": LIMIT_S}
    found = lambda_.error("echo", lambda_.function("slow", timeout=1))
    assert found["errorType"] == "Sandbox.Timedout"
    assert lambda_.call("echo", lambda_.function("sound")) == {"do": "echo"}


def test_no_descriptor_is_left(lambda_, tmp_path):
    lambda_.call("pid")
    lambda_.runtime.close()
    before = len(os.listdir("/proc/self/fd"))
    other = Runtime(lambda_.runtime._children, tmp_path / "other") if (tmp_path / "other").mkdir() is None else None
    other.call("pid")
    other.error("leave", status=1)
    other.runtime.close()
    assert len(os.listdir("/proc/self/fd")) == before
