"""``breakeven run --on aws``: what is said when AWS refuses, and what a person who interrupts is asked."""

from __future__ import annotations

import io
import sys
from types import SimpleNamespace
from typing import Any

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError, NoCredentialsError, ProfileNotFound
from rich.console import Console

from breakeven.errors import InputError
from cli.main import main
from cli.running import run_on_aws
from cli.running.deployed import Account, Deployed, aws_errors_in_words, connect, find, stack_name

MACHINE = "arn:aws:states:eu-west-1:123456789012:stateMachine:m"


@pytest.mark.parametrize(
    ("error", "field", "words"),
    [
        (NoCredentialsError(), "credentials", "aws configure or aws sso login"),
        (ProfileNotFound(profile="mine"), "credentials", "(mine) could not be found"),
        (EndpointConnectionError(endpoint_url="https://x"), "credentials", "https://x"),
        (
            ClientError({"Error": {"Code": "ExpiredToken", "Message": "it is"}}, "GetCallerIdentity"),
            "access",
            "GetCallerIdentity was refused: it is; set AWS_PROFILE",
        ),
        (
            ClientError({"Error": {"Code": "AccessDenied", "Message": "may not"}}, "StartExecution"),
            "access",
            "StartExecution was refused: may not",
        ),
    ],
)
def test_what_aws_refuses_is_one_line_with_a_remedy(error, field, words):
    with pytest.raises(InputError) as caught, aws_errors_in_words():
        raise error
    assert caught.value.field == field
    assert words in str(caught.value)
    assert ("set AWS_PROFILE" in str(caught.value)) == ("may not" not in str(error))


def test_without_a_region_it_says_where_one_is_given(monkeypatch, tmp_path):
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    with pytest.raises(InputError, match="AWS_REGION") as caught:
        connect(None, None)
    assert caught.value.field == "region"


@pytest.mark.parametrize(
    ("given", "variable", "field", "hint"),
    [
        ("mars", "eu-west-1", "--region", ""),
        ("us-east-9", None, "--region", "did you mean 'us-east-"),
        (None, "mars", "region (AWS_REGION, or the profile's)", ""),
    ],
)
def test_a_region_that_there_is_not_is_named_before_credentials_are_asked_for(
    monkeypatch, given, variable, field, hint
):
    monkeypatch.delenv("AWS_PROFILE", raising=False)
    if variable:
        monkeypatch.setenv("AWS_REGION", variable)
    with pytest.raises(InputError, match="no region of AWS") as caught:
        connect(None, given)
    assert (caught.value.field, caught.value.value) == (field, given or variable)
    assert hint in caught.value.remedy


def test_the_variable_that_it_names_is_one_that_it_reads(monkeypatch, tmp_path):
    for name in ("AWS_DEFAULT_REGION", "AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name, raising=False)
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_REGION", "eu-west-1")
    with pytest.raises(InputError) as caught:
        connect(None, None)
    assert caught.value.field == "credentials", "the region is known, and the next thing is missing"


def installation(status: str, **outputs: str) -> Account:
    stack = {
        "StackStatus": status,
        "Outputs": [{"OutputKey": key, "OutputValue": value} for key, value in outputs.items()],
    }
    api = SimpleNamespace(describe_stacks=lambda StackName: {"Stacks": [stack]})
    session = SimpleNamespace(region_name="eu-west-1", client=lambda *_, **__: api)
    return Account(session, "123456789012", "me")


@pytest.mark.parametrize("status", ["CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE"])
def test_a_stack_that_is_whole_is_found_by_its_prefix(status):
    found = find(installation(status, StateMachineArn=MACHINE), "team-a")
    assert (found.stack, found.machine) == ("team-a-QueueBreakeven", MACHINE)
    assert found.execution("r") == "arn:aws:states:eu-west-1:123456789012:execution:m:r"


@pytest.mark.parametrize("status", ["CREATE_IN_PROGRESS", "ROLLBACK_COMPLETE", "DELETE_FAILED"])
def test_a_stack_that_is_not_whole_is_refused_with_its_status(status):
    with pytest.raises(InputError, match=status):
        find(installation(status, StateMachineArn=MACHINE), None)


def test_the_stack_is_named_as_the_deployment_names_it():
    from infra.context.settings import Context  # noqa: PLC0415  only here is the app needed

    assert stack_name(None) == Context().stack_name
    assert stack_name("team-a") == Context(prefix="team-a").stack_name


class StepFunctions:
    def __init__(self) -> None:
        self.stopped: list[str] = []

    def stop_execution(self, *, executionArn: str, **_: Any) -> None:
        self.stopped.append(executionArn)


def interrupted(
    monkeypatch, answer: str | type[BaseException], terminal: bool = True
) -> tuple[list[str], str]:
    """What was stopped, and what was said, when a person at a terminal answers so."""

    def asked(prompt: str) -> str:
        assert prompt == "stop run r1? [y/N] "
        if isinstance(answer, str):
            return answer
        raise answer

    monkeypatch.setattr("builtins.input", asked)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: terminal))
    deployed = Deployed(installation("CREATE_COMPLETE"), "QueueBreakeven", {"StateMachineArn": MACHINE})
    api, out = StepFunctions(), io.StringIO()
    object.__setattr__(deployed, "step_functions", api)
    assert run_on_aws._leave(deployed, "r1", Console(file=out, width=200)) == 130
    return api.stopped, out.getvalue()


def test_whoever_says_yes_stops_the_run_and_is_shown_how_to_go_on_with_it(monkeypatch):
    stopped, said = interrupted(monkeypatch, "y")
    assert stopped == ["arn:aws:states:eu-west-1:123456789012:execution:m:r1"]
    assert "npm run breakeven -- run --on aws --resume r1" in said


@pytest.mark.parametrize(
    ("answer", "terminal"),
    [("", True), ("n", True), (KeyboardInterrupt, True), (EOFError, True), ("y", False)],
)
def test_otherwise_it_goes_on_and_that_is_said_with_how_to_stop_it(monkeypatch, answer, terminal):
    stopped, said = interrupted(monkeypatch, answer, terminal)
    assert stopped == []
    assert "r1 is still running and still incurs costs" in said
    assert "--follow r1" in said
    assert "stop-execution --execution-arn arn:aws:states:eu-west-1:123456789012:execution:m:r1" in said


@pytest.mark.parametrize(
    "options", [("--prefix", "a"), ("--profile", "a"), ("--follow", "a"), ("--max-usd", "1")]
)
def test_options_of_runs_on_aws_are_refused_on_one_machine(capsys, options):
    assert main(["run", "quick", *options]) == 2
    assert f"{options[0]}: " in (said := capsys.readouterr().err)
    assert "give --on aws" in said


@pytest.mark.parametrize("options", [("quick",), ("--resume", "r2")])
def test_following_takes_nothing_that_would_start_a_run(capsys, options):
    assert main(["run", "--on", "aws", "--follow", "r1", *options]) == 2
    assert "only follows what was started" in capsys.readouterr().err
