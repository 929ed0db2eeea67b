"""Lanes of Amazon MQ on the simulated AWS: brokers are created late, driven over verified AMQPS, and deleted.

Each broker is a real cluster of RabbitMQ 4 behind TLS; what reaches it trusts what the machine's own store
trusts, which is named as any program's is.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable

import pytest

from breakeven.brokers.access import Access
from breakeven.clients.connections import LOADER_CONNECTION
from breakeven.report.contract.report_model import Report
from breakeven.results import layout
from breakeven.results.items import RUN, lane_item
from breakeven.targets.rabbitmq.rabbitmq_management import Management
from local.aws.amazon_mq_service import Asked
from tests.support.aws.status_change import status_change
from tests.support.workflow.managed_brokers import RealBrokers
from tests.support.workflow.workflow_runs import Fault, Workflow, parse_suite_text, workflow_at

#: a search on real brokers takes minutes: what a short probe leaves open is offered for 15 s
pytestmark = pytest.mark.installed

CLUSTER, SINGLE = "amazon-mq-cluster", "amazon-mq-single"
SUITE = f"""
suite: managed
title: Amazon MQ's two forms
targets: [{CLUSTER}, {SINGLE}]
instrument: false
warm_up: false
defaults: {{threads: 2, message_size: 1KiB, warmup_s: 0.2, measure_s: 1.5, drain_s: 20}}
scenarios:
  parallel: {{queues: 2}}
  capacity:
    targets: [{CLUSTER}]
    mode: capacity
    rate: 100
    consume: push
    prefetch: 50
    window: 50
    objective_ms: 500
"""
ONE_TARGET = f"""
suite: alone
title: One broker
targets: [{SINGLE}]
instrument: false
warm_up: false
scenarios:
  parallel: {{threads: 1, warmup_s: 0, measure_s: 1, drain_s: 10, message_size: 16B}}
"""
REBOOTED = f"""
suite: rebooted
title: The service reboots the broker
targets: [{CLUSTER}]
instrument: false
warm_up: false
scenarios:
  parallel:
    {{queues: 3, threads: 6, warmup_s: 0, measure_s: 45, drain_s: 60, message_size: 1KiB, consume: push,
     prefetch: 20, window: 20, faults: [{{at_s: 5, kind: reboot}}]}}
