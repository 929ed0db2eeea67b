"""CloudFormation as a custom resource's function sees it: what it is called with, and where it answers."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from breakeven.installation import FAMILY_TAG, IMAGE_TAG, OWNER_TAG, RUN_TAG
from tests.support.workflow.left_behind import OURS, standing

if TYPE_CHECKING:
    from tests.support.workflow.workflow_runs import Workflow

#: "Custom resource request objects", CloudFormation guide
REQUEST = {
    "RequestType": "Delete",
    "RequestId": "unique-1",
    "ServiceToken": "arn:aws:lambda:us-east-1:123456789012:function:removes",
    "StackId": "arn:aws:cloudformation:us-east-1:123456789012:stack/QueueBreakeven/1",
    "LogicalResourceId": "ImagesRemoval",
    "PhysicalResourceId": "images of QueueBreakeven",
    "ResourceType": "Custom::BakedImages",
    "ResourceProperties": {"ServiceTimeout": "360"},
}


def deletion(url: str) -> dict[str, Any]:
    """What the function is called with when the stack is deleted.

    :param url: where it is to answer
    """
    return {**REQUEST, "ResponseURL": url}


@contextmanager
def answers_to_cloudformation() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """A URL, and what has been put there."""
    answers: list[dict[str, Any]] = []

    class Put(BaseHTTPRequestHandler):
        def do_PUT(self) -> None:
            length = int(self.headers["Content-Length"])
            # the URL is signed for no content type ("Custom resource response objects")
            answer = json.loads(self.rfile.read(length))
            if refused := bool(self.headers.get("Content-Type")):
                self.close_connection = True
            else:
                answers.append(answer)
            self.send_response(403 if refused else 200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Put)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/answer?signed=1", answers
    finally:
        server.shutdown()
        server.server_close()


def assert_images_go(workflow: Workflow) -> None:
    """Called as when the stack is deleted, the function leaves no builder, no image and no snapshot."""
    leave_builder(workflow, "builder")
    with answers_to_cloudformation() as (url, answers):
        workflow.call("remove_images", deletion(url))
    assert [answer["Status"] for answer in answers] == ["SUCCESS"], answers
    assert standing(workflow, "builder")["instances"] == 0
    ec2, ours = workflow.plane.client("ec2"), [{"Name": "tag-key", "Values": [FAMILY_TAG]}]
    assert ec2.describe_images(Owners=["self"], Filters=ours)["Images"] == []
    assert ec2.describe_snapshots(Filters=ours)["Snapshots"] == []


def leave_builder(workflow: Workflow, run_id: str) -> None:
    """An instance that an image was to be made of, of which nobody has heard any more."""
    ec2 = workflow.plane.client("ec2")
    tags = {OWNER_TAG: OURS, RUN_TAG: run_id, IMAGE_TAG: "image", FAMILY_TAG: "family"}
    workflow.plane.builders.end = "never"
    ec2.run_instances(
        ImageId=ec2.describe_images(Owners=["amazon"])["Images"][0]["ImageId"],
        MinCount=1,
        MaxCount=1,
        TagSpecifications=[
            {"ResourceType": "instance", "Tags": [{"Key": key, "Value": tags[key]} for key in tags]}
        ],
    )
    workflow.plane.builders.end = "done"
