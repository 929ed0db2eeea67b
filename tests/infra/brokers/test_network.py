"""Nothing inside the VPC calls a service that it has no route to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from unittest import mock

import boto3
import pytest

from breakeven.brokers.access import Access, Node
from breakeven.planning.budget.task_lines import endpoints
from breakeven.planning.expand import expand
from breakeven.targets.catalog import clusters
from breakeven.targets.target import open_target
from breakeven.workload.case import Case
from breakeven.workload.read import parse_suite
from cli.doctor.doctor_machines import MADE
from infra.network import GATEWAY_SERVICES, PRIVATE_BLOCKS
from tests.support.aws.definition import definition_of, machines, nodes_statements, resources, states
from tests.support.aws.services_called import services_called, services_of_scripts
from tests.support.aws.stacks import Built

NODES = Path(__file__).parents[3] / "nodes"
#: in the code of functions inside, and never called from there: the two tests at the end prove it
NEVER_CALLED_INSIDE = {"sqs"}


#: in the task's code, and never called by a loader: what starts tasks does that
TASK = "handlers.task"


def functions(built: Built, *, inside: bool) -> dict[str, dict[str, Any]]:
    found = resources(built.template, "AWS::Lambda::Function")
    return {name: each for name, each in found.items() if ("VpcConfig" in each) == inside}


def services_inside(built: Built) -> set[str]:
    """Of all functions in the VPC, by their code, and of the nodes, by their scripts and by their role."""
    modules = {each["Handler"].rpartition(".")[0] for each in functions(built, inside=True).values()}
    assert len(modules) > 4
    by_functions = {service for module in modules for service in services_called(module)}
    return by_functions | services_of_scripts(NODES) | _allowed_to_nodes(built)


def _allowed_to_nodes(built: Built) -> set[str]:
    services = {
        action.split(":")[0]
        for statement in nodes_statements(built.template)
        for action in _listed(statement["Action"])
    }
    assert services
    return services - {"kms"}  # S3 calls it for them


def _listed(value: Any) -> list[str]:
    return value if isinstance(value, list) else [value]


def brokers_own(built: Built, kind: str) -> dict[str, dict[str, Any]]:
    """Resources of the VPC that brokers and functions are in; images are built in another."""
    (function, *_) = functions(built, inside=True).values()
    (group,) = function["VpcConfig"]["SecurityGroupIds"]
    vpc = resources(built.template, "AWS::EC2::SecurityGroup")[group["Fn::GetAtt"][0]]["VpcId"]
    return {name: each for name, each in resources(built.template, kind).items() if each["VpcId"] == vpc}


def routes(built: Built) -> set[str]:
    """Services with an endpoint that is in every route table of the subnets, or in the subnets themselves."""
    endpoints = brokers_own(built, "AWS::EC2::VPCEndpoint").values()
    tables = brokers_own(built, "AWS::EC2::RouteTable")
    for endpoint in endpoints:
        if endpoint["VpcEndpointType"] == "Gateway" and tables:
            assert {table["Ref"] for table in endpoint["RouteTableIds"]} == set(tables)
    return {json.dumps(each["ServiceName"]).rsplit(".", 1)[1].strip('"]}') for each in endpoints}


def test_the_services_that_code_calls_are_found(tmp_path):
    (tmp_path / "start").write_text(
        "# aws iam\nregion=x aws --quiet $more s3 cp - x && aws --debug sts get\n"
    )
    assert services_of_scripts(tmp_path) == {"s3", "sts"}
    assert services_called("handlers.run.plan_run") >= {"s3", "dynamodb", "pricing"}
    assert "ec2" in services_called("handlers.lane.launch_brokers")
    assert "athena" in services_called("handlers.run.build_report")
    assert "ec2" not in services_called("handlers.case.load")


@pytest.mark.parametrize("which", ["plain", "grown"])
def test_every_service_called_from_inside_has_a_route(request, which):
    built = request.getfixturevalue(which)
    called = services_inside(built)
    assert called - NEVER_CALLED_INSIDE == {"s3", "dynamodb"}
    assert called - NEVER_CALLED_INSIDE <= routes(built)
    assert called >= NEVER_CALLED_INSIDE, "proved for nothing"


@pytest.mark.parametrize("which", ["plain", "grown"])
def test_every_service_that_a_task_calls_has_a_route_while_its_run_goes_on(request, which):
    """Its code's; and Fargate's for it, which pulls its image (layers are in S3) and writes its log."""
    built = request.getfixturevalue(which)
    for_it = {"ecr.api", "ecr.dkr", "logs"}
    assert services_called(TASK) == {"s3", "dynamodb", "sqs"}
    for target, own in (("sqs-standard", {"sqs"}), ("rabbitmq-mirrored-pair", set())):
        made = set(endpoints([task_of(target)]))
        assert made == for_it | own
        assert services_called(TASK) - (NEVER_CALLED_INSIDE - own) <= routes(built) | made
    (definition,) = resources(built.template, "AWS::ECS::TaskDefinition").values()
    (container,) = definition["ContainerDefinitions"]
    assert container["Command"] == ["-m", TASK]
    assert container["LogConfiguration"]["LogDriver"] == "awslogs"


def task_of(target: str) -> Case:
    document = {"suite": "s", "title": "S", "targets": [target], "instrument": False}
    scenarios = {"p": {"threads": 1, "loader": "fargate"}}
    (case,) = expand(parse_suite({**document, "scenarios": scenarios}, "s.yaml"), run_id="run-1")
    return case


@pytest.mark.parametrize("which", ["plain", "grown"])
def test_endpoints_let_in_whoever_is_led_to_them_by_their_names(request, which):
    """In our own VPC that is the loaders alone; in the account's it is everyone in it."""
    built = request.getfixturevalue(which)
    (group_id,) = {
        json.dumps(each["Environment"]["Variables"]["BREAKEVEN_ENDPOINT_GROUP"])
        for each in resources(built.template, "AWS::Lambda::Function").values()
        if "BREAKEVEN_ENDPOINT_GROUP" in each["Environment"]["Variables"]
    }
    name = json.loads(group_id)["Fn::GetAtt"][0]
    group = resources(built.template, "AWS::EC2::SecurityGroup")[name]
    inline = group.get("SecurityGroupIngress", [])
    if which == "plain":
        rules = resources(built.template, "AWS::EC2::SecurityGroupIngress").values()
        (rule,) = [rule for rule in rules if rule["GroupId"]["Fn::GetAtt"][0] == name]
        assert (rule["FromPort"], rule["ToPort"]) == (443, 443)
        assert "LoaderGroup" in json.dumps(rule["SourceSecurityGroupId"])
        assert not inline
    else:
        assert {(rule["CidrIp"], rule["FromPort"]) for rule in inline} == {
            (block, 443) for block in PRIVATE_BLOCKS
        }


