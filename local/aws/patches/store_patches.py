"""Where moto's DynamoDB and S3 do otherwise than AWS's; see ``moto_patches.py``."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

from moto.dynamodb.responses import DynamoHandler
from moto.s3.utils import _VersionedKeyStore as ObjectsByKey

from local.aws.boto import Aws
from local.aws.patches.patch import Patch
from local.aws.swaps import Swaps


@Patch
def dynamodb_writes_are_atomic(swaps: Swaps, _: Aws) -> None:
    """Symptom: of concurrent updates some are lost, and two conditional puts of one key both succeed.

    Mend: one request at a time; each takes a millisecond or two.
    """
    lock = threading.RLock()

    def call_action(original: Any, self: Any) -> Any:
        with lock:
            return original(self)

    swaps.wrap(DynamoHandler, "call_action", call_action)


@Patch
def listings_outlive_deletions(swaps: Swaps, _: Aws) -> None:
    """Symptom: an object that is deleted while its bucket is listed is a KeyError of the listing.

    Mend: list what was there when it began.
    """

    def lists(self: Any) -> Iterator[tuple[str, list[Any]]]:
        return iter([(key, versions) for key, versions in dict(self).items() if versions])

    def items(self: Any) -> Iterator[tuple[str, Any]]:
        return iter([(key, latest) for key, versions in dict(self).items() for latest in versions[-1:]])

    def values(self: Any) -> Iterator[Any]:
        return iter([latest for _, latest in items(self)])

    for mended, names in (
        (lists, ("lists", "iterlists")),
        (items, ("items", "iteritems")),
        (values, ("values", "itervalues")),
    ):
        for name in names:
            swaps.attribute(ObjectsByKey, name, mended)
