"""What ``service_patches.py`` mends of DynamoDB and S3: right with it, and the symptom without it."""

from __future__ import annotations

import contextlib
import gc
import threading
import weakref

import pytest
from moto.dynamodb.models import table as dynamodb_table
from moto.s3.exceptions import BucketAccessDeniedError
from moto.s3.models import FakeKey, S3Backend
from moto.s3.responses import S3Response
from moto.s3.utils import _VersionedKeyStore as ObjectsByKey

from local.aws.patches import service_patches
from local.aws.swaps import Swaps
from tests.support.aws.moto_server import both

#: seconds that a request waits for another which a patch keeps out; without it the other comes, however late
WHILE_LOCKED_S = 1


@both
def test_dynamodb_writes_are_atomic(moto, patched):
    """Two conditional puts of one key, both of which would have looked before either writes."""

    def held(*args):
        condition = original(*args)
        try:
            meeting.wait(WHILE_LOCKED_S if patched else 60)
        except threading.BrokenBarrierError:
            return condition  # nobody else got in
        return condition

    table, outcomes, meeting = moto.name() + "-table", [], threading.Barrier(2)
    client = moto.aws.client("dynamodb")
    client.create_table(
        TableName=table,
        KeySchema=[{"AttributeName": "k", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "k", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )

    def put():
        try:
            item = {"k": {"S": "lock"}}
            client.put_item(TableName=table, Item=item, ConditionExpression="attribute_not_exists(k)")
            outcomes.append("put")
        except client.exceptions.ConditionalCheckFailedException:
            outcomes.append("refused")

    with moto.patched_with(service_patches.dynamodb_writes_are_atomic, patched), Swaps() as swaps:
        original = swaps.attribute(dynamodb_table, "get_filter_expression", held)
        writers = [threading.Thread(target=put) for _ in range(2)]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
    assert sorted(outcomes) == (["put", "refused"] if patched else ["put", "put"])


@both
@pytest.mark.parametrize("condition", ["IfNoneMatch", "IfMatch"])
def test_s3_conditions_are_atomic(moto, patched, condition):
    """Two conditional writes of one key, both of which would have looked before either writes."""

    def held(original, *args, **kwargs):
        with contextlib.suppress(threading.BrokenBarrierError):  # nobody else got in
            meeting.wait(WHILE_LOCKED_S if patched else 60)
        return original(*args, **kwargs)

    def race():
        def put(body):
            try:
                client.put_object(Bucket=bucket, Key="latest", Body=body, **{condition: value})
                outcomes.append("put")
            except client.exceptions.ClientError as error:
                outcomes.append(error.response["Error"]["Code"])

        value = "*"
        client.delete_object(Bucket=bucket, Key="latest")
        if condition == "IfMatch":
            value = client.put_object(Bucket=bucket, Key="latest", Body=b"before")["ETag"]
        outcomes = []
        with Swaps() as swaps:
            swaps.wrap(S3Backend, "put_object", held)
            writers = [threading.Thread(target=put, args=(body,)) for body in (b"one", b"two")]
            for writer in writers:
                writer.start()
            for writer in writers:
                writer.join()
        meeting.reset()
        return sorted(outcomes)

    bucket, meeting = moto.name() + "-bucket", threading.Barrier(2)
    client = moto.aws.client("s3")
    client.create_bucket(Bucket=bucket)
    with moto.patched_with(service_patches.s3_conditions_are_atomic, patched):
        if patched:
            assert race() == ["PreconditionFailed", "put"]
        else:  # now and then one has written before the other looks
            assert any(race() == ["put", "put"] for _ in range(20))


def test_deletions_that_are_denied_are_answered_key_by_key_as_without_the_patch(moto, monkeypatch):
    def denied(_, bucket_name, **__):
        raise BucketAccessDeniedError(bucket=bucket_name)

    bucket, client = moto.name() + "-bucket", moto.aws.client("s3")
    client.create_bucket(Bucket=bucket)
    monkeypatch.setattr(S3Response, "_authenticate_and_authorize_s3_action", denied)
    with moto.patched_with(service_patches.s3_conditions_are_atomic, True):
        answer = client.delete_objects(Bucket=bucket, Delete={"Objects": [{"Key": "latest"}]})
    assert [(error["Key"], error["Code"]) for error in answer["Errors"]] == [("latest", "AccessDenied")]


@both
def test_an_object_is_not_there_before_its_metadata(moto, patched):
    """Who looks while it is written waits for its end."""
    bucket, looked, written, seen = moto.name() + "-bucket", threading.Event(), threading.Event(), []
    client = moto.aws.client("s3")
    client.create_bucket(Bucket=bucket)

    def held(original, self, metadata, *args, **kwargs):
        written.set()
        looked.wait(WHILE_LOCKED_S if patched else 60)  # with the patch nobody looks until this ends
        return original(self, metadata, *args, **kwargs)

    def look():
        assert written.wait(60)
        seen.append(client.head_object(Bucket=bucket, Key="latest")["Metadata"])
        looked.set()

    with moto.patched_with(service_patches.s3_conditions_are_atomic, patched), Swaps() as swaps:
        swaps.wrap(FakeKey, "set_metadata", held)
        reader = threading.Thread(target=look)
        reader.start()
        client.put_object(Bucket=bucket, Key="latest", Body=b"one", Metadata={"age": "1"})
        reader.join()
    assert seen == [{"age": "1"} if patched else {}]


@both
@pytest.mark.parametrize(
    ("listing", "whole"),
    [
        ("items", [("kept", "1"), ("deleted", "2")]),
        ("values", ["1", "2"]),
        ("lists", [("kept", ["1"]), ("deleted", ["2"])]),
    ],
)
def test_listings_outlive_deletions(moto, listing, whole, patched):
    with moto.patched_with(service_patches.listings_outlive_deletions, patched):
        objects = ObjectsByKey({"kept": ["1"], "deleted": ["2"]})
        listed = getattr(objects, listing)()
        first = next(listed)
        dict.pop(objects, "deleted")
        if patched:
            assert [first, *listed] == whole
        elif listing == "lists":
            assert next(listed) == ("deleted", None)
        else:
            with pytest.raises(KeyError):
                next(listed)


@both
@pytest.mark.parametrize("change", ["replaced", "deleted"])
def test_objects_outlive_replacements(moto, patched, change):
    objects = ObjectsByKey()
    with moto.patched_with(service_patches.objects_outlive_replacements, patched, base=[]):
        objects["key"] = FakeKey("key", b"before", account_id="123456789012", region_name="us-east-1")
        being_read = objects["key"]
        if change == "replaced":
            after = FakeKey("key", b"after", account_id="123456789012", region_name="us-east-1")
            objects.setlist("key", [after])
            assert objects["key"].value == b"after"
        else:
            objects.pop("key")
        if patched:
            assert being_read.value == b"before"
        else:
            with pytest.raises(ValueError, match="closed file"):
                _ = being_read.value


def test_what_nobody_holds_of_an_object_any_more_is_gone(moto):
    objects = ObjectsByKey()
    with moto.patched_with(service_patches.objects_outlive_replacements, True, base=[]):
        objects["key"] = FakeKey("key", b"before", account_id="123456789012", region_name="us-east-1")
        before = weakref.ref(objects["key"])
        after = FakeKey("key", b"after", account_id="123456789012", region_name="us-east-1")
        objects.setlist("key", [after])
        gc.collect()
        assert before() is None
