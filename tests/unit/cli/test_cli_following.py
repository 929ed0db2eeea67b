"""Following a run on AWS past a broken network and credentials that expire."""

from __future__ import annotations

import io
import re
from types import SimpleNamespace
from typing import Any

import pytest
from botocore.exceptions import ClientError, ConnectionClosedError, EndpointConnectionError
from rich.console import Console

from cli import main
from cli.running import run_on_aws
from cli.running.deployed import Deployed, Line
from cli.running.progress import PlainView

MACHINE = "arn:aws:states:eu-west-1:123456789012:stateMachine:m"
#: stands for the client's own ExecutionDoesNotExist
UNKNOWN = KeyError("r1")
BROKEN = EndpointConnectionError(endpoint_url="https://states.eu-west-1.amazonaws.com")


def refusal(code: str, status: int = 400) -> ClientError:
    said = {"Error": {"Code": code, "Message": "no"}, "ResponseMetadata": {"HTTPStatusCode": status}}
    return ClientError(said, "DescribeExecution")


PASSING = [
    BROKEN,
    ConnectionClosedError(endpoint_url="https://x"),
    refusal("ExpiredTokenException"),
    refusal("ThrottlingException"),
    refusal("InternalServerError", 500),
]


class Api:
    """Step Functions whose answers are given: an error is raised, a text is a status."""

    def __init__(self, answers: list[Any]) -> None:
        self._answers, self.exceptions = iter(answers), SimpleNamespace(ExecutionDoesNotExist=KeyError)
        self.started = 0

    def describe_execution(self, **_: Any) -> dict[str, Any]:
        answer = next(self._answers)
        if isinstance(answer, str):
            return {"status": answer}
        raise answer

    def start_execution(self, **_: Any) -> None:
        self.started += 1
        self.describe_execution()


@pytest.fixture
def follow(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Exit code and output of the command that follows, or starts, a run with those answers of AWS."""
    monkeypatch.setattr("cli.running.deployed.TRY_AGAIN_S", 0.001)
    monkeypatch.setattr(run_on_aws, "FOLLOW_S", 0.001)
    monkeypatch.setattr(run_on_aws, "_planned", lambda *_: None)
    monkeypatch.setattr(run_on_aws, "export_run", lambda *_: "folder")
    monkeypatch.setattr(run_on_aws, "_conclude", lambda *_: 0)
    monkeypatch.setattr(run_on_aws, "_expected", lambda *_: "1 case")
    monkeypatch.setattr(run_on_aws, "connect", lambda *_: None)
    monkeypatch.setattr(Deployed, "lock_problem", lambda _: None)
    monkeypatch.setattr(Deployed, "state", lambda *_: SimpleNamespace(items=dict))
    monkeypatch.setattr(Deployed, "store", None)

    def called(answers: list[Any], *words: str) -> tuple[int, str]:
        account = SimpleNamespace(region="eu-west-1", number="123456789012")
        deployed = Deployed(account, "QueueBreakeven", {"StateMachineArn": MACHINE})  # type: ignore[arg-type]
        object.__setattr__(deployed, "step_functions", Api(answers))
        monkeypatch.setattr(run_on_aws, "find", lambda *_: deployed)
        code = main.main(["run", "--on", "aws", *words])
        said = capsys.readouterr()
        return code, said.out + said.err

    return called


@pytest.mark.parametrize("error", PASSING, ids=lambda error: type(error).__name__ + str(error)[21:40])
def test_a_run_is_followed_past_what_passes(follow, error):
    code, said = follow(["RUNNING", error, error, "RUNNING", "SUCCEEDED"], "--follow", "r1")
    assert code == 0
    assert said.count("no answer from AWS") == 1
    assert "the execution has ended: SUCCEEDED" in said


def test_credentials_that_expired_are_said_with_what_renews_them(follow):
    _, said = follow(["RUNNING", refusal("ExpiredTokenException"), "SUCCEEDED"], "--follow", "r1")
    assert "aws sso login" in said


@pytest.mark.parametrize("error", [BROKEN, refusal("ExpiredTokenException"), refusal("AccessDenied", 403)])
def test_a_run_that_cannot_be_followed_any_more_is_no_bad_input_and_says_how_to_go_on(
    monkeypatch: pytest.MonkeyPatch, follow, error
):
    monkeypatch.setattr("cli.running.deployed.PATIENCE_S", 0.05)
    code, said = follow(["RUNNING", *[error] * 10**4], "--follow", "r1")
    assert code == 4
    assert "r1 cannot be followed any more" in said
    assert "npm run breakeven -- run --on aws --follow r1" in said
    assert "stop-execution --execution-arn arn:aws:states:eu-west-1:123456789012:execution:m:r1" in said


def test_where_the_answer_to_the_start_is_lost_it_may_have_been_started(follow):
    code, said = follow([ConnectionClosedError(endpoint_url="https://x")], "quick")
    assert code == 4
    assert "whether it was started is not known" in said
    assert "npm run breakeven -- run --on aws --follow r2" in said, "the run's name is said"


def _interrupts(*_: object) -> None:
    raise KeyboardInterrupt


def test_who_interrupts_the_start_learns_the_name_of_what_may_run(follow):
    code, said = follow([KeyboardInterrupt()], "quick")
    assert code == 130
    (run_id,) = re.findall(r"interrupted: (r\S+) may be running", said)
    assert f"npm run breakeven -- run --on aws --follow {run_id}" in said
    assert f"stop-execution --execution-arn {MACHINE.replace('stateMachine', 'execution')}:{run_id}" in said


def test_who_interrupts_the_fetching_learns_how_to_fetch_it_all(follow, monkeypatch):
    monkeypatch.setattr(run_on_aws, "export_run", _interrupts)
    code, said = follow(["RUNNING", "SUCCEEDED"], "--follow", "r1")
    assert code == 130
    assert "its results are not all here" in said
    assert "npm run breakeven -- run --on aws --follow r1" in said


def test_a_run_that_was_just_started_and_is_not_known_yet_is_followed(follow):
    code, said = follow(["RUNNING", UNKNOWN, UNKNOWN, "RUNNING", "SUCCEEDED"], "quick")
    assert code == 0
    assert "the execution has ended: SUCCEEDED" in said


def test_a_run_that_is_not_known_cannot_be_followed(follow, monkeypatch):
    assert follow([UNKNOWN], "--follow", "r1")[0] == 2
    monkeypatch.setattr(run_on_aws, "KNOWN_WITHIN_S", 0.0)
    assert follow(["RUNNING", UNKNOWN], "quick")[0] == 2


@pytest.mark.parametrize("code", ["AccessDeniedException", "ExpiredTokenException"])
def test_where_the_start_is_refused_nothing_was_started(follow, code):
    assert follow([refusal(code)], "quick")[0] == 2


def test_credentials_are_read_again_each_time(monkeypatch):
    monkeypatch.setattr("cli.running.deployed.TRY_AGAIN_S", 0.001)
    monkeypatch.setattr("cli.running.deployed.PATIENCE_S", 1.0)
    session = iter(["second", "third"])
    asked = []

    def question(deployed: Any) -> str:
        asked.append(deployed)
        if deployed == "third":
            return "answer"
        raise refusal("ExpiredTokenException")

    view = PlainView(Console(file=io.StringIO()))
    line = Line("first", lambda: next(session), view)  # type: ignore[arg-type,return-value]
    assert line.ask(question) == "answer"
    assert asked == ["first", "second", "third"]
