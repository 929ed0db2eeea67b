"""The packet filters of the host tests say what the template says, and refuse what they cannot say."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from breakeven.targets.rabbitmq.rabbitmq_cluster import (
    AMQPS_PORT,
    DISTRIBUTION_PORT,
    EPMD_PORT,
    MANAGEMENT_TLS_PORT,
)
from tests.hosts.filters import interface_rules, router_rules, share
from tests.hosts.release import BROKERS, BUILDERS, LOADERS, group_named
from tests.hosts.template_network import Group, NotUnderstood, Rule, group, subnets

SERVICES = {"s3": "192.0.2.10", "dynamodb": "192.0.2.20", "sqs": "198.51.100.30"}


def members(name: str) -> list[str]:
    return [f"members-of-{name}"]


def lines(rules: str, chain: str) -> list[str]:
    """The rules of a chain that accept something, without those of every interface."""
    body = rules[rules.index(f"chain {chain} {{") :].partition("}\n")[0]
    return [line.strip() for line in body.splitlines() if " dport " in line or "ip saddr" in line]


def test_brokers_let_in_loaders_at_the_clients_ports_and_one_another_at_the_distributions(plain):
    loaders, brokers = (group_named(plain.template, what) for what in (LOADERS, BROKERS))
    rules = interface_rules(group(plain.template, brokers), members)
    let_in = {line for line in lines(rules, "arriving") if "68" not in line}
    assert let_in == {
        f"ip saddr {{ members-of-{peers} }} tcp dport {port} accept"
        for peers, ports in (
            (loaders, (AMQPS_PORT, MANAGEMENT_TLS_PORT)),
            (brokers, (EPMD_PORT, DISTRIBUTION_PORT)),
        )
        for port in ports
    }
    assert "policy drop" in rules


def test_nobody_is_let_in_to_loaders_and_builders_and_builders_reach_web_ports_only(plain):
    for what in (LOADERS, BUILDERS):
        rules = interface_rules(group(plain.template, group_named(plain.template, what)), members)
        assert [line for line in lines(rules, "arriving") if "68" not in line] == []
    left = [line for line in lines(rules, "leaving") if "68" not in line]
    assert left == [f"ip daddr {{ 0.0.0.0/0 }} tcp dport {port} accept" for port in (80, 443)]


def test_subnets_reach_the_services_of_their_endpoints_and_the_internet_only_by_a_route_to_it(plain):
    found = subnets(plain.template)
    isolated = [each for each in found if not each.to_internet]
    building, other = (each for each in found if each.to_internet)
    assert len(isolated) == 2
    assert building.services == other.services == frozenset()
    assert {each.services for each in isolated} == {frozenset({"s3", "dynamodb"})}
    rules = router_rules({"inside": isolated[0], "building": building}, SERVICES, "out", {})
    assert 'iifname "inside" ip daddr { 192.0.2.10, 192.0.2.20 } tcp dport 443 accept' in rules
    assert 'iifname "building" ip daddr { 192.0.2.10, 192.0.2.20, 198.51.100.30 } tcp' in rules
    assert 'iifname "inside" oifname "out"' not in rules
    assert 'iifname "building" oifname "out" ct status dnat accept' in rules


def test_a_group_that_names_no_way_out_lets_everything_out():
    """Amazon VPC User Guide, "Security group rules": the rule that a new group has."""
    template = {"Resources": {"G": {"Type": "AWS::EC2::SecurityGroup", "Properties": {}}}}
    assert group(template, "G") == Group("G", (), (Rule("-1", (0, 65535), "0.0.0.0/0"),))


def test_a_rule_or_a_resource_that_is_not_understood_is_refused(plain):
    template: dict[str, Any] = copy.deepcopy(plain.template)
    brokers = group_named(template, BROKERS)
    rules = [each for each in template["Resources"].values() if each["Type"].endswith("SecurityGroupIngress")]
    rules[0]["Properties"]["SourcePrefixListId"] = "pl-1"
    with pytest.raises(NotUnderstood, match="SourcePrefixListId"):
        group(template, brokers)
    template["Resources"]["Acl"] = {"Type": "AWS::EC2::NetworkAclEntry", "Properties": {}}
    with pytest.raises(NotUnderstood, match="NetworkAclEntry"):
        subnets(template)


def test_groups_take_their_hosts_addresses_from_parts_of_a_subnet_that_do_not_overlap(plain):
    building, _ = (each for each in subnets(plain.template) if each.to_internet)
    assert [share(building, place) for place in range(3)] == [
        "10.255.0.16-10.255.0.31",
        "10.255.0.32-10.255.0.47",
        "10.255.0.48-10.255.0.63",
    ]
