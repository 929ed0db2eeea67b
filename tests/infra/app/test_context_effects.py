"""Each key of the context does its thing, on all that it concerns."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from infra.results import SCAN_LIMIT_BYTES
from tests.support.aws.cfn_lint import resource_schema
from tests.support.aws.definition import allowed, nodes_template, resources
from tests.support.aws.stacks import BESIDE, GROWN, Built

pytestmark = pytest.mark.installed

KEY = GROWN["kms_key_arn"]
RECIPES = "BREAKEVEN_RECIPES"
#: what CloudFormation calls the property that holds a resource's own name
NAME_PROPERTIES = {"Name", "LogGroupName", "DatabaseName", "GroupName"}


def of_kind(built: Built, kind: str) -> dict[str, dict[str, Any]]:
    found = resources(built.template, kind)
    assert found, f"no {kind}"
    return found


def variables(built: Built) -> list[dict[str, Any]]:
    return [each["Environment"]["Variables"] for each in of_kind(built, "AWS::Lambda::Function").values()]


def physical_names(built: Built) -> set[tuple[str, str]]:
    """Everything that would be called by a name that the template chooses, by kind."""
    identifiers = {
        kind: resource_schema(kind)["primaryIdentifier"]
        for kind in {each["Type"] for each in built.template["Resources"].values()}
    }
    names = set()
    for each in built.template["Resources"].values():
        properties = each.get("Properties", {})
        parts = [properties.get(pointer.rsplit("/", 1)[-1]) for pointer in identifiers[each["Type"]]]
        if any(isinstance(part, dict) for part in parts):
            continue  # the rest is a name within what is referred to
        names |= {(each["Type"], part) for part in parts if isinstance(part, str)}
    for each in variables(built):  # what a run makes carries these names
        names |= {
            ("image", name) for name in re.findall(r'"name\W+([\w-]+)', json.dumps(each.get(RECIPES, "")))
        }
    for database in resources(built.template, "AWS::Glue::Database").values():
        names.add(("AWS::Glue::Database", database["DatabaseInput"]["Name"]))
    names |= {("queues", each.get("BREAKEVEN_QUEUE_PREFIX", "")) for each in variables(built)}
    names |= {("owner", each["BREAKEVEN_OWNER"]) for each in variables(built)}
    return names | {("stack", built.artifact["name"])}


def test_installations_side_by_side_share_no_name(plain, grown, beside):
    first, second, third = physical_names(plain), physical_names(grown), physical_names(beside)
    kinds = {kind for kind, _ in first}
    assert {"stack", "queues", "owner", "AWS::Glue::Database", "AWS::Athena::WorkGroup"} <= kinds
    assert "AWS::Logs::LogGroup" in kinds
    assert not first & second
    assert not second & third
    assert not first & third
    assert third >= {("stack", "team-b-QueueBreakeven"), ("AWS::Glue::Database", "team_b_queue_breakeven")}


def test_no_resource_is_named_outside_its_identifier(beside):
    """A name that ``physical_names`` does not see could collide unseen."""
    seen = {name for _, name in physical_names(beside)}
    for logical_id, each in beside.template["Resources"].items():
        for property_name in NAME_PROPERTIES & each.get("Properties", {}).keys():
            value = each["Properties"][property_name]
            named_within = each["Type"] in {"AWS::Athena::NamedQuery", "AWS::Glue::Table"}
            assert named_within or not isinstance(value, str) or value in seen, logical_id


def test_queues_are_named_and_may_be_touched_by_their_own_installation_only(plain, beside):
    for built, prefix in ((plain, ""), (beside, "team-b-")):
        of_queues = [each for _, actions, each in allowed(built.template) if "sqs:CreateQueue" in actions]
        assert of_queues
        for statement in of_queues:
            assert json.dumps(statement["Resource"]).endswith(f':{prefix}be-*"]]}}')
    assert {each["BREAKEVEN_QUEUE_PREFIX"] for each in variables(beside)} == {"team-b-"}


def is_undelivered(resource: Any) -> bool:
    """The queue of what could not be started is the stack's own, and no run's."""
    return "ScheduleUndelivered" in json.dumps(resource)


def test_instances_may_be_terminated_by_their_own_installation_only(beside):
    statements = [
        each for _, actions, each in allowed(beside.template) if "ec2:TerminateInstances" in actions
    ]
    # a lane's end, a run's, the rule's and the watchdog's; of builders a bake's and the stack's
    assert len(statements) == 6
    for statement in statements:
        condition = {"StringEquals": {"aws:ResourceTag/breakeven:owner": "team-b-QueueBreakeven"}}
        assert statement["Condition"] == condition


def test_region(plain, grown):
    assert grown.artifact["environment"] == "aws://unknown-account/eu-west-1"
    assert plain.artifact["environment"] == "aws://unknown-account/unknown-region"
    assert {json.dumps(each["BREAKEVEN_REGION"]) for each in variables(plain)} == {'{"Ref": "AWS::Region"}'}


def test_zones(plain, beside):
    """Two subnets for brokers, and two where images are built."""
    found = [each["AvailabilityZone"] for each in of_kind(beside, "AWS::EC2::Subnet").values()]
    assert found == [*BESIDE["zones"], *BESIDE["zones"]]
    assert len(of_kind(plain, "AWS::EC2::Subnet")) == 4


def test_an_existing_vpc_is_used_and_nothing_of_a_network_is_made_but_groups_and_gateways(grown):
    for kind in ("VPC", "Subnet", "RouteTable", "FlowLog"):
        assert not resources(grown.template, f"AWS::EC2::{kind}")
    for group in of_kind(grown, "AWS::EC2::SecurityGroup").values():
        assert group["VpcId"] == GROWN["vpc_id"]
    placed = [each["VpcConfig"] for each in functions_inside(grown)]
    assert placed
    subnets = GROWN["subnet_ids"].split(",")
    assert all(each["SubnetIds"] == subnets for each in placed)
    launched = [each["BREAKEVEN_SUBNETS"] for each in variables(grown) if "BREAKEVEN_SUBNETS" in each]
    # brokers, those that Amazon MQ creates, and the endpoints of tasks
    assert launched == [GROWN["subnet_ids"]] * 3


def functions_inside(built: Built) -> list[dict[str, Any]]:
    return [each for each in of_kind(built, "AWS::Lambda::Function").values() if "VpcConfig" in each]


def test_gateways_are_put_into_the_route_tables_that_are_named(grown):
    endpoints = of_kind(grown, "AWS::EC2::VPCEndpoint").values()
    services = {json.dumps(each["ServiceName"]).rsplit(".", 1)[1].strip('"]}') for each in endpoints}
    assert services == {"s3", "dynamodb"}
    for endpoint in endpoints:
        assert endpoint["RouteTableIds"] == GROWN["route_table_ids"].split(",")
        assert endpoint["VpcEndpointType"] == "Gateway"


def test_the_boundary_is_on_every_role(plain, grown, beside):
    by_arn = [role.get("PermissionsBoundary") for role in of_kind(grown, "AWS::IAM::Role").values()]
    assert set(by_arn) == {GROWN["permissions_boundary"]}
    for role in of_kind(beside, "AWS::IAM::Role").values():
        assert json.dumps(role["PermissionsBoundary"]).endswith('":policy/Boundary"]]}')
    for role in of_kind(plain, "AWS::IAM::Role").values():
        assert "PermissionsBoundary" not in role


def test_the_bootstrap_qualifier_is_that_of_the_account(plain, grown):
    assert "/cdk-bootstrap/acme/version" in json.dumps(grown.template["Parameters"])
    assert "cdk-acme-assets" in json.dumps(grown.template)
    assert "/cdk-bootstrap/hnb659fds/version" in json.dumps(plain.template["Parameters"])


def test_the_tags_are_on_everything_that_takes_tags(grown):
    expected = {"CostCenter": "1234", "Owner": "team-a"}
    tagged = 0
    for logical_id, each in grown.template["Resources"].items():
        schema = resource_schema(each["Type"])
        if schema.get("tagging", {}).get("taggable"):
            found = each["Properties"][schema["tagging"]["tagProperty"].rsplit("/", 1)[-1]]
            pairs = found if isinstance(found, dict) else {tag["Key"]: tag["Value"] for tag in found}
            assert expected.items() <= pairs.items(), logical_id
            tagged += 1
    assert tagged > 40


def test_the_tags_are_on_what_runs_make_too(grown):
    for specification in nodes_template(grown.template)["TagSpecifications"]:
        tags = {tag["Key"]: tag["Value"] for tag in specification["Tags"]}
        assert tags["CostCenter"] == "1234"
        assert tags["breakeven:owner"] == "team-a-QueueBreakeven"
    for each in variables(grown):
        assert json.loads(each["BREAKEVEN_TAGS"]) == {"CostCenter": "1234", "Owner": "team-a"}


def test_the_key_encrypts_all_that_is_kept(grown):
    (bucket,) = of_kind(grown, "AWS::S3::Bucket").values()
    (rule,) = bucket["BucketEncryption"]["ServerSideEncryptionConfiguration"]
    assert rule["ServerSideEncryptionByDefault"] == {"KMSMasterKeyID": KEY, "SSEAlgorithm": "aws:kms"}
    (table,) = of_kind(grown, "AWS::DynamoDB::Table").values()
    assert table["SSESpecification"] == {"KMSMasterKeyId": KEY, "SSEEnabled": True, "SSEType": "KMS"}
    (topic,) = of_kind(grown, "AWS::SNS::Topic").values()
    assert topic["KmsMasterKeyId"] == KEY
    assert {each["KmsKeyId"] for each in of_kind(grown, "AWS::Logs::LogGroup").values()} == {KEY}
    (group,) = of_kind(grown, "AWS::Athena::WorkGroup").values()
    answers = group["WorkGroupConfiguration"]["ResultConfiguration"]["EncryptionConfiguration"]
    assert answers == {"EncryptionOption": "SSE_KMS", "KmsKey": KEY}
    assert {each["BREAKEVEN_KMS_KEY"] for each in variables(grown)} == {KEY}


def test_every_role_that_reads_or_writes_here_may_use_the_key(grown):
    using, granted = set(), {}
    for kind in ("Policy", "ManagedPolicy"):  # the latter holds what is too long for a role's own
        for policy in of_kind(grown, f"AWS::IAM::{kind}").values():
            for role in policy["Roles"]:
                granted.setdefault(role["Ref"], []).extend(policy["PolicyDocument"]["Statement"])
    for statements in granted.values():
        actions = json.dumps(statements)
        stores = any(service in actions for service in ("s3:", "dynamodb:", "sns:", "ScheduleUndelivered"))
        may = [one for one in statements if "kms:Decrypt" in one["Action"]]
        assert bool(may) == stores
        using |= {statement["Resource"] for statement in may}
    assert using == {KEY}


def test_without_a_key_of_ones_own_keys_are_aws_managed(plain):
    assert "kms" not in json.dumps(plain.template["Resources"]).lower()


def test_log_retention(plain, grown):
    for built, days in ((plain, 30), (grown, 90)):
        kept = {each["RetentionInDays"] for each in of_kind(built, "AWS::Logs::LogGroup").values()}
        assert kept == {days}


def test_access_logs_go_where_the_account_keeps_them(plain, grown):
    (bucket,) = of_kind(grown, "AWS::S3::Bucket").values()
    wanted = {"DestinationBucketName": "central-logs", "LogFilePrefix": "team-a-QueueBreakeven/"}
    assert bucket["LoggingConfiguration"] == wanted
    (bucket,) = of_kind(plain, "AWS::S3::Bucket").values()
    assert "LoggingConfiguration" not in bucket


def test_the_verdict_is_mailed(plain, grown):
    (subscription,) = of_kind(grown, "AWS::SNS::Subscription").values()
    assert (subscription["Protocol"], subscription["Endpoint"]) == ("email", "team@example.com")
    assert not resources(plain.template, "AWS::SNS::Subscription")


def test_the_stack_goes_and_leaves_its_results(plain):
    made = plain.template["Resources"].values()
    kept = [each for each in made if each.get("DeletionPolicy", "Delete") != "Delete"]
    assert [each["Type"] for each in kept] == ["AWS::S3::Bucket"]
    assert kept[0]["UpdateReplacePolicy"] == "Retain"


def test_a_first_deployment_that_is_rolled_back_leaves_nothing(plain, grown, beside):
    """CloudFormation, "DeletionPolicy attribute": what is made in the deployment that fails goes again."""
    for built in (plain, grown, beside):
        policies = {each.get("DeletionPolicy", "Delete") for each in built.template["Resources"].values()}
        assert policies == {"Delete", "RetainExceptOnCreate"}
    (group,) = of_kind(plain, "AWS::Athena::WorkGroup").values()
    assert group["RecursiveDeleteOption"] is True  # or one that has answered a query would stay
    assert group["WorkGroupConfiguration"]["BytesScannedCutoffPerQuery"] == SCAN_LIMIT_BYTES


def test_outputs_start_a_run_and_say_where_its_report_is(plain):
    outputs = plain.template["Outputs"]
    shown = {name: "".join(_text(part) for part in _parts(each["Value"])) for name, each in outputs.items()}
    assert shown["StartExecution"] == (
        "aws stepfunctions start-execution --region <AWS::Region> --state-machine-arn "
        f"{shown['StateMachineArn']} --name run-$(date +%Y%m%d-%H%M) --input '{{}}'"
    )
    assert shown["ReportLocation"] == f"s3://{shown['BucketName']}/reports/EXECUTION_NAME/"
    assert all(each["Description"] for each in outputs.values())


def _parts(value: Any) -> list[Any]:
    return value["Fn::Join"][1] if "Fn::Join" in value else [value]


def _text(part: Any) -> str:
    return part if isinstance(part, str) else f"<{part['Ref']}>"
