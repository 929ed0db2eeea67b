"""A case whose loaders are tasks: what each is told, when it is not begun, and how it is watched."""

from __future__ import annotations

import boto3
import pytest

from breakeven.errors import CaseError
from breakeven.results import layout
from breakeven.results.items import RUN, loader_item
from breakeven.steps.case import watch
from breakeven.steps.case.prepare_case import prepare
from breakeven.steps.tasks.establish_tasks import task_limit_s
from breakeven.targets.target import Depth
from tests.support.aws.moto_results import installed
from tests.support.aws.task_cases import RUN_ID, stored


@pytest.fixture
def services(monkeypatch):
    with installed(monkeypatch) as found:
        yield found


def test_each_task_is_left_what_a_function_would_be_told(services):
    case = stored(services)
    services.state(RUN_ID).update(RUN, tasks="ready")
    attempt = prepare(services, RUN_ID, case.case_id)
    for loader in range(2):
        key = layout.task_input_key(RUN_ID, case.case_id, attempt, loader)
        assert services.store.get_json(key) == {
            "run_id": RUN_ID,
            "target": "sqs-standard",
            "case_id": case.case_id,
            "attempt": 1,
            "loader": loader,
        }


def test_a_function_is_left_nothing(services):
    case = stored(services, loader="lambda")
    prepare(services, RUN_ID, case.case_id)
    assert not [key for key in services.store.keys(layout.run_prefix(RUN_ID)) if key.endswith(".task.json")]


def test_no_queue_is_made_for_tasks_that_cannot_be_started(services):
    case = stored(services)
    with pytest.raises(CaseError, match="could not be created"):
        prepare(services, RUN_ID, case.case_id)
    assert "QueueUrls" not in boto3.client("sqs").list_queues()


def test_a_long_case_is_not_begun_so_late_that_it_would_outlast_the_run(services, monkeypatch):
    case = stored(services, measure_s=3000)
    overtime_s = case.limit_s - 840
    monkeypatch.setattr("breakeven.steps.run_lease.time.time", lambda: 1000.0)
    services.state(RUN_ID).update(RUN, tasks="ready", deadline_at=1000 + round(overtime_s) - 1)
    with pytest.raises(CaseError, match=r"deadline is in \d+ min, and this case may take longer"):
        prepare(services, RUN_ID, case.case_id)
    services.state(RUN_ID).update(RUN, deadline_at=1000 + round(overtime_s) + 1)
    assert prepare(services, RUN_ID, case.case_id) == 1


def test_a_state_waits_for_a_task_until_it_must_have_ended(services):
    case = stored(services, measure_s=3000)
    assert task_limit_s(case) == case.limit_s + case.start_deadline_s + 300


class Target:
    name = "t"

    def depths(self, queues):
        return Depth(1)

    def samples(self):
        return []


def test_a_case_is_watched_in_parts_that_follow_one_another(services, monkeypatch):
    monkeypatch.setattr(watch, "LOOK_EVERY_S", 0.01)
    monkeypatch.setattr(watch, "WATCH_EVERY_S", 0.01)
    monkeypatch.setattr(type(services), "target_of", lambda self, case: Target())
    case = stored(services, measure_s=3000)
    services.state(RUN_ID).update(f"case#{case.case_id}", queues="[]")
    first = watch.watch(services, RUN_ID, case.case_id, 1, 0.1)
    assert (first.more, first.samples > 0) == (True, True)
    # a call that is made twice takes no sample, and does not go on with another's parts
    again = watch.watch(services, RUN_ID, case.case_id, 1, 0.1)
    assert (again.more, again.samples) == (False, 0)
    second = watch.watch(services, RUN_ID, case.case_id, 1, 0.1, part=1, since_s=840)
    rows = watch.watched(services, case, 1)
    assert len(rows) == first.samples + second.samples
    assert [row["second"] >= 840 for row in rows] == [False] * first.samples + [True] * second.samples
    for loader in range(2):
        services.state(RUN_ID).update(loader_item(case.case_id, 1, loader), finished=True)
    assert not watch.watch(services, RUN_ID, case.case_id, 1, 0.1, part=2, since_s=1680).more
    last = watch.watches(case) - 1
    services.state(RUN_ID).update(loader_item(case.case_id, 1, 0), finished=False)
    assert not watch.watch(services, RUN_ID, case.case_id, 1, 0.02, part=last).more, "it has an end"


def test_a_function_is_watched_by_one_call(services, monkeypatch):
    monkeypatch.setattr(type(services), "target_of", lambda self, case: Target())
    case = stored(services, loader="lambda")
    services.state(RUN_ID).update(f"case#{case.case_id}", queues="[]")
    assert not watch.watch(services, RUN_ID, case.case_id, 1, 0.02).more
