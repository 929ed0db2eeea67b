"""Functions as processes: what they are given, how they end, and that nothing of them stays."""

from __future__ import annotations

import errno
import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from local.aws.functions import lambda_process, lambda_runtime
from local.aws.functions.lambda_process import LambdaProcess
from local.aws.functions.lambda_runtime import RESPONSE_BYTES
from local.children import Children
from tests.support.aws.lambda_probe import LIMIT_S, Runtime

ROOT = Path(__file__).parents[3]


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


def test_a_function_opens_1024_descriptors_and_no_more(lambda_):
    """Lambda guide, "Lambda quotas": file descriptors."""
    assert lambda_.call("open_files", count=900) == {"held": 900}
    found = lambda_.call("open_files", count=1024)
    assert found["errno"] == errno.EMFILE
    assert 1000 < found["held"] < 1024, "some are open before"


def test_a_function_starts_1024_threads_and_no_more(lambda_):
    """Lambda guide, "Lambda quotas": execution processes and threads."""
    assert lambda_.call("start_threads", count=900) == {"held": 900}
    assert lambda_.call("start_threads", count=1024) == {"held": 1023, "error": "can't start new thread"}


def test_a_response_of_over_6_mb_is_an_error_of_the_function(lambda_):
    """Lambda guide, "Lambda quotas": invocation payload, of the response."""
    quotes = 2
    assert len(lambda_.call("text", length=RESPONSE_BYTES - quotes)) == RESPONSE_BYTES - quotes
    found = lambda_.error("text", length=RESPONSE_BYTES - quotes + 1)
    assert found["errorType"] == "Function.ResponseSizeTooLarge"


def test_installed_path_files_are_not_read(lambda_):
    assert lambda_.call("surroundings")["flags"] == [1, 1]


def test_code_comes_from_the_asset(lambda_):
    (lambda_.code / "breakeven").mkdir()
    (lambda_.code / "breakeven" / "__init__.py").write_text("")
    found = lambda_.call("imported", module="breakeven")
    assert Path(found) == lambda_.code / "breakeven" / "__init__.py"


@pytest.mark.parametrize("module", ["breakeven", "handlers", "local", "lambda_worker"])
def test_code_that_is_not_in_the_asset_is_not_found_elsewhere(lambda_, tmp_path, monkeypatch, module):
    # as an editable install of this project leaves it among the dependencies
    (tmp_path / "editable.pth").write_text(f"{ROOT}\n{ROOT / 'functions'}\n")
    monkeypatch.setattr(lambda_process, "INSTALLED", [*lambda_process.INSTALLED, str(tmp_path)])
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
    for here in (tmp_path / "first", tmp_path / "again"):
        here.mkdir()
        test_invocations_that_come_together_run_side_by_side(lambda_, here)
        assert children.running() == ["function function"] * 2


def test_what_has_waited_too_long_is_ended(lambda_, children):
    lambda_.call("pid", lambda_.function("one"))
    ((since, process),) = lambda_.runtime._idle["one"]
    lambda_.runtime._idle["one"] = [(since - lambda_runtime.IDLE_LIMIT_S, process)]
    lambda_.call("pid", lambda_.function("two"))
    assert children.running() == ["function two"]


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


def test_an_idle_environment_ends_when_nobody_can_call_it(lambda_):
    variables = lambda_.runtime._variables(lambda_.function())
    process = LambdaProcess(lambda_.host, "orphan", variables)
    process.wait_ready()
    process._pipe.close()
    assert process.process.wait(LIMIT_S) == 0


def test_faults_are_injected(lambda_):
    lambda_.faults["broken"] = {"raise": "Boom"}
    assert lambda_.error("echo", lambda_.function("broken"))["errorType"] == "Boom"
    lambda_.faults["slow"] = {"sleep": LIMIT_S}
    found = lambda_.error("echo", lambda_.function("slow", timeout=1))
    assert found["errorType"] == "Sandbox.Timedout"
    assert lambda_.call("echo", lambda_.function("sound")) == {"do": "echo"}


def test_no_descriptor_is_left(lambda_):
    lambda_.call("pid")  # what is opened once and kept is opened by now
    before = len(os.listdir("/proc/self/fd"))
    lambda_.call("pid", lambda_.function("other"))
    lambda_.error("leave", lambda_.function("leaving"), status=1)
    assert len(os.listdir("/proc/self/fd")) == before + 1  # the pipe of the one that is idle
    lambda_.runtime.close()
    assert len(os.listdir("/proc/self/fd")) == before - 1
