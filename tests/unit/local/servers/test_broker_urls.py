"""--rabbitmq-url: what may stand in it."""

from __future__ import annotations

import pytest

from breakeven.brokers.access import Access, Node
from breakeven.errors import InputError
from breakeven.workload.machines import Machines
from local.servers import broker_urls
from local.servers.broker_urls import check_count, check_releases, masked, parse_rabbitmq_urls
from tests.support.cases import case_with, workload_with

PAIR_OF_NODES = Machines(instance_type="m7g.large", architecture="arm64", vcpu=2, volume_gb=20, nodes=2)
FIRST, SECOND = "amqp://ann:hidden-word@one:5673/orders", "amqp://ann:hidden-word@two/orders"


def test_a_pair_is_read():
    assert parse_rabbitmq_urls([FIRST, f"{SECOND}?management_port=80"]) == Access(
        username="ann",
        password="hidden-word",
        vhost="orders",
        nodes=(
            Node(name="one:5673", host="one", amqp_port=5673, management_port=15673),
            Node(name="two:5672", host="two", amqp_port=5672, management_port=80),
        ),
    )


@pytest.mark.parametrize(
    ("path", "vhost"), [("", "/"), ("/", "/"), ("/%2F", "/"), ("/a", "a"), ("/a%2Fb", "a/b")]
)
def test_virtual_hosts_are_unquoted(path, vhost):
    assert parse_rabbitmq_urls([f"amqp://one{path}", f"amqp://two{path}"]).vhost == vhost


def test_without_a_user_it_is_the_brokers_guest():
    access = parse_rabbitmq_urls(["amqp://one", "amqp://two"])
    assert (access.username, access.password) == ("guest", "guest")


def test_a_password_may_stand_in_the_environment(monkeypatch):
    monkeypatch.setenv(broker_urls.PASSWORD, "p%2F:q")
    for urls, known in (
        (["amqp://ann@one", "amqp://ann@two"], ("ann", "p%2F:q")),
        (["amqp://ann:own@one", "amqp://ann:own@two"], ("ann", "own")),
        (["amqp://one", "amqp://two"], ("guest", "guest")),
    ):
        access = parse_rabbitmq_urls(urls)
        assert (access.username, access.password) == known


def test_user_and_password_are_unquoted():
    access = parse_rabbitmq_urls(["amqp://a%40b:p%2F%3Aq@one", "amqp://a%40b:p%2F%3Aq@two"])
    assert (access.username, access.password) == ("a@b", "p/:q")


@pytest.mark.parametrize(
    ("urls", "field", "value"),
    [
        ([FIRST, SECOND, FIRST], "host", "amqp://ann:***@one:5673/orders"),
        ([FIRST, FIRST], "host", "amqp://ann:***@one:5673/orders"),
        ([FIRST, "http://ann:hidden-word@two"], "scheme", "http"),
        ([FIRST, "amqps://ann:hidden-word@two"], "scheme", "amqps"),
        ([FIRST, "two:5672"], "url", "two:5672"),
        ([FIRST, "ann:hidden-word@two:5672"], "url", "two:5672"),
        ([FIRST, "ann:hidden-word"], "url", None),
        ([FIRST, "amqp://ann:hidden-word"], "port", None),
        ([FIRST, "amqp://ann:/hidden-word@two/orders"], "url", None),
        ([FIRST, "amqp://ann:hidden-word@[::1]:port/"], "port", "port"),
        ([FIRST, "amqp://ann:hidden-word@two:0/orders"], "port", "0"),
        ([FIRST, "amqp://ann:#hidden-word@two/orders"], "url", None),
        ([FIRST, "amqp://ann:hidden-word@"], "host", ""),
        ([FIRST, "amqp://ann:hidden-word@two:port/orders"], "port", "port"),
        ([FIRST, "amqp://ann:hidden-word@two:99999/orders"], "port", "99999"),
        ([FIRST, "amqp://ann:hidden-word@[::1:1/"], "url", "[::1:1/"),
        ([FIRST, f"{SECOND}?management_port=x"], "management_port", "x"),
        ([FIRST, f"{SECOND}?management_port=0"], "management_port", "0"),
        ([FIRST, f"{SECOND}?heartbeat=3"], "query", "heartbeat"),
        ([FIRST, "amqp://bob:hidden-word@two/orders"], "user", "amqp://bob:***@two:5672/orders"),
        ([FIRST, "amqp://ann:hidden-word2@two/orders"], "user", "amqp://ann:***@two:5672/orders"),
        ([FIRST, "amqp://ann:hidden-word@two/others"], "user", "amqp://ann:***@two:5672/others"),
    ],
)
def test_what_is_wrong_is_named_without_the_password(urls, field, value):
    with pytest.raises(InputError) as caught:
        parse_rabbitmq_urls(urls)
    error = caught.value
    assert (error.where, error.field, error.value) == ("--rabbitmq-url", field, value)
    assert "hidden-word" not in str(error)


def test_a_cluster_of_another_size_than_the_targets_is_refused_before_it_is_tried():
    cases = [case_with(workload_with(), machines=PAIR_OF_NODES)]
    check_count([FIRST, SECOND], cases)
    with pytest.raises(InputError) as caught:
        check_count([FIRST], cases)
    assert str(caught.value) == (
        "--rabbitmq-url: nodes: 1: rabbitmq-mirrored-pair has 2 nodes: give the option once for each, and "
        "run a suite whose clusters are all of one size"
    )


def test_an_address_of_numbers_is_masked_readably():
    node = Node(name="n", host="::1", amqp_port=5672, management_port=15672)
    access = Access(username="a@b", password="hidden-word", vhost="/", nodes=(node,))
    assert masked(access) == "amqp://a%40b:***@[::1]:5672/%2F"


@pytest.mark.parametrize(
    ("release", "refused"),
    [
        ("3.9.29", "RabbitMQ 3.9.29 is too old: run it on 3.10 or newer"),
        ("3.10.0", None),
        ("4.0.5", "RabbitMQ 4.0.5 has no mirrored queues, which left it in 4.0: run it on 3.x, or "),
    ],
)
def test_brokers_of_a_release_that_the_target_cannot_run_on_are_refused(monkeypatch, release, refused):
    class Answering:
        def __init__(self, _access):
            pass

        def overview(self):
            return {"rabbitmq_version": release}

    monkeypatch.setattr(broker_urls, "Management", Answering)
    access, cases = parse_rabbitmq_urls([FIRST, SECOND]), [case_with(workload_with(), machines=PAIR_OF_NODES)]
    if refused is None:
        check_releases(access, cases)
        return
    with pytest.raises(InputError) as caught:
        check_releases(access, cases)
    assert caught.value.field == "release"
    assert caught.value.value == "amqp://ann:***@two:5672/orders"
    assert caught.value.remedy.startswith(f"rabbitmq-mirrored-pair: {refused}")
