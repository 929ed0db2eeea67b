"""A Price List service behind a real boto3 client: fixtures, filtered and paged as the service does it.

Botocore's own hook stands where the network would be, so that requests are built, signed and retried, and
answers are parsed, by the client that a run uses.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from io import BytesIO
from pathlib import Path
from typing import Any

from botocore.awsrequest import AWSResponse

from breakeven.steps.run.account_capacity import pricing_client

FIXTURES = Path(__file__).parents[2] / "fixtures" / "price_list"
ALL = ("sqs", "ec2", "ebs", "nat", "data_transfer", "vpc", "amazon_mq")
Entry = dict[str, Any]
#: status and body of an answer that is not the service's usual one
Reply = tuple[int, str]


def entries(*names: str) -> list[Entry]:
    """The entries of those fixtures, each a copy of its own."""
    found = [json.loads((FIXTURES / f"{name}.json").read_text(encoding="utf-8")) for name in names]
    return deepcopy([item["entry"] for document in found for item in document["entries"]])


def elsewhere(found: list[Entry], names: dict[str, str]) -> list[Entry]:
    """The entries with texts replaced, such as those that name the region."""
    text = json.dumps(found)
    for old, new in names.items():
        text = text.replace(old, new)
    made: list[Entry] = json.loads(text)
    return made


class PriceList:
    """``filtering`` off answers with all that the service code has: only the reader's checks are left.

    ``reply`` may answer a question in the service's stead: it gets the question and its number from 1.
    """

    def __init__(
        self,
        found: list[Entry],
        *,
        filtering: bool = True,
        page: int = 100,
        reply: Callable[[dict[str, Any], int], Reply | None] | None = None,
    ) -> None:
        self._found, self._filtering, self._page, self._reply = found, filtering, page, reply
        self.asked: list[dict[str, Any]] = []

    def client(self) -> Any:
        client = pricing_client()
        client.meta.events.register("before-send.pricing.GetProducts", self._answer)
        return client

    def filters(self, service_code: str) -> list[dict[str, str]]:
        """What the questions about a service were filtered by, in order."""
        return [
            {one["Field"]: one["Value"] for one in question["Filters"]}
            for question in self.asked
            if question["ServiceCode"] == service_code
        ]

    def _answer(self, request: Any, **_: Any) -> AWSResponse:
        question = json.loads(request.body)
        self.asked.append(question)
        instead = self._reply(question, len(self.asked)) if self._reply else None
        status, body = instead or (200, json.dumps(self._listed(question)))
        return AWSResponse(request.url, status, {"content-type": "application/x-amz-json-1.1"}, _Raw(body))

    def _listed(self, question: dict[str, Any]) -> dict[str, Any]:
        assert question["FormatVersion"] == "aws_v1"
        assert 1 <= question["MaxResults"] <= 100
        matching = [json.dumps(entry) for entry in self._found if self._matches(entry, question)]
        start = int(question.get("NextToken", 0))
        end = start + self._page
        more = {"NextToken": str(end)} if end < len(matching) else {}
        return {"FormatVersion": "aws_v1", "PriceList": matching[start:end], **more}

    def _matches(self, entry: Entry, question: dict[str, Any]) -> bool:
        product = entry["product"]
        attributes = {**product["attributes"], "productFamily": product.get("productFamily")}
        if entry["serviceCode"] != question["ServiceCode"]:
            return False
        wanted = [(one["Field"], one["Value"]) for one in question["Filters"]]
        assert all(one["Type"] == "TERM_MATCH" for one in question["Filters"])
        return not self._filtering or all(attributes.get(name) == value for name, value in wanted)


class _Raw(BytesIO):
    """The body as botocore reads it from a connection."""

    def __init__(self, body: str) -> None:
        super().__init__(body.encode())

    def stream(self, **_: Any) -> Iterator[bytes]:
        yield self.read()


def refused(code: str, status: int = 400) -> Callable[[dict[str, Any], int], Reply]:
    """Every question is refused with that code."""
    body = json.dumps({"__type": code, "message": "User: arn:aws:iam::123456789012:role/plan"})
    return lambda question, number: (status, body)