"""
AWS = {"surroundings": {"name": "aws"}}
TICK = {"detail-type": "Scheduled Event", "source": "aws.events", "detail": {}}
LIMIT_S = 240


@pytest.fixture(scope="module")
def brokers(children, tmp_path_factory):
    made = RealBrokers(children, tmp_path_factory.mktemp("amazon-mq"))
    yield made
    made.close()


@pytest.fixture(scope="module")
def workflow(assembly, rabbitmq_pair, brokers, tmp_path_factory):
    folder = tmp_path_factory.mktemp("managed")
    trusted = {"SSL_CERT_FILE": str(brokers.certificate)}
    with workflow_at(assembly, rabbitmq_pair, None, folder, brokers=brokers, env=trusted) as made:
        yield made


def states(workflow: Workflow) -> dict[str, str]:
    """Of every broker that the service still knows."""
    found = workflow.plane.client("mq").list_brokers()["BrokerSummaries"]
    return {each["BrokerId"]: each["BrokerState"] for each in found}


def asked_for(brokers: RealBrokers, run_id: str) -> list[Asked]:
    return [each for each in brokers.asked.values() if each.tags["breakeven:run"] == run_id]


def wait_for(what: Callable[[], object]) -> None:
    deadline = time.monotonic() + LIMIT_S
    while not what():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def assert_gone(workflow: Workflow, brokers: RealBrokers, run_id: str) -> None:
    ids = {each.broker_id for each in asked_for(brokers, run_id)}
    assert ids <= set(brokers.deleted)
    wait_for(lambda: not ids & states(workflow).keys())
    assert workflow.store().keys(layout.secrets_prefix(run_id)) == []


@pytest.fixture(scope="module")
def well(workflow):
    """A run of both forms, and the states that their brokers were seen in."""
    execution = workflow.start("well", workflow.machine("well"), suite=parse_suite_text(SUITE), **AWS)
    seen: set[str] = set()
    while (status := workflow.plane.status(execution)) == "RUNNING":  # which its own limits end
        seen.update(states(workflow).values())
        time.sleep(0.1)
    return status, seen


def report_of(workflow: Workflow, run_id: str) -> Report:
    return Report.model_validate(workflow.store().get_json(f"{layout.run_prefix(run_id)}report/report.json"))


def test_brokers_are_created_late_and_deleted_when_their_lanes_end(workflow, brokers, well):
    status, seen = well
    assert (status, workflow.state("well").get(RUN)["status"]) == ("SUCCEEDED", "ok")
    assert seen >= {"CREATION_IN_PROGRESS", "RUNNING", "DELETION_IN_PROGRESS"}
    assert sorted(each.nodes for each in asked_for(brokers, "well")) == [1, 3]
    assert_gone(workflow, brokers, "well")


def test_cases_are_measured_on_quorum_queues_and_every_message_is_accounted_for(workflow, well):
    report = report_of(workflow, "well")
    assert {case.target for case in report.cases} == {CLUSTER, SINGLE}
    for case in report.cases:
        assert (case.status, case.provenance, case.environment) == ("ok", "measured", "aws"), case.reason
        assert case.ledger.lost == case.ledger.unexpected == 0
        assert case.ledger.sent == case.ledger.received > 0
    targets = report.manifest.targets
    assert targets[CLUSTER]["nodes"] == 3
    assert targets[SINGLE]["nodes"] == 1
    assert targets[CLUSTER]["server"].startswith("Amazon MQ's RabbitMQ 4.")
    assert targets[CLUSTER]["instance_type"] == "mq.m7g.large"
    assert [case.mirrors for case in report.cases if case.target == CLUSTER] != []


def test_what_was_found_of_the_broker_prices_amazon_mq_in_the_same_report(workflow, well):
    report = report_of(workflow, "well")
    (found,) = [case for case in report.cases if case.held_rate]
    question = report.headline_question
    assert question.inputs["amazon_mq"] == "mq.m7g.large"
    assert question.inputs["amazon_mq_capacity_msg_per_s"] == pytest.approx(found.held_rate)
    assert "measured in this run on mq.m7g.large" in question.amazon_mq_capacity


def loaders_at(access: Access) -> dict[str, int]:
    """Loaders' connections, by the node that they have come to."""
    found = Management(access).connections()
    return Counter(one.node for one in found if one.name and one.name.startswith(LOADER_CONNECTION))


def test_loaders_come_to_all_nodes_and_go_on_while_the_service_reboots_them(workflow, brokers):
    """Queues are declared at one node, led by another, and used from the third: nothing is lost."""
    run_id = "rebooted"
    execution = workflow.start(run_id, workflow.machine(run_id), suite=parse_suite_text(REBOOTED), **AWS)
    wait_for(lambda: [each for each in asked_for(brokers, run_id) if each.broker_id in brokers.clusters])
    (broker,) = asked_for(brokers, run_id)
    cluster = brokers.clusters[broker.broker_id]
    names = {node.name for node in cluster.access.nodes}
    wait_for(lambda: loaders_at(cluster.access).keys() >= names)
    wait_for(lambda: states(workflow)[broker.broker_id] == "REBOOT_IN_PROGRESS")
    assert workflow.end(execution) == "SUCCEEDED"
    report = report_of(workflow, run_id)
    (case,), (fault,) = report.cases, report.faults
    ledger = case.ledger
    assert case.status == "ok", case.reason
    assert ledger.lost == ledger.unexpected == 0
    assert ledger.sent == ledger.received + ledger.missing
    assert ledger.missing <= ledger.unknown
    assert case.call_errors, "the nodes' clients have met their end"
    assert (fault.kind, fault.aimed_at, fault.node, fault.error) == ("reboot", "broker", "the broker", None)
    assert (fault.expected_loss, fault.held) == ("none", True)
    assert fault.done_s < fault.back_s
    assert_gone(workflow, brokers, run_id)


