"""What judges the roles: the evaluation of policies, what a request is read as, what a review finds."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import pytest

from local.aws.strict.front import Request
from local.aws.strict.requests.needed import UnreadableCallError
from local.aws.strict.requests.policies import Call, UnknownOperatorError, statements
from tests.support.grants import review
from tests.support.grants.roles import by_role

OURS = {"StringEquals": {"aws:ResourceTag/owner": "us"}}


def terminate(**context: str) -> Call:
    return Call("Plan", "ec2:TerminateInstances", "arn:x:instance/i-1", tuple(context.items()))


def tagged(owner: str) -> Call:
    return Call("Plan", "ec2:TerminateInstances", "arn:x:instance/i-1", (("aws:ResourceTag/owner", owner),))


def allow(actions: Any = "*", resources: Any = "*", **more: Any) -> dict[str, Any]:
    return {"Effect": "Allow", "Action": actions, "Resource": resources, **more}


def judged(given: Call, *each: dict[str, Any]) -> bool:
    return review.is_allowed(statements([{"Statement": list(each)}]), given)


@pytest.mark.parametrize(
    ("statement", "allowed"),
    [
        (allow(), True),
        (allow("ec2:*"), True),
        (allow("EC2:terminateinstances"), True),
        (allow(["s3:GetObject", "ec2:Terminate?nstances"]), True),
        (allow("ec2:Terminate"), False),
        (allow(resources="arn:x:instance/*"), True),
        (allow(resources=["arn:x:volume/*", "arn:x:instance/i-1"]), True),
        (allow(resources="arn:x:volume/*"), False),
        (allow(resources="arn:x:INSTANCE/*"), False),
        (allow(resources="arn.x.instance/*"), False),
        ({"Effect": "Allow", "NotAction": "s3:*", "Resource": "*"}, True),
        ({"Effect": "Allow", "NotAction": "ec2:*", "Resource": "*"}, False),
        ({"Effect": "Allow", "Action": "*", "NotResource": "arn:x:volume/*"}, True),
        ({"Effect": "Allow", "Action": "*", "NotResource": "arn:x:instance/*"}, False),
    ],
)
def test_a_statement_concerns_its_actions_on_its_resources(statement, allowed):
    assert judged(terminate(), statement) is allowed


def test_nothing_is_allowed_without_a_statement_and_a_denial_wins():
    assert not judged(terminate())
    assert not judged(terminate(), allow(), {**allow("ec2:Terminate*"), "Effect": "Deny"})
    assert judged(terminate(), allow(), {**allow("s3:*"), "Effect": "Deny"})
    assert judged(terminate(), {"Effect": "Deny", "NotAction": "ec2:*", "Resource": "*"}, allow())


@pytest.mark.parametrize(
    ("condition", "owner", "allowed"),
    [
        (OURS, "us", True),
        (OURS, "them", False),
        ({"StringEquals": {"AWS:resourcetag/OWNER": ["a", "us"]}}, "us", True),
        ({"StringEquals": {"aws:ResourceTag/run": "us"}}, "us", False),  # no such tag
        ({"StringEqualsIfExists": {"aws:ResourceTag/run": "us"}}, "us", True),
        ({"StringNotEquals": {"aws:ResourceTag/owner": "us"}}, "us", False),
        ({"StringNotEquals": {"aws:ResourceTag/run": "us"}}, "us", True),
        ({"StringLike": {"aws:ResourceTag/owner": "u?"}}, "us", True),
        ({"ArnEquals": {"aws:ResourceTag/owner": "arn:x:*"}}, "arn:x:y", True),
        ({**OURS, "StringLike": {"aws:ResourceTag/owner": "them*"}}, "us", False),
    ],
)
def test_conditions_all_hold_or_nothing_is_said(condition, owner, allowed):
    assert judged(tagged(owner), allow(Condition=condition)) is allowed


def test_a_condition_that_cannot_be_judged_is_no_permission():
    with pytest.raises(UnknownOperatorError):
        judged(tagged("us"), allow(Condition={"IpAddress": {"aws:SourceIp": "10.0.0.0/8"}}))


def request(service: str, path: str = "/", body: str = "", method: str = "POST", **headers: str) -> Request:
    """One that the plan's function has signed."""
    credential = f"Credential=Stack-FunctionsPlan0123ABCD-XYZ/20261121/us-east-1/{service}/aws4_request"
    environ = {
        "HTTP_AUTHORIZATION": f"AWS4-HMAC-SHA256 {credential}, SignedHeaders=host, Signature=0",
        "PATH_INFO": path,
        "REQUEST_METHOD": method,
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.input": io.BytesIO(body.encode()),
        **{f"HTTP_{name.upper()}": value for name, value in headers.items()},
    }
    return Request(environ)


