"""An image baked by the deployed functions, each call held to its role: no run, no broker and no loader."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from breakeven.brokers.access import Access
from breakeven.installation import FAMILY_TAG
from breakeven.results.items import RUN
from breakeven.results.state import RunState
from local.aws.control_plane import ControlPlane
from local.children import Children
from tests.support.aws.definition import STACK
from tests.support.aws.stack_deletion import answers_to_cloudformation, deletion
from tests.support.workflow.workflow_runs import Machines

LIMIT_S, ARM = 120, "arm64"


@dataclass
class Deployed:
    plane: ControlPlane
    call: Callable[[str, dict[str, Any]], Any]
    state: Callable[[str], RunState]

    def bake(self, run_id: str) -> dict[str, Any]:
        """Call the function as the workflow does, until it waits for nothing; the run's record."""
        self.state(run_id).update(RUN, status="running")
        deadline = time.monotonic() + LIMIT_S
        while self.call("bake_images", {"run_id": run_id, "images": [ARM]})["wait"]:
            assert time.monotonic() < deadline
            time.sleep(0.2)
        return self.state(run_id).get(RUN)

    def tagged(self, kind: str) -> list[dict[str, Any]]:
        ask = getattr(self.plane.client("ec2"), f"describe_{kind.lower()}")
        return list(ask(Filters=[{"Name": "tag-key", "Values": [FAMILY_TAG]}])[kind])


@pytest.fixture(scope="module")
def deployed(assembly, tmp_path_factory) -> Iterator[Deployed]:
    with (
        Children() as children,
        ControlPlane(
            children=children,
            cloud_assembly=assembly,
            machines=Machines(Access(username="nobody", password="nothing")),
            env={},
            log_dir=tmp_path_factory.mktemp("baking"),
        ) as plane,
    ):
        outputs, api = plane.deploy(STACK), plane.client("lambda")
        names = {
            function["Handler"].split(".")[-2]: function["FunctionName"]
            for page in api.get_paginator("list_functions").paginate()
            for function in page["Functions"]
        }

        def call(entry: str, event: dict[str, Any]) -> Any:
            name = names[entry]
            answer = api.invoke(FunctionName=name, Payload=json.dumps(event))
            body = answer["Payload"].read().decode()
            assert "FunctionError" not in answer, body
            return json.loads(body or "null")

        def state(run_id: str) -> RunState:
            return RunState(plane.resource("dynamodb").Table(outputs["StateTableName"]), run_id)

        yield Deployed(plane, call, state)


def test_an_image_is_baked_said_why_not_and_removed_by_calls_that_their_roles_allow(deployed, monkeypatch):
    for end, said in (("failed", "apt: no network"), ("silent", "has stopped and left no report")):
        monkeypatch.setattr(deployed.plane.builders, "end", end)
        assert said in deployed.bake(end)["images_failed"][ARM]
        assert deployed.tagged("Images") == []
    monkeypatch.setattr(deployed.plane.builders, "end", "done")
    record = deployed.bake("done")
    (image,) = deployed.tagged("Images")
    assert record["images"] == {ARM: image["ImageId"]}
    assert len(deployed.tagged("Snapshots")) == 1
    with answers_to_cloudformation() as (url, answers):
        deployed.call("remove_images", deletion(url))
    assert [answer["Status"] for answer in answers] == ["SUCCESS"], answers
    assert deployed.tagged("Images") == deployed.tagged("Snapshots") == []
