"""What targets are called, what they take, and which of them need brokers."""

from __future__ import annotations

from typing import Any

import pytest

from breakeven.brokers.access import Access, Node
from breakeven.clients.factory import make_client
from breakeven.clients.reference.boto3_client import Boto3Receiver
from breakeven.errors import CaseError
from breakeven.targets.catalog import CATALOG, compared, is_compared, record_of
from breakeven.targets.rabbitmq import rabbitmq_target
from breakeven.targets.rabbitmq.rabbitmq_cluster import ClusterSettings, partition_handling
from breakeven.targets.rabbitmq.rabbitmq_management import ManagementError
from breakeven.targets.sqs.sqs_standard import is_amazon
from breakeven.targets.target import open_target, queue_names
from breakeven.workload.case import Case
from local.servers.broker_files import NodePlan, write_node
from tests.support.cases import case_with, workload_with

NO_NODES = Access(username="u", password="p")
ACCESS = Access(
    username="u", password="p", nodes=(Node(name="n", host="127.0.0.1", amqp_port=1, management_port=2),)
)


def test_reports_show_targets_in_this_order():
    assert list(CATALOG) == [
        "sqs-standard",
        "sqs-fifo",
        "rabbitmq-quorum-trio",
        "rabbitmq-mirrored-pair",
        "rabbitmq-single",
        "amazon-mq-cluster",
        "amazon-mq-single",
        "instrument",
    ]


def test_all_are_compared_but_the_instrument_of_the_self_test():
    assert [name for name in CATALOG if not is_compared(name)] == ["instrument"]
    assert compared() == [name for name in CATALOG if name != "instrument"]
    assert is_compared("rabbitmq-mirrored-pair_large")
    assert is_compared("of-an-earlier-version")


@pytest.mark.parametrize("name", CATALOG)
def test_a_record_is_of_its_name_and_of_the_class_that_it_names(monkeypatch, name):
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    record = CATALOG[name]
    opened = open_target(name, ACCESS if record.has_brokers else None)
    assert (record.name, opened.name) == (name, name)
    assert set(record.rates) == set(record.open_lane_s) == {"aws", "local"}


def test_a_message_of_sqs_is_a_mebibyte_at_most():
    assert record_of("sqs-standard").max_message_bytes == 2**20


def test_the_instrument_is_itself_wherever_it_runs():
    for environment in ("aws", "local"):
        assert record_of("instrument").presumed_provenance(environment) == "measured"
    target = open_target("instrument", None)
    assert target.establish().provenance == "measured"
    assert (target.depth(("q",)), target.samples()) == (0, [])


@pytest.mark.parametrize("access", [None, NO_NODES])
def test_brokers_must_be_known(access):
    with pytest.raises(CaseError, match="no broker node is known"):
        open_target("rabbitmq-mirrored-pair", access)
    with pytest.raises(CaseError, match="no broker node is known"):
        make_client(a_case(client="pika").workload, access)


@pytest.mark.parametrize(
    ("host", "amazon"),
    [
        ("sqs.us-east-1.amazonaws.com", True),
        ("sqs.cn-north-1.amazonaws.com.cn", True),
        ("127.0.0.1", False),
        ("amazonaws.com.example.org", False),
        ("notamazonaws.com", False),
    ],
)
def test_only_amazons_own_hosts_are_measured(host, amazon):
    assert is_amazon(host) is amazon


def test_queue_names_are_of_run_case_and_attempt():
    case = a_case(queues=2)
    first = queue_names(case, 1)
    assert first == queue_names(case, 1)
    assert [name[:3] + name[-6:] for name in first] == ["be--a1-q0", "be--a1-q1"]
    assert all(len(name) == len("be-12345678-a1-q0") for name in first)
    others = [
        queue_names(case, 2),
        queue_names(case.model_copy(update={"case_id": "other"}), 1),
        queue_names(case.model_copy(update={"run_id": "other"}), 1),
    ]
    assert len({name for names in [first, *others] for name in names}) == 8