TABLE = '{"TableName": "state"}'
STOPPED = '{"cluster": "ours", "task": "arn:aws:ecs:us-east-1:123456789012:task/ours/1"}'
LISTED = '{"cluster": "arn:aws:ecs:us-east-1:123456789012:cluster/ours"}'
QUEUE = '{"QueueUrl": "http://localhost:1/123456789012/be-q0"}'


@pytest.mark.parametrize(
    ("given", "action", "resource"),
    [
        (request("s3", "/bucket", method="GET"), "s3:ListBucket", "arn:aws:s3:::bucket"),
        (request("s3", "/bucket/a=b/c", method="GET"), "s3:GetObject", "arn:aws:s3:::bucket/a=b/c"),
        (request("s3", "/bucket/a/b", method="DELETE"), "s3:DeleteObject", "arn:aws:s3:::bucket/a/b"),
        (
            request("dynamodb", body=TABLE, x_amz_target="DynamoDB_20120810.Query"),
            "dynamodb:Query",
            "arn:aws:dynamodb:us-east-1:123456789012:table/state",
        ),
        (
            request("sqs", body=QUEUE, x_amz_target="AmazonSQS.SendMessageBatch"),
            "sqs:SendMessage",
            "arn:aws:sqs:us-east-1:123456789012:be-q0",
        ),
        (request("ec2", body="Action=DescribeInstances&Filter.1.Name=a"), "ec2:DescribeInstances", "*"),
        (
            request("ec2", body="Action=TerminateInstances&InstanceId.1=i-1"),
            "ec2:TerminateInstances",
            "arn:aws:ec2:us-east-1:123456789012:instance/i-1",
        ),
        (
            request("ec2", body="Action=DeleteVpcEndpoints&VpcEndpointId.1=vpce-1"),
            "ec2:DeleteVpcEndpoints",
            "arn:aws:ec2:us-east-1:123456789012:vpc-endpoint/vpce-1",
        ),
        (
            request("ecs", body=STOPPED, x_amz_target="AmazonEC2ContainerServiceV20141113.StopTask"),
            "ecs:StopTask",
            "arn:aws:ecs:us-east-1:123456789012:task/ours/1",
        ),
        (
            request("ecs", body=LISTED, x_amz_target="AmazonEC2ContainerServiceV20141113.ListTasks"),
            "ecs:ListTasks",
            "*",
        ),
        (
            request("codebuild", body='{"ids": ["p:1-2"]}', x_amz_target="CodeBuild_20161006.BatchGetBuilds"),
            "codebuild:BatchGetBuilds",
            "arn:aws:codebuild:us-east-1:123456789012:project/p",
        ),
        (
            request("lambda", "/2015-03-31/functions/arn:aws:lambda:r:a:function:f/invocations"),
            "lambda:InvokeFunction",
            "arn:aws:lambda:r:a:function:f",
        ),
        (request("lambda", "/2016-08-19/account-settings", method="GET"), "lambda:GetAccountSettings", "*"),
    ],
)
def test_a_request_is_read_as_iam_names_it(given, action, resource):
    (found,) = by_role(set(given.calls))
    assert (found.caller, found.action, found.resource) == ("Plan", action, resource)


def test_a_call_of_tasks_is_held_to_its_cluster():
    for operation, body in {"StopTask": STOPPED, "ListTasks": LISTED}.items():
        target = f"AmazonEC2ContainerServiceV20141113.{operation}"
        given = request("ecs", body=body, x_amz_target=target)
        (found,) = given.calls
        assert dict(found.context) == {"ecs:cluster": "arn:aws:ecs:us-east-1:123456789012:cluster/ours"}


def test_what_makes_an_endpoint_is_about_all_that_it_uses_and_about_the_tags_it_asks_for():
    body = (
        "Action=CreateVpcEndpoint&VpcId=vpc-1&SubnetId.1=subnet-1&SecurityGroupId.1=sg-1"
        "&TagSpecification.1.ResourceType=vpc-endpoint"
        "&TagSpecification.1.Tag.1.Key=breakeven:owner&TagSpecification.1.Tag.1.Value=us"
    )
    made = [call for call in request("ec2", body=body).calls if call.action == "ec2:CreateVpcEndpoint"]
    found = {call.resource.rpartition(":")[2]: dict(call.context) for call in made}
    assert found.keys() == {"vpc-endpoint/*", "vpc/vpc-1", "subnet/subnet-1", "security-group/sg-1"}
    assert found["vpc-endpoint/*"] == {"aws:RequestTag/breakeven:owner": "us"}


