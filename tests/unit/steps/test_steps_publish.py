"""Published reports: a copy of every run's, and the newest good run's as ``latest``, whichever ends last."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError

from breakeven.results import store as stores
from breakeven.results.store import Store
from breakeven.steps.run.publish_report import publish
from tests.support.aws.moto_results import installed

MONDAY, TUESDAY = "2026-11-23T06:00:00.123Z", "2026-11-24T06:00:00.123Z"
NAMES = ("index.html", "report.json", "report.md", "cases.csv")


@pytest.fixture
def store(monkeypatch):
    with installed(monkeypatch) as services:
        yield services.store


def files(run_id: str) -> dict[str, bytes]:
    return {name: f"{name} of {run_id}".encode() for name in NAMES}


def published(store: Store, run_id: str, started_at: str, *, good: bool = True) -> None:
    publish(store, run_id, started_at, files(run_id), good=good)


def in_folder(store: Store, folder: str) -> dict[str, bytes]:
    prefix = f"reports/{folder}/"
    return {key.removeprefix(prefix): store.get_bytes(key) for key in store.keys(prefix)}


def test_a_run_is_published_under_its_name_and_as_the_latest(store):
    published(store, "monday", MONDAY)
    assert in_folder(store, "monday") == in_folder(store, "latest") == files("monday")


def test_each_file_is_served_as_what_it_is_and_the_latest_is_asked_for_again(store):
    published(store, "monday", MONDAY)
    heads = {key: store._find_head(key) for key in store.keys("reports/")}
    kinds = {key.rpartition(".")[2]: head["ContentType"] for key, head in heads.items()}
    assert kinds == {
        "html": "text/html; charset=utf-8",
        "json": "application/json",
        "md": "text/markdown; charset=utf-8",
        "csv": "text/csv; charset=utf-8",
    }
    kept = {(key.split("/")[1], head["CacheControl"]) for key, head in heads.items()}
    assert kept == {("monday", "public, max-age=3600"), ("latest", "no-cache")}


def test_an_older_run_that_ends_later_leaves_the_latest_alone(store):
    published(store, "tuesday", TUESDAY)
    published(store, "monday", MONDAY)
    assert in_folder(store, "latest") == files("tuesday")
    assert in_folder(store, "monday") == files("monday")


def test_a_newer_run_replaces_the_latest(store):
    published(store, "monday", MONDAY)
    published(store, "tuesday", TUESDAY)
    assert in_folder(store, "latest") == files("tuesday")


def test_a_latest_that_was_put_there_by_hand_is_replaced(store):
    published(store, "monday", MONDAY)
    store.put_bytes("reports/latest/index.html", b"restored")
    published(store, "tuesday", TUESDAY)
    assert in_folder(store, "latest") == files("tuesday")


def test_a_report_that_is_written_again_is_the_latest_as_a_whole(store):
    published(store, "monday", MONDAY)
    publish(store, "monday", MONDAY, files("monday, again"), good=True)
    assert in_folder(store, "latest") == files("monday, again")


def test_a_run_of_which_no_case_is_ok_is_published_and_not_the_latest(store):
    published(store, "monday", MONDAY)
    published(store, "tuesday", TUESDAY, good=False)
    assert in_folder(store, "tuesday") == files("tuesday")
    assert in_folder(store, "latest") == files("monday")


class Overtaken:
    """S3, in which another run publishes just before each of the first writes under ``latest``."""

    def __init__(self, s3: Any, *others: tuple[str, str]) -> None:
        self._s3, self._others = s3, list(others)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._s3, name)

    def put_object(self, **given: Any) -> Any:
        if self._others and given.keys() & {"IfMatch", "IfNoneMatch"}:
            published(Store(self._s3, "results"), *self._others.pop(0))
        return self._s3.put_object(**given)


def test_a_newer_run_that_publishes_between_look_and_write_stays_the_latest(store):
    published(Store(Overtaken(store._s3, ("tuesday", TUESDAY)), "results"), "monday", MONDAY)
    assert in_folder(store, "latest") == files("tuesday")


def test_an_older_run_that_publishes_between_look_and_write_is_replaced(store):
    published(store, "sunday", "2026-11-22T06:00:00Z")
    published(Store(Overtaken(store._s3, ("monday", MONDAY)), "results"), "tuesday", TUESDAY)
    assert in_folder(store, "latest") == files("tuesday")


class Elsewhere:
    """S3, of which a call meets once what another writer does at that moment."""

    def __init__(self, s3: Any, call: str, meets: Callable[[str], None]) -> None:
        self._s3, self._call, self._meets = s3, call, meets
        self.met: list[str] = []

    def __getattr__(self, name: str) -> Any:
        original = getattr(self._s3, name)
        if name != self._call:
            return original

        def meeting(**given: Any) -> Any:
            if "/latest/" in given["Key"] and given["Key"] not in self.met:
                self.met.append(given["Key"])
                self._meets(given["Key"])
            return original(**given)

        return meeting


def conflict(_: str) -> None:
    """As S3 answers while another conditional write of the key goes on, which the simulated one does not."""
    raise ClientError({"Error": {"Code": "ConditionalRequestConflict", "Message": "retry"}}, "PutObject")


def test_a_write_that_meets_another_is_tried_again(store):
    s3 = Elsewhere(store._s3, "put_object", conflict)
    published(Store(s3, "results"), "monday", MONDAY)
    assert len(s3.met) == len(files("monday"))
    assert in_folder(store, "latest") == files("monday")


def test_a_latest_that_is_deleted_between_two_looks_is_written_anew(store):
    published(store, "monday", MONDAY)
    s3 = Elsewhere(store._s3, "head_object", store.delete)
    published(Store(s3, "results"), "tuesday", TUESDAY)
    assert len(s3.met) == len(files("tuesday"))
    assert in_folder(store, "latest") == files("tuesday")


def test_a_latest_that_never_rests_and_a_refusal_are_errors(store, monkeypatch):
    monkeypatch.setattr(stores, "LOOKS", 2)
    days = [(f"day-{day}", f"2026-11-0{day}T06:00:00Z") for day in (1, 2, 3)]
    with pytest.raises(RuntimeError, match=r"reports/latest/index\.html was written by others 2 times"):
        published(Store(Overtaken(store._s3, *days), "results"), "tuesday", TUESDAY)
    with pytest.raises(ClientError, match="NoSuchBucket"):
        published(Store(boto3.client("s3"), "absent"), "tuesday", TUESDAY)
