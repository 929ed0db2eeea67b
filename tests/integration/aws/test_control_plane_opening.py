"""Opening and closing a control plane, and stacks that it refuses."""

from __future__ import annotations

import json
import os
import shutil
import threading
import time
import urllib.error
import urllib.request

import pytest
from moto.stepfunctions.parser.utils import TMP_THREADS

from breakeven.errors import BreakevenError
from tests.support.aws.probe import LIMIT_S, STACK, Plane, synthesized_probe


@pytest.fixture
def opened(tmp_path):
    """Makes a control plane; closed at the end."""
    made = []

    def make(assembly=None, **options):
        made.append(Plane(assembly or synthesized_probe(), tmp_path, **options))
        return made[-1]

    yield make
    for each in made:
        each.close()


def test_a_raise_put_into_the_asset_surfaces(opened, tmp_path):
    changed = shutil.copytree(synthesized_probe(), tmp_path / "changed")
    for code in changed.glob("asset.*/probe.py"):
        code.write_text(
            code.read_text().replace("def settle(event, context):", "def settle(event, context):\n    1 / 0")
        )
    made = opened(changed).deploy()
    made.run("changed")
    assert made.failures("changed") == {"SettleTask": "ZeroDivisionError"}


def test_faults_are_injected_by_function(opened):
    made = opened(on_invoke=lambda name, event: {"raise": "Injected"} if "Prepare" in name else None).deploy()
    made.run("injected")
    assert made.failures("injected") == {"PrepareTask": "Injected"}


def test_close_while_it_runs_leaves_nothing(opened):
    before = set(threading.enumerate())
    made = opened().deploy()
    execution = made.start("closed", fault={"prepare": "sleep"})
    deadline = time.monotonic() + LIMIT_S
    while not any("Prepare" in name for name in made.children.running()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    endpoint = made.plane.endpoint
    assert made.plane.status(execution) == "RUNNING"
    made.plane.close()
    assert made.children.running() == []
    assert TMP_THREADS == []
    assert not [thread for thread in set(threading.enumerate()) - before if "_execution_logic" in thread.name]
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(endpoint)
    made.plane.close()


@pytest.mark.parametrize(
    ("method", "path", "headers"),
    [
        ("GET", "/", {}),
        ("POST", "/moto-api/reset", {}),
        ("GET", "/", {"X-Amz-Security-Token": "local"}),
        ("GET", "/", {"X-Amz-Security-Token": "\xe9"}),
        (
            "OPTIONS",
            "/",
            {"Origin": "http://a.page", "Access-Control-Request-Headers": "x-amz-security-token"},
        ),
    ],
)
def test_nobody_but_the_runs_own_processes_is_answered(opened, method, path, headers):
    made = opened()
    made.plane.client("s3").create_bucket(Bucket="secrets")
    asked = urllib.request.Request(made.plane.endpoint + path, method=method, headers=headers)
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.build_opener(urllib.request.ProxyHandler({})).open(asked)
    assert refused.value.code == 403
    assert "Access-Control-Allow-Origin" not in refused.value.headers
    assert [one["Name"] for one in made.plane.client("s3").list_buckets()["Buckets"]] == ["secrets"]


def test_each_control_plane_has_a_token_of_its_own(opened):
    tokens = set()
    for _ in range(2):
        made = opened()
        tokens.add(os.environ["AWS_SESSION_TOKEN"])
        made.plane.close()
    assert len(tokens) == 2
    assert all(len(token) >= 32 for token in tokens)


def test_the_users_settings_are_hidden_and_given_back(opened, monkeypatch):
    mine = {
        "AWS_PROFILE": "absent",
        "AWS_ENDPOINT_URL": "http://127.0.0.1:1",
        "HTTP_PROXY": "http://127.0.0.1:1",
    }
    for name, value in mine.items():
        monkeypatch.setenv(name, value)
    made = opened()
    assert made.plane.client("sts").get_caller_identity()["Account"] == "123456789012"
    made.plane.close()
    assert {name: os.environ.get(name) for name in mine} == mine
    assert "AWS_SECRET_ACCESS_KEY" not in os.environ


def edited(tmp_path, change):
    copy = shutil.copytree(synthesized_probe(), tmp_path / "edited")
    template = copy / f"{STACK}.template.json"
    content = json.loads(template.read_text())
    change(content)
    template.write_text(json.dumps(content))
    return copy


@pytest.mark.parametrize(
    ("resource", "message"),
    [
        (
            {"Type": "AWS::GameLift::Fleet", "Properties": {}},
            "resource Added.*AWS::GameLift::Fleet is not known",
        ),
        (
            {"Type": "Custom::Thing", "Properties": {"ServiceToken": "x"}},
            "resource Added.*Custom::Thing is not known",
        ),
        (
            {
                "Type": "AWS::Glue::Table",
                "Properties": {"DatabaseName": "absent", "TableInput": {"Name": "t"}},
            },
            "resource Added",
        ),
        (
            {"Type": "AWS::SNS::Topic", "Properties": {"TopicName": {"Fn::GetAtt": ["Database", "Arn"]}}},
            "no attribute Arn",
        ),
    ],
    ids=["unknown type", "custom resource", "failing", "unknown attribute"],
)
def test_a_stack_that_cannot_be_created_is_refused(opened, tmp_path, resource, message):
    made = opened(edited(tmp_path, lambda content: content["Resources"].update(Added=resource)))
    with pytest.raises(BreakevenError, match=message):
        made.plane.deploy(STACK)


def test_a_parameter_without_a_value_is_refused(opened, tmp_path):
    added = {"Type": "AWS::SSM::Parameter::Value<String>", "Default": "/my/own"}
    made = opened(edited(tmp_path, lambda content: content["Parameters"].update(Mine=added)))
    with pytest.raises(BreakevenError, match="/my/own has no value here"):
        made.plane.deploy(STACK)


def test_a_stack_that_is_not_there_is_refused(opened):
    with pytest.raises(BreakevenError, match="no stack 'Absent'"):
        opened().plane.deploy("Absent")


def test_one_is_open_at_a_time(opened):
    opened()
    with pytest.raises(RuntimeError, match="open in this process already"):
        opened()