class Sqs:
    """Keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: dict[str, object] = {}

    def receive_message(self, **asked: object) -> dict[str, object]:
        self.asked = asked
        return {}


@pytest.mark.parametrize(("wait_s", "seconds"), [(0.0, 0), (0.5, 1), (20.0, 20)])
def test_a_long_poll_waits_whole_seconds_whatever_the_worker_would_wait(wait_s, seconds):
    sqs = Sqs()
    Boto3Receiver(sqs, "queue", workload_with(wait_s=wait_s)).receive(timeout_s=0.25)
    assert sqs.asked["WaitTimeSeconds"] == seconds
    assert sqs.asked["MaxNumberOfMessages"] == 1


@pytest.mark.parametrize("password", ["", "two words", "line\nfeed", "hash#", "a=b"])
def test_credentials_that_a_configuration_file_could_misread_are_refused(tmp_path, password):
    plan = NodePlan(_node(), 1, tmp_path / "node")
    with pytest.raises(ValueError, match="plain characters"):
        write_node(plan, "first", NO_NODES.model_copy(update={"password": password}), ClusterSettings())


def test_settings_reach_the_configuration(tmp_path):
    plan = NodePlan(_node(), 1, tmp_path / "node")
    write_node(plan, "first", NO_NODES, ClusterSettings(net_ticktime_s=7, partition_handling="autoheal"))
    lines = (plan.folder / "rabbitmq.conf").read_text().splitlines()
    assert "net_ticktime = 7" in lines
    assert "cluster_partition_handling = autoheal" in lines


def test_a_note_has_no_partition_handling_that_was_left_to_the_release():
    """RabbitMQ 4.3 dropped the setting: what it has instead is known by its release."""
    own, changed = ClusterSettings().note(), ClusterSettings(partition_handling="autoheal").note()
    assert own == {"net_ticktime": 60}
    assert changed["cluster_partition_handling"] == "autoheal"
    assert partition_handling("4.0.5", own) == partition_handling("3.10.8", own) == "ignore"
    assert partition_handling("4.0.5", changed) == "autoheal"
    assert partition_handling("4.3.6", own) == "by majority (Khepri)"
    assert partition_handling("4.0.5", {}) == "not known", "whose brokers these are, nobody noted"


class Learning:
    """The management API of a node that learns of a queue after so many calls."""

    def __init__(self, unknown: int, status: int = 404) -> None:
        self._unknown, self._status = unknown, status

    def queue(self, name: str) -> dict[str, object]:
        self._unknown -= 1
        if self._unknown >= 0:
            raise ManagementError("Object Not Found", self._status)
        return {"name": name, "leader": "a", "members": ["a", "b", "c"], "online": ["a", "b", "c"]}


def behind_one_endpoint(monkeypatch: pytest.MonkeyPatch, management: Learning) -> Any:
    target: Any = open_target("amazon-mq-cluster", ACCESS)
    monkeypatch.setattr(target, "_management", management)
    return target


def test_a_queue_that_a_node_does_not_know_yet_is_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    assert behind_one_endpoint(monkeypatch, Learning(2)).mirrors(("q",)) == {"q": 2}


@pytest.mark.parametrize(("status", "seconds"), [(404, 0.0), (503, 60.0)])
def test_what_stays_unknown_or_is_refused_is_said(
    monkeypatch: pytest.MonkeyPatch, status: int, seconds: float
) -> None:
    monkeypatch.setattr(rabbitmq_target, "KNOWN_WITHIN_S", seconds)
    with pytest.raises(ManagementError, match="Object Not Found"):
        behind_one_endpoint(monkeypatch, Learning(100, status)).mirrors(("q",))


def _node() -> Node:
    return Node(name="second", host="127.0.0.1", amqp_port=2, management_port=3)


def a_case(**fields: object) -> Case:
    """``fields`` are the workload's."""
    return case_with(workload_with(**fields))
