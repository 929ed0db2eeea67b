"""Lists one or a few items a page, whoever asks for no such thing, and of EC2 an empty first page.

Sources: "Pagination" in the Amazon EC2 Developer Guide ("a page may hold fewer items than asked for, or none,
and a token"); "Paginating table query results", Amazon DynamoDB Developer Guide; ListObjectsV2, Amazon S3 API
Reference ("the response might contain fewer keys, but will never contain more"); ListTasks, Amazon ECS.
"""

from __future__ import annotations

import copy
import itertools
import json
import re
import threading
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree as ET

from local.aws.strict.front import Answer, PassOn, Request

FEW = 3
EMPTY, SHORT = "empty page", "short page"
#: an instance or anything else that a call of EC2 names: it is then answered whole
NAMES_IDS = re.compile(rb"(?:^|&)(?:\w+Id|Filter\.\d+\.Name=[a-z-]+-id)(?:\.\d+)?=")
MARK = "weather-"


class Pages:
    """:param happened: is given, of each page that is not the whole list, its kind and its service"""

    def __init__(self, happened: Callable[[str, str], None]) -> None:
        self._happened = happened
        self._numbers, self._lock = itertools.count(), threading.Lock()
        self._rest: dict[str, tuple[ET.Element, list[ET.Element]]] = {}

    def answer(self, request: Request, pass_on: PassOn) -> Answer:
        """The request's answer, or a page of it."""
        operation = request.operation or ""
        if operation == "s3:ListObjectsV2" and "max-keys" not in request.environ["QUERY_STRING"]:
            return self._few_keys(request, pass_on)
        if operation == "dynamodb:Query":
            return self._few_items(request, pass_on)
        if operation.startswith("ec2:Describe"):
            return self._one_each(request, pass_on)
        return pass_on(request)

    def _few_keys(self, request: Request, pass_on: PassOn) -> Answer:
        given = request.environ["QUERY_STRING"]
        answer = pass_on(_changed(request, QUERY_STRING=f"{given}&max-keys={FEW}"))
        if b"<IsTruncated>true" in answer.body:
            self._happened(SHORT, "s3")
        return answer

    def _few_items(self, request: Request, pass_on: PassOn) -> Answer:
        asked: dict[str, Any] = json.loads(request.body)
        body = json.dumps({"Limit": FEW, **asked}).encode()
        answer = pass_on(_changed(request, body, CONTENT_LENGTH=str(len(body))))
        if b'"LastEvaluatedKey"' in answer.body:
            self._happened(SHORT, "dynamodb")
        return answer

    def _one_each(self, request: Request, pass_on: PassOn) -> Answer:
        token = request.parameters.get("NextToken", "")
        if token.startswith(MARK):
            root, rest = self._rest[token]  # kept: whoever has lost the answer asks for the page again
            return self._page(root, rest)
        answer = pass_on(request)
        if answer.status != 200 or NAMES_IDS.search(request.body):
            return answer
        root = ET.fromstring(answer.body)
        found = _list_of(root)
        if found is None or len(found) < 2:
            return answer
        items = list(found)
        for item in items:
            found.remove(item)
        return self._page(root, items, empty=True)

    def _page(self, root: ET.Element, items: list[ET.Element], *, empty: bool = False) -> Answer:
        root = copy.deepcopy(root)
        found = _list_of(root)
        assert found is not None
        for item in list(found):
            found.remove(item)
        if not empty:
            found.append(items[0])
        rest = items if empty else items[1:]
        _set_token(root, self._keep(root, rest) if rest else None)
        self._happened(EMPTY if empty else SHORT, "ec2")
        return Answer.of(200, "text/xml", ET.tostring(root))

    def _keep(self, root: ET.Element, rest: list[ET.Element]) -> str:
        with self._lock:
            token = f"{MARK}{next(self._numbers)}"
            self._rest[token] = (root, rest)
        return token


def _list_of(root: ET.Element) -> ET.Element | None:
    return next((child for child in root if child.tag.endswith("Set")), None)


def _set_token(root: ET.Element, token: str | None) -> None:
    for child in [child for child in root if child.tag.endswith("nextToken")]:
        root.remove(child)
    if token:
        ET.SubElement(root, f"{root.tag.rpartition('}')[0]}}}nextToken").text = token


def _changed(request: Request, body: bytes | None = None, **environ: str) -> Request:
    """A request like it, which the layers behind read anew."""
    return Request({**request.fresh_environ(body), **environ})
