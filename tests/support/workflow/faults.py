"""Which states of the workflow fail in the tests, and where the record must say that they did."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from breakeven.results import layout
from tests.support.workflow.workflow_runs import SERVICES, Workflow

KINDS = ("raise", "timeout")
#: what fails before any broker is launched
NO_BROKERS_YET = ("Plan", "TakeLock", "WakeFunctions", "LaunchBrokers")
#: what fails -> where the record must say that it did: an attribute of the run's item, and its value
OF_THE_RUN = {
    "Plan": ("failed_at", "Plan"),
    "TakeLock": ("failed_at", "TakeLock"),
    "WakeFunctions": ("leg_failed_at", "BrokerWakeFunctions"),
    "LaunchBrokers": ("leg_failed_at", "BrokerLaunchBrokers"),
    "EstablishLane": ("leg_failed_at", "BrokerEstablishLane"),
    "ReleaseLane": ("release_failed_at", "ReleaseLane"),
    "ReleaseRun": ("failed_at", "ReleaseRun"),
    "PriceRun": ("failed_at", "PriceRun"),
    "BuildReport": ("failed_at", "BuildReport"),
    "FinishRun": ("failed_at", "FinishRun"),
}
#: what fails -> the state that the case's reason names
OF_THE_CASE = {
    "PrepareCase": "BrokerPrepareCase",
    "Load": "BrokerDrive",
    "Watch": "BrokerDrive",
    "SettleCase": "BrokerSettleCase",
}
#: what fails -> nothing: the cases after it are run, and flagged
OF_THE_WARM_UP = ("WarmLane",)
#: what records another failure
RECORDS_FAILURES = ("FailCase", "FailLeg")
#: what fails -> nothing: the run goes on without what CloudWatch has of its services, and its report says why
#: (tests/integration/aws/test_service_metrics.py)
OF_METRICS = ("ReadMetrics",)
#: of a case with a node down
STOPS_NODES, BRINGS_NODES_BACK = "StopNodes", ("StartNodes", "AwaitNodes")
#: of loaders that are tasks; the other services are in ``SERVICES``
OF_TASKS = ("EstablishTasks",)
#: of images that are not there (tests/e2e/test_images.py)
OF_IMAGES = ("BakeImages",)
#: of brokers that Amazon MQ creates (tests/integration/aws/test_amazon_mq_lanes.py)
OF_AMAZON_MQ = ("CreateBroker", "RebootBroker")
ALL = {
    *(*OF_THE_RUN, *OF_THE_CASE, *RECORDS_FAILURES, STOPS_NODES, *BRINGS_NODES_BACK),
    *(*OF_TASKS, *OF_IMAGES, *OF_AMAZON_MQ, *OF_THE_WARM_UP, *OF_METRICS, *SERVICES),
}


#: of each way in which a failure is recorded the one with most behind it to clean up
OFTEN = {"Plan", "EstablishLane", "ReleaseLane", "BuildReport", "PrepareCase", "Load", "WarmLane", "FailCase"}
#: a failure of the run, and one of a case
ALWAYS = {"EstablishLane", "PrepareCase"}


def faults_of(entries: Iterable[str]) -> list[object]:
    """Every entry with every kind of failure, as parameters of a test.

    Each fault takes a run of its own. That each state catches whatever fails, names itself and leads to
    clean-up is held on the definition (``tests/infra/workflow/test_workflow.py``): in ``npm test`` is what
    fails at ``ALWAYS``; in ``npm run test:thorough`` are the first entry's time-out and what fails at
    ``OFTEN``, and in ``npm run test:aws`` the others.
    """
    first, *_ = entries = list(entries)
    often = {(first, "timeout"), *((entry, "raise") for entry in OFTEN)}

    def marks(entry: str, kind: str) -> list[pytest.MarkDecorator]:
        if kind == "raise" and entry in ALWAYS:
            return []
        return [pytest.mark.thorough if (entry, kind) in often else pytest.mark.installed]

    return [
        pytest.param(entry, kind, marks=marks(entry, kind)) for kind in reversed(KINDS) for entry in entries
    ]


def run_name(*parts: str) -> str:
    return "-".join(parts)


def assert_all_cleaned_up(workflow: Workflow, run_id: str) -> None:
    launched = workflow.machines.launched.get(run_id, set())
    assert len(launched) == (0 if run_id.startswith(NO_BROKERS_YET) else 2), run_id
    assert launched <= workflow.machines.terminated, run_id
    assert workflow.store().keys(layout.secrets_prefix(run_id)) == []
