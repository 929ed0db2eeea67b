"""The SQS target against a server that stands for it."""

from __future__ import annotations

import boto3
import pytest

from breakeven.errors import CaseError, InputError
from breakeven.steps.cleanup import resources
from breakeven.targets.target import NodeProcess, open_target
from local.ports import free_ports
from local.servers.sqs_server import check_sqs_endpoint


@pytest.fixture
def target(sqs_environment):
    return open_target("sqs-standard", None)


@pytest.fixture
def prepared(target, queue_case):
    found = target.prepare(queue_case("sqs-standard", queues=2), attempt=1)
    yield found
    target.release(found.queues)


def test_a_stand_in_is_emulated_and_called_by_its_name(target, monkeypatch):
    description = target.establish()
    assert description.provenance == "emulated"
    assert description.server == "127.0.0.1"
    monkeypatch.setenv("BREAKEVEN_SQS_SERVER", "ElasticMQ 1.7.1")
    assert target.establish().server == "ElasticMQ 1.7.1"
    (sample,) = target.samples()
    assert (sample.node, sample.process) == ("ElasticMQ 1.7.1 (emulated)", None)
    assert sample.no_process
    monkeypatch.setenv("BREAKEVEN_SQS_PROCESS", "4711")
    (sample,) = target.samples()
    assert (sample.process, sample.no_process) == (NodeProcess(4711), "")


def test_queues_are_fresh_named_and_tagged(target, prepared):
    assert len(set(prepared.queues)) == 2
    assert prepared.mirrors is None
    assert target.mirrors(prepared.queues) is None
    sqs = boto3.client("sqs")
    for queue in prepared.queues:
        assert queue.rpartition("/")[2].startswith("be-")
        tags = {"breakeven:owner": "QueueBreakeven", "breakeven:run": "run"}
        assert sqs.list_queue_tags(QueueUrl=queue)["Tags"] == tags
        wanted = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["VisibilityTimeout"])
        assert wanted["Attributes"] == {"VisibilityTimeout": "30"}


def test_preparing_again_finds_the_same_queues(target, queue_case):
    case = queue_case("sqs-standard")
    first = target.prepare(case, attempt=1)
    assert target.prepare(case, attempt=1) == first
    other = target.prepare(case, attempt=2)
    assert set(other.queues).isdisjoint(first.queues)
    target.release(first.queues + other.queues)


def test_depth_counts_what_is_ready_and_what_is_in_flight(target, prepared, queue_case, closing):
    client = closing(target.client(queue_case("sqs-standard").workload))
    for queue in prepared.queues:
        client.sender(queue).submit([1, 2, 3], [b"x" * 16] * 3)
    receiver = client.receiver(prepared.queues[0])
    receiver.settle(receiver.receive(1.0).handle)
    receiver.receive(1.0)
    assert target.depth(prepared.queues) == 5
    assert target.depth(prepared.queues) == 5


def test_released_queues_are_gone_and_may_be_released_again(target, queue_case):
    queues = target.prepare(queue_case("sqs-standard"), attempt=1).queues
    target.release(queues)
    target.release(queues)
    with pytest.raises(CaseError, match="SQS"):
        target.depth(queues)
    target.dismantle()


def test_a_runs_queues_are_found_by_their_tags_and_cleaned_up(target, queue_case):
    queues = target.prepare(queue_case("sqs-standard", queues=2), attempt=1).queues
    kind = resources.queues(boto3.client("sqs"))
    assert {each.id for each in kind.find("run")} >= set(queues)
    assert kind.find("another-run") == []
    for _ in range(2):
        for queue in queues:
            kind.clean_up(queue)
    assert not set(queues) & {each.id for each in kind.find()}


def test_a_service_that_does_not_answer_fails_the_case(monkeypatch, sqs_environment):
    (port,) = free_ports(1)
    monkeypatch.setenv("AWS_ENDPOINT_URL_SQS", f"http://127.0.0.1:{port}")
    with pytest.raises(CaseError, match=str(port)):
        open_target("sqs-standard", None).establish()


def test_an_endpoint_that_speaks_sqs_is_taken(sqs_endpoint):
    check_sqs_endpoint(sqs_endpoint)


@pytest.mark.parametrize("url", ["127.0.0.1:9324", "ftp://127.0.0.1:9324", "http://"])
def test_an_endpoint_that_is_no_address_is_refused(url):
    with pytest.raises(InputError) as caught:
        check_sqs_endpoint(url)
    assert (caught.value.where, caught.value.value) == ("--sqs-endpoint", url)


@pytest.mark.parametrize("profile", [None, "not-there"])
def test_an_endpoint_that_does_not_answer_is_refused_whatever_profile_is_set(monkeypatch, profile):
    if profile:
        monkeypatch.setenv("AWS_PROFILE", profile)
    (port,) = free_ports(1)
    with pytest.raises(InputError, match="is it running"):
        check_sqs_endpoint(f"http://127.0.0.1:{port}")
