"""Brokers that run already: tried out, registered, and left running."""

from __future__ import annotations

import pytest

from breakeven.brokers.access import Access
from breakeven.errors import BreakevenError, InputError
from breakeven.installation import RUN_TAG, TARGET_TAG
from breakeven.targets.rabbitmq.rabbitmq_management import Management
from local.aws.ec2 import Launch
from local.ports import free_ports
from local.servers import broker_urls
from local.servers.broker_machines import ExistingBrokers
from local.servers.broker_urls import check_reachable, parse_rabbitmq_urls
from tests.support.workflow.processes import eventually


def urls(access: Access, password: str | None = None, host: str = "127.0.0.1") -> list[str]:
    return [
        f"amqp://{access.username}:{password or access.password}@{host}:{node.amqp_port}"
        f"/%2F?management_port={node.management_port}"
        for node in access.nodes
    ]


def unsurveyed(access: Access) -> Access:
    """As it is taken: nodes that others may use are not measured."""
    nodes = tuple(node.model_copy(update={"survey": None}) for node in access.nodes)
    return access.model_copy(update={"nodes": nodes})


def refused(given: list[str]) -> InputError:
    with pytest.raises(InputError) as caught:
        check_reachable(parse_rabbitmq_urls(given))
    assert caught.value.where == "--rabbitmq-url"
    return caught.value


def test_a_running_pair_is_taken_with_its_own_names(rabbitmq_pair):
    assert check_reachable(parse_rabbitmq_urls(urls(rabbitmq_pair))) == unsurveyed(rabbitmq_pair)


def test_a_broker_that_is_not_there_is_named(rabbitmq_pair):
    (port,) = free_ports(1)
    first, second = urls(rabbitmq_pair)
    error = refused([first, second.replace(f":{rabbitmq_pair.nodes[1].amqp_port}/", f":{port}/")])
    assert error.field == "host"
    assert f"127.0.0.1:{port}" in error.remedy
    assert rabbitmq_pair.password not in str(error)


def test_a_wrong_password_is_said_without_showing_it(rabbitmq_pair):
    error = refused(urls(rabbitmq_pair, password="hidden-word"))
    assert error.field == "user"
    assert "ACCESS_REFUSED" in error.remedy
    assert "hidden-word" not in str(error)
    assert ":***@" in str(error.value)


def test_a_virtual_host_that_is_not_there_is_said(rabbitmq_pair):
    error = refused([url.replace("/%2F", "/none") for url in urls(rabbitmq_pair)])
    assert error.field == "user"
    assert "vhost" in error.remedy


def test_a_management_api_that_is_not_there_is_named(rabbitmq_pair):
    (port,) = free_ports(1)
    first, second = urls(rabbitmq_pair)
    error = refused([first, second.rpartition("=")[0] + f"={port}"])
    assert error.field == "management"
    assert f":{port}" in error.remedy
    assert "?management_port=" in error.remedy


def test_one_node_under_two_addresses_is_found_out(rabbitmq_pair):
    one = rabbitmq_pair.model_copy(update={"nodes": rabbitmq_pair.nodes[:1]})
    error = refused(urls(one) + urls(one, host="localhost"))
    assert error.field == "host"
    assert rabbitmq_pair.nodes[0].name in error.remedy


def test_nodes_that_are_strangers_are_refused(rabbitmq_pair, monkeypatch):
    """A second cluster would do; what its management API says is enough."""
    real = Management.nodes

    def first_node(self):
        return [node for node in real(self) if node["name"] == self.overview()["node"]]

    monkeypatch.setattr(broker_urls.Management, "nodes", first_node)
    error = refused(urls(rabbitmq_pair))
    assert error.field == "cluster"
    first, second = (node.name for node in rabbitmq_pair.nodes)
    assert f"its cluster is {first}, without {second}" in error.remedy


def test_they_are_registered_with_their_credentials_and_never_stopped(rabbitmq_pair):
    registered, given = {}, {}
    machines = ExistingBrokers(
        urls(rabbitmq_pair),
        register=lambda run, target, instance, node: registered.update({(run, target, instance): node}),
        give_access=lambda run, target, access: given.update({(run, target, len(registered)): access}),
    )
    machines.launch(Launch(("i-1", "i-2"), {RUN_TAG: "run", TARGET_TAG: "target"}))
    assert eventually(lambda: len(registered) == 2)
    nodes = unsurveyed(rabbitmq_pair).nodes
    assert registered == dict(zip([("run", "target", "i-1"), ("run", "target", "i-2")], nodes, strict=True))
    assert given == {("run", "target", 0): rabbitmq_pair.model_copy(update={"nodes": ()})}
    with pytest.raises(BreakevenError, match="not ours to stop"):
        machines.stop(("i-2",))
    machines.start(("i-2",))
    machines.terminate(("i-1", "i-2"))
    assert all(node["running"] for node in Management(rabbitmq_pair).nodes())