def stopped(workflow: Workflow, run_id: str, machine: str, status: str) -> None:
    execution = workflow.start(run_id, machine, suite=parse_suite_text(ONE_TARGET), **AWS)
    wait_for(lambda: workflow.state(run_id).get(lane_item(SINGLE)).get("status") == status)
    workflow.plane.stop(execution)


@pytest.fixture
def held_back(brokers):
    """Creations come to no end until the test has them."""
    brokers.may_run.clear()
    yield
    brokers.may_run.set()


def test_after_an_abort_the_rule_deletes_a_broker_that_runs(workflow, brokers):
    machine = workflow.machine("aborted")
    workflow.calls.faults["aborted"] = [Fault("Load", "timeout"), Fault("Watch", "timeout")]
    stopped(workflow, "aborted", machine, "ready")
    (broker,) = asked_for(brokers, "aborted")
    assert states(workflow)[broker.broker_id] == "RUNNING"
    workflow.call("clean_up", status_change(machine, "aborted", "ABORTED"))
    assert_gone(workflow, brokers, "aborted")


def test_a_broker_that_is_being_created_is_deleted_by_the_watchdog_once_that_is_over(
    workflow, brokers, held_back
):
    """As after a time-out of the execution: the service refuses to delete it before."""
    machine = workflow.machine("orphan")
    stopped(workflow, "orphan", machine, "creating")
    (broker,) = asked_for(brokers, "orphan")
    assert states(workflow)[broker.broker_id] == "CREATION_IN_PROGRESS"
    for entry, event in (("clean_up", status_change(machine, "orphan", "TIMED_OUT")), ("watchdog", TICK)):
        workflow.call(entry, event)
        assert broker.broker_id not in brokers.deleted
    assert broker.broker_id in workflow.state("orphan").get(RUN)["left_to_watchdog"][0]
    brokers.may_run.set()
    wait_for(lambda: states(workflow)[broker.broker_id] == "RUNNING")
    workflow.call("watchdog", TICK)
    assert_gone(workflow, brokers, "orphan")


def test_a_lane_that_breaks_deletes_its_broker(workflow, brokers):
    assert workflow.run("broken", Fault("EstablishLane", "raise"), suite=parse_suite_text(ONE_TARGET), **AWS)
    assert "EstablishLane" in workflow.state("broken").get(RUN)["leg_failed_at"]
    assert len(asked_for(brokers, "broken")) == 1
    assert_gone(workflow, brokers, "broken")


def test_a_lane_that_breaks_while_its_broker_is_created_waits_and_deletes_it(workflow, brokers, held_back):
    """Each of its looks is refused, until one comes after the creation; the run's end finds nothing left."""
    run_id, lane = "early", lane_item(SINGLE)
    at_the_end: list[set[str]] = []

    def look(called: str, function: str) -> None:
        if called == run_id and "ReleaseRun" in function:
            at_the_end.append(set(brokers.deleted))

    workflow.calls.before.append(look)
    execution = workflow.start(run_id, workflow.machine(run_id), suite=parse_suite_text(ONE_TARGET), **AWS)
    wait_for(lambda: workflow.state(run_id).get(lane).get("status") == "creating")
    workflow.calls.faults[run_id] = [Fault("CreateBroker", "raise")]
    wait_for(lambda: workflow.state(run_id).get(lane).get("release_since"))
    assert "CreateBroker" in workflow.state(run_id).get(RUN)["leg_failed_at"]
    assert workflow.plane.status(execution) == "RUNNING"
    brokers.may_run.set()
    workflow.end(execution)
    (broker,) = asked_for(brokers, run_id)
    assert at_the_end
    assert broker.broker_id in at_the_end[0]
    assert workflow.state(run_id).get(lane)["status"] == "released"
    assert workflow.state(run_id).get(RUN).keys().isdisjoint({"released_late", "left_to_watchdog"})
    assert_gone(workflow, brokers, run_id)