def test_a_gateway_costs_nothing_while_idle_and_there_is_no_other_way_out(plain):
    assert routes(plain) == set(GATEWAY_SERVICES)
    kinds = {each["Type"] for each in plain.template["Resources"].values()}
    assert not kinds & {"AWS::EC2::NatGateway", "AWS::EC2::EIP"}
    assert not brokers_own(plain, "AWS::EC2::VPCGatewayAttachment")
    tables = brokers_own(plain, "AWS::EC2::RouteTable")
    ways = [route["RouteTableId"]["Ref"] for route in resources(plain.template, "AWS::EC2::Route").values()]
    assert ways, "the builder's"
    assert not set(ways) & set(tables)
    subnets = brokers_own(plain, "AWS::EC2::Subnet")
    assert len(subnets) == len(tables) == 2
    assert not any(subnet["MapPublicIpOnLaunch"] for subnet in subnets.values())


def test_no_group_lets_anyone_in_from_outside(plain):
    groups = resources(plain.template, "AWS::EC2::SecurityGroup").values()
    assert not [rule for group in groups for rule in group.get("SecurityGroupIngress", [])]
    rules = resources(plain.template, "AWS::EC2::SecurityGroupIngress").values()
    assert len(rules) == 7
    assert all("SourceSecurityGroupId" in rule for rule in rules)


def test_functions_inside_work_only_for_targets_with_brokers_of_our_own(plain):
    """The one choice of the workflow sends every other target's leg to the functions outside."""
    definition = definition_of(plain.template)
    inside = set(functions(plain, inside=True))
    choice = states(definition)["OwnBrokers?"]
    (own,) = choice["Choices"]
    assert (own["Variable"], own["BooleanEquals"]) == ("$.leg.brokers", True)
    (machine,) = [one for one in machines(definition) if "OwnBrokers?" in one["States"]]
    managed = _reached(machine, choice["Default"])
    brokers = _reached(machine, own["Next"])
    assert not inside & managed
    assert {name for name in brokers if "InVpc" in name} <= inside <= brokers


def _reached(machine: dict[str, Any], start: str) -> set[str]:
    """Functions of all tasks that can follow ``start`` in the machine, those of inner machines among them."""
    pending, seen, found = [start], set(), set()
    while pending:
        name = pending.pop()
        if name in seen:
            continue
        seen.add(name)
        state = machine["States"][name]
        pending += [state[key] for key in ("Next", "Default") if key in state]
        pending += [branch["Next"] for branch in (*state.get("Choices", []), *state.get("Catch", []))]
        only_this = {"StartAt": name, "States": {name: state}}
        found |= {each["Resource"] for each in states(only_this).values() if each["Type"] == "Task"}
    return found


def test_targets_with_brokers_of_our_own_make_no_client_of_aws(monkeypatch):
    access = Access(
        username="u", password="p", nodes=(Node(name="n", host="127.0.0.1", amqp_port=1, management_port=2),)
    )
    made = mock.Mock(side_effect=AssertionError("a client of AWS"))
    monkeypatch.setattr(boto3, "client", made)
    monkeypatch.setattr(boto3, "resource", made)
    monkeypatch.setattr(boto3, "Session", made)
    assert clusters()
    for name in clusters():
        open_target(name, access)
    with pytest.raises(AssertionError, match="a client of AWS"):
        open_target("sqs-standard", None)


def test_a_deployment_makes_as_many_networks_as_doctor_asks_room_for(plain):
    assert len(resources(plain.template, "AWS::EC2::VPC")) == MADE
