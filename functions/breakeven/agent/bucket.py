"""The results bucket as an agent on a node sees it: its lane's orders, its answers, its host's samples."""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from breakeven.agent.node_orders import ANSWER_ENDING, EXPECTED_ENDING, ORDER_ENDING, FaultAnswer, NodeOrder

#: how often is looked for orders while none are expected, seconds; each look is a request that costs money
IDLE_LOOK_S = 2.0


class Bucket:
    """:param s3: boto3's client"""

    def __init__(self, s3: Any, name: str) -> None:
        self._s3, self._name = s3, name

    def keys(self, prefix: str) -> list[str]:
        pages = self._s3.get_paginator("list_objects_v2").paginate(Bucket=self._name, Prefix=prefix)
        return [str(entry["Key"]) for page in pages for entry in page.get("Contents", ())]

    def read(self, key: str) -> Any:
        """A document of JSON. Raises boto3's errors, or ValueError."""
        return json.loads(self._s3.get_object(Bucket=self._name, Key=key)["Body"].read())

    def write(self, key: str, body: bytes, content_type: str) -> None:
        self._s3.put_object(Bucket=self._name, Key=key, Body=body, ContentType=content_type)


class NodeOrders:
    """The orders of one lane that are for one node.

    :param prefix: of the lane's orders and answers, ending in a slash
    :param node: the broker node's name
    """

    def __init__(self, bucket: Bucket, prefix: str, node: str) -> None:
        self._bucket, self._prefix, self._node = bucket, prefix, node
        #: keys of orders that are for other nodes, or were answered before this agent began
        self._not_ours: set[str] = set()
        self._look_at = 0.0

    def half_done(self) -> Iterator[tuple[NodeOrder, FaultAnswer]]:
        """What an agent before this one had begun and not ended; to be asked for before ``beyond``."""
        keys = set(self._bucket.keys(self._prefix))
        for key in sorted(keys):
            answer_key = _answer_key(key)
            if not key.endswith(ORDER_ENDING) or answer_key not in keys:
                continue
            self._not_ours.add(key)
            answer = FaultAnswer(**self._bucket.read(answer_key))
            order = self._read(key)
            if order is not None and not answer.over:
                yield order, answer

    def beyond(self, known: Collection[str]) -> Mapping[str, NodeOrder]:
        """Those whose keys are not known, by key; none where it is too early for another look."""
        now = time.time()
        if now < self._look_at:
            return {}
        keys = self._bucket.keys(self._prefix)
        self._look_at = now if now < _expected_until(keys) else now + IDLE_LOOK_S
        new = (
            key
            for key in keys
            if key.endswith(ORDER_ENDING) and key not in known and key not in self._not_ours
        )
        found = ((key, self._read(key)) for key in new)
        return {key: order for key, order in found if order is not None}

    def answer(self, order: NodeOrder, answer: FaultAnswer) -> None:
        body = json.dumps(asdict(answer), separators=(",", ":")).encode()
        self._bucket.write(_answer_key(order.key), body, "application/json")

    def _read(self, key: str) -> NodeOrder | None:
        """None: it is another node's, or nobody's."""
        try:
            order = NodeOrder.read(key, self._bucket.read(key))
        except (KeyError, TypeError, ValueError) as error:
            print(f"breakeven: {key} is no order: {error!r}", flush=True)
            order = None
        if order is not None and order.node == self._node:
            return order
        self._not_ours.add(key)
        return None


class Samples:
    """The samples of one node's host, left in batches, gzipped JSON: a list of what ``HostMeter`` gives.

    A batch's key tells its first and its last second. One that cannot be written goes with the next.

    :param prefix: of this node's, ending in a slash
    """

    BATCH, MOST_KEPT = 5, 900

    def __init__(self, bucket: Bucket, prefix: str) -> None:
        self._bucket, self._prefix = bucket, prefix
        self._kept: list[Mapping[str, Any]] = []

    def add(self, sample: Mapping[str, Any]) -> None:
        """Raises boto3's errors where a batch could not be written; it is kept."""
        self._kept = [*self._kept[1 - self.MOST_KEPT :], sample]
        if len(self._kept) % self.BATCH == 0:
            self._bucket.write(_batch_key(self._prefix, self._kept), _zipped(self._kept), "application/json")
            self._kept = []


def _batch_key(prefix: str, samples: Sequence[Mapping[str, Any]]) -> str:
    return f"{prefix}{samples[0]['at_s']:.0f}-{samples[-1]['at_s']:.0f}.json.gz"


def _zipped(samples: Sequence[Mapping[str, Any]]) -> bytes:
    return gzip.compress(json.dumps(list(samples), separators=(",", ":")).encode(), compresslevel=6)


def _answer_key(order_key: str) -> str:
    return f"{order_key.removesuffix(ORDER_ENDING)}{ANSWER_ENDING}"


def _expected_until(keys: Collection[str]) -> float:
    """Until when orders may come, epoch seconds, as the latest of these keys says; 0: none says it."""
    names = (key.rpartition("/")[2] for key in keys if key.endswith(EXPECTED_ENDING))
    instants = (name.removesuffix(EXPECTED_ENDING) for name in names)
    return max((float(instant) for instant in instants if instant.isdecimal()), default=0.0)