def test_a_copy_reads_its_source():
    given = request("s3", "/bucket/new", method="PUT", x_amz_copy_source="/bucket/old")
    found = {(each.action, each.resource) for each in given.calls}
    assert found == {("s3:GetObject", "arn:aws:s3:::bucket/old"), ("s3:PutObject", "arn:aws:s3:::bucket/new")}


def test_a_body_that_was_read_can_be_read_again():
    given = request("ec2", body="Action=DescribeInstances")
    assert given.calls
    assert given.fresh_environ()["wsgi.input"].read() == b"Action=DescribeInstances"


def test_a_request_that_nobody_knows_is_not_passed_over():
    with pytest.raises(UnreadableCallError, match="kms:Decrypt"):
        _ = request("kms", body="Action=Decrypt").calls


POLICY = [
    allow("s3:GetObject", "arn:aws:s3:::b/runs/*"),
    allow("logs:PutLogEvents", "arn:log"),
    allow("sqs:SendMessage"),
]
ROLES = {"Plan": statements([{"Statement": POLICY}])}
READS = Call("Plan", "s3:GetObject", "arn:aws:s3:::b/runs/1")
LOGS = review.Implied(("[A-Z]*",), ("logs:PutLogEvents",), "Lambda writes the log")


def test_a_review_finds_what_is_missing_unused_without_reason_and_on_everything():
    elsewhere = Call("Plan", "s3:GetObject", "arn:aws:s3:::b/rows/1")
    assert review.too_little(ROLES, {READS}, [LOGS]) == []
    assert review.too_little(ROLES, {READS, elsewhere}, [LOGS]) == [str(elsewhere)]
    assert review.unused(ROLES, {READS}, [LOGS]) == {review.Grant("Plan", "sqs:SendMessage", "*")}
    assert review.unused(ROLES, {READS}, []) > review.unused(ROLES, {READS}, [LOGS])
    assert review.on_everything(ROLES) == {review.Grant("Plan", "sqs:SendMessage", "*")}


def test_a_prefix_that_nobody_has_listed_is_unused():
    under = {"StringLike": {"s3:prefix": ["runs/*", "rows/*"]}}
    roles = {"Plan": statements([{"Statement": [allow("s3:ListBucket", "arn:b", Condition=under)]}])}
    listed = Call("Plan", "s3:ListBucket", "arn:b", (("s3:prefix", "runs/run_id=1/"),))
    assert [str(each) for each in review.unused(roles, {listed}, [])] == [
        "Plan: s3:ListBucket on arn:b under rows/*"
    ]


def test_a_permission_that_only_the_list_asks_for_is_missed():
    left = {"Plan": review.without(ROLES["Plan"], "logs:PutLogEvents")}
    assert review.too_little(left, {READS}, [LOGS]) == ["Plan: logs:PutLogEvents on *"]


def test_an_entry_that_is_the_reason_for_nothing_is_found():
    called = Call("Plan", "logs:PutLogEvents", "arn:log")
    assert review.idle(ROLES, {READS}, [LOGS]) == []
    assert review.idle(ROLES, {READS, called}, [LOGS]) == [LOGS]
    nobodys = review.Implied(("Nobody",), ("s3:GetObject",), "for nothing")
    assert review.idle(ROLES, set(), [nobodys]) == [nobodys]
    by_chance = [replace(each, chance=True) for each in (LOGS, nobodys)]
    assert review.idle(ROLES, {READS, called}, by_chance) == by_chance[1:]


def test_every_entry_of_the_list_gives_its_reason_and_names_single_actions():
    listed = review.implied()
    assert len(listed) > 15
    assert all(len(each.why) >= len("The same.") for each in listed)
    assert all("*" not in action for each in listed for action in each.actions)


def test_the_database_knows_what_can_be_named():
    assert review.can_name_a_resource("ec2:TerminateInstances")
    assert not review.can_name_a_resource("ec2:DescribeInstances")
    assert not review.can_name_a_resource("sqs:ListQueues")
    with pytest.raises(AssertionError, match="is no action"):
        review.can_name_a_resource("sqs:Whatever")
