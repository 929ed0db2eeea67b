"""A loader as a task: ``python -m handlers.task``, a process of its own, with its key in a simulated S3."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from breakeven.installation import TASK_INPUT
from breakeven.loadgen.result import LoaderResult
from breakeven.results import layout
from breakeven.results.items import RUN, case_item, loader_item
from breakeven.results.store import Store
from breakeven.steps.case.prepare_case import prepare
from breakeven.steps.case.settle_case import settle
from breakeven.steps.services import Services
from tests.support.aws.moto_results import state_table
from tests.support.aws.moto_server import moto_server
from tests.support.aws.task_cases import RUN_ID, stored

ROOT = Path(__file__).parents[3]
LIMIT_S = 60
LOAD = {"mode": "load-unload", "messages": 4, "threads": 1, "loaders": 1, "drain_s": 10}
OK, FAILED = 0, 1


@pytest.fixture(scope="module")
def services() -> Iterator[Services]:
    with moto_server() as moto:
        moto.aws.client("s3").create_bucket(Bucket="results")
        yield Services(Store(moto.aws.client("s3"), "results"), state_table())


@pytest.fixture
def case(services):
    """One that is ready for its loader."""
    services.state(RUN_ID).update(RUN, tasks="ready")

    def made(attempts: int = 1, **scenario):
        found = stored(services, **scenario)
        services.state(RUN_ID).update(case_item(found.case_id), status="planned")
        return found, [prepare(services, RUN_ID, found.case_id) for _ in range(attempts)][-1]

    return made


@contextmanager
def task(key: str) -> Iterator[subprocess.Popen[str]]:
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT / "functions"),
        "BREAKEVEN_BUCKET": "results",
        "BREAKEVEN_TABLE": "state",
        TASK_INPUT: key,
    }
    command = [sys.executable, "-m", "handlers.task"]
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def ended(key: str) -> tuple[int, str]:
    """Exit code and log of a task that ends by itself."""
    with task(key) as process:
        said, _ = process.communicate(timeout=LIMIT_S)
        return process.returncode, said


def input_of(case, attempt: int) -> str:
    return layout.task_input_key(RUN_ID, case.case_id, attempt, 0)


def left(services, case, attempt: int, kind: str) -> LoaderResult:
    key = layout.loader_key(RUN_ID, case.case_id, attempt, 0, kind)
    return LoaderResult.from_json(services.store.get_json(key))


def sent(result: LoaderResult) -> int:
    return sum(producer.sent for producer in result.ledger.producers.values())


def test_a_loader_leaves_its_result_and_ends_well(services, case):
    found, attempt = case(**LOAD)
    code, said = ended(input_of(found, attempt))
    assert code == OK, said
    result = left(services, found, attempt, "result")
    assert (result.final, sent(result)) == (True, 4)
    assert services.state(RUN_ID).get(loader_item(found.case_id, attempt, 0))["result"] is True
    assert f'"case_id":"{found.case_id}"' in said, "a line of its log is found by its case"
    assert ended(input_of(found, attempt))[0] == OK, "started twice, it leaves the first one's result"
    assert settle(services, RUN_ID, found.case_id, attempt)


def test_a_key_that_is_not_there_ends_it_ill(services):
    code, said = ended("runs/run_id=none/nothing.json")
    assert code == FAILED
    assert "NoSuchKey" in said


def test_a_document_that_is_no_event_ends_it_ill(services):
    services.store.put_json("runs/run_id=x/wrong.json", {"run_id": "x", "password": "no"})
    code, said = ended("runs/run_id=x/wrong.json")
    assert code == FAILED
    assert "password" in said


def test_a_loader_that_fails_says_why_where_a_functions_is_looked_for(services, case):
    found, attempt = case(**LOAD)
    item = case_item(found.case_id)
    services.state(RUN_ID).update(item, queues='["http://127.0.0.1:9/123456789012/none"]')
    code, _ = ended(input_of(found, attempt))
    assert code == FAILED
    record = services.state(RUN_ID).get(loader_item(found.case_id, attempt, 0))
    assert (record["finished"], record["result"]) == (True, False)
    assert left(services, found, attempt, "checkpoint").reason


def test_a_task_that_is_stopped_saves_what_it_has_and_ends(services, case):
    found, attempt = case(threads=1, loaders=1, warmup_s=0, measure_s=600, drain_s=1)
    with task(input_of(found, attempt)) as process:
        deadline = time.monotonic() + LIMIT_S
        progress = loader_item(found.case_id, attempt, 0)
        while not services.state(RUN_ID).get(progress).get("sent"):
            assert time.monotonic() < deadline
            assert process.poll() is None, process.communicate()
            time.sleep(0.1)
        process.send_signal(signal.SIGTERM)
        said, _ = process.communicate(timeout=LIMIT_S)
        assert process.returncode == FAILED, said
    checkpoint = left(services, found, attempt, "checkpoint")
    assert checkpoint.reason == "the task was stopped (signal 15)"
    assert sent(checkpoint) > 0
    assert services.state(RUN_ID).get(progress)["finished"] is True


def test_a_task_that_hangs_ends_itself(services, case):
    """Its time is what its state waits for it: shortened here, where nothing else would end it."""
    found, attempt = case(threads=1, loaders=1, warmup_s=0, measure_s=600, drain_s=1)
    short = found.model_copy(update={"limit_s": -600.0, "start_deadline_s": 301.0})
    services.store.put_json(layout.case_key(RUN_ID, found.case_id), short.model_dump(mode="json"))
    code, _ = ended(input_of(found, attempt))
    assert code == 3
