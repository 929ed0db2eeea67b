"""Calls held to the role that they are made in, before they are carried out: each service's own refusal."""

from __future__ import annotations

import urllib.request

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from local.aws.boto import PERSON
from local.aws.strict import front
from local.aws.strict.permissions.authorization import Authorization
from local.aws.strict.requests.policies import statements
from local.aws.swaps import Swaps
from tests.support.aws.moto_server import REGION, moto_server
from tests.support.grants.enforced import GivenRoles

ACCOUNT = "arn:aws:{}:us-east-1:123456789012:{}"
#: what a role holds: its name -> its statements
HELD = {
    "nothing": [],
    "reader": [("s3:GetObject", "arn:aws:s3:::bucket/*")],
    "lister": [("s3:GetObject", "arn:aws:s3:::bucket/*"), ("s3:ListBucket", "arn:aws:s3:::bucket")],
    "copier": [(["s3:GetObject", "s3:PutObject"], "arn:aws:s3:::bucket/*")],
    "prefixed": [
        ("s3:GetObject", "arn:aws:s3:::bucket/*"),
        ("s3:ListBucket", "arn:aws:s3:::bucket", {"StringLike": {"s3:prefix": "runs/*"}}),
    ],
    "everywhere": [("s3:GetObject", "*")],
    "queues": [("sqs:CreateQueue", "*")],
}


def allowing(action, resource, condition=None):
    given = {"Effect": "Allow", "Action": action, "Resource": resource}
    return {**given, "Condition": condition} if condition else given


DENYING = {"Effect": "Deny", "Action": "s3:GetObject", "Resource": "*"}


@pytest.fixture(scope="module")
def moto():
    roles = {
        name: statements([{"Statement": [allowing(*each) for each in held]}]) for name, held in HELD.items()
    }
    denied = {"Statement": [allowing("*", "*"), DENYING]}
    with moto_server() as server, Swaps() as swaps:
        front.install(swaps, [Authorization(GivenRoles({**roles, "denied": statements([denied])}))])
        made = server.aws.client("s3")
        made.create_bucket(Bucket="bucket")
        made.put_object(Bucket="bucket", Key="runs/there", Body=b"x")
        yield server


@pytest.fixture(scope="module")
def client(moto):
    """``client(service, key)``: boto3's, which asks once."""

    def make(service, key="nothing"):
        config = Config(retries={"total_max_attempts": 1}, proxies={})
        keys = {"aws_access_key_id": key, "aws_secret_access_key": "x"}
        return boto3.client(
            service, endpoint_url=moto.aws.endpoint, region_name=REGION, config=config, **keys
        )

    return make


def refusal(call, **given):
    """Code, status and words of the refusal of a call."""
    with pytest.raises(ClientError) as refused:
        call(**given)
    said = refused.value.response
    return said["Error"]["Code"], said["ResponseMetadata"]["HTTPStatusCode"], said["Error"]["Message"]


def words(role, action, resource):
    on = f" on resource: {resource}" if resource else ""
    why = f"because no identity-based policy allows the {action} action"
    return f"User: assumed-role/{role}/x is not authorized to perform: {action}{on} {why}"


QUEUE = "http://sqs/123456789012/be-1"
QUERY = {"QueryString": "SELECT 1", "WorkGroup": "g"}


@pytest.mark.parametrize(
    ("service", "operation", "given", "code", "status", "action", "resource"),
    [
        ("s3", "get_object", {"Bucket": "bucket", "Key": "runs/there"}, "AccessDenied", 403,
         "s3:GetObject", '"arn:aws:s3:::bucket/runs/there"'),
        ("s3", "put_object", {"Bucket": "bucket", "Key": "k"}, "AccessDenied", 403,
         "s3:PutObject", '"arn:aws:s3:::bucket/k"'),
        ("s3", "list_objects_v2", {"Bucket": "bucket"}, "AccessDenied", 403,
         "s3:ListBucket", '"arn:aws:s3:::bucket"'),
        ("dynamodb", "get_item", {"TableName": "t", "Key": {"k": {"S": "x"}}}, "AccessDeniedException", 400,
         "dynamodb:GetItem", ACCOUNT.format("dynamodb", "table/t")),
        ("sqs", "send_message", {"QueueUrl": QUEUE, "MessageBody": "b"}, "AccessDenied", 400,
         "sqs:sendmessage", ACCOUNT.format("sqs", "be-1")),
        ("lambda", "invoke", {"FunctionName": "f"}, "AccessDeniedException", 403,
         "lambda:InvokeFunction", ACCOUNT.format("lambda", "function:f")),
        ("sns", "publish", {"TopicArn": "arn:aws:sns:r:a:t", "Message": "m"}, "AuthorizationError", 403,
         "SNS:Publish", "arn:aws:sns:r:a:t"),
        ("ecs", "stop_task", {"cluster": "c", "task": "t"}, "AccessDeniedException", 400,
         "ecs:StopTask", ACCOUNT.format("ecs", "task/c/t")),
        ("stepfunctions", "stop_execution", {"executionArn": "arn:x"}, "AccessDeniedException", 400,
         "states:StopExecution", "arn:x"),
        ("service-quotas", "get_service_quota", {"ServiceCode": "ec2", "QuotaCode": "L-1"},
         "AccessDeniedException", 400, "servicequotas:GetServiceQuota",
         ACCOUNT.format("servicequotas", "ec2/L-1")),
        ("pricing", "get_products", {"ServiceCode": "AmazonEC2"}, "AccessDeniedException", 400,
         "pricing:GetProducts", None),
        ("ecr", "describe_images", {"repositoryName": "images"}, "AccessDeniedException", 400,
         "ecr:DescribeImages", ACCOUNT.format("ecr", "repository/images")),
        ("codebuild", "start_build", {"projectName": "p"}, "AccessDeniedException", 400,
         "codebuild:StartBuild", ACCOUNT.format("codebuild", "project/p")),
    ],
)  # fmt: skip
def test_a_refusal_is_the_services_own(client, service, operation, given, code, status, action, resource):
    found = refusal(getattr(client(service), operation), **given)
    assert found == (code, status, words("nothing", action, resource))


def test_ec2_refuses_with_an_encoded_message_and_names_no_resource_of_what_has_none(client):
    code, status, said = refusal(client("ec2").describe_instances)
    assert (code, status) == ("UnauthorizedOperation", 403)
    head = (
        f"You are not authorized to perform this operation. {words('nothing', 'ec2:DescribeInstances', '')}."
    )
    assert said.startswith(f"{head} Encoded authorization failure message: ")
    said = refusal(client("ec2").terminate_instances, InstanceIds=["i-1"])[2]
    assert ACCOUNT.format("ec2", "instance/i-1") in said


def test_athena_names_no_resource(client):
    code, status, said = refusal(client("athena").start_query_execution, **QUERY)
    assert (code, status) == ("AccessDeniedException", 400)
    assert said.startswith("You are not authorized to perform: athena:StartQueryExecution on the resource.")


def test_sqs_refuses_its_older_protocol_in_that(moto):
    body = b"Action=SendMessage&QueueUrl=http%3A%2F%2Fsqs%2F1%2Fbe-1&MessageBody=b"
    request = urllib.request.Request(moto.aws.endpoint, body)
    credential = "Credential=nothing/20261122/us-east-1/sqs/aws4_request, SignedHeaders=host, Signature=0"
    request.add_header("Authorization", f"AWS4-HMAC-SHA256 {credential}")
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request)
    assert refused.value.code == 403
    assert b"<Type>Sender</Type><Code>AccessDenied</Code>" in refused.value.read()


def test_a_denial_says_that_it_is_one(client):
    said = refusal(client("s3", "denied").get_object, Bucket="bucket", Key="runs/there")[2]
    assert said.endswith("with an explicit deny in an identity-based policy")


def test_what_is_refused_is_not_carried_out_and_what_is_allowed_is(client):
    refusal(client("s3", "reader").put_object, Bucket="bucket", Key="refused", Body=b"")
    keys = {each["Key"] for each in client("s3", PERSON).list_objects_v2(Bucket="bucket")["Contents"]}
    assert "refused" not in keys
    assert client("s3", "reader").get_object(Bucket="bucket", Key="runs/there")["Body"].read() == b"x"


def test_head_is_refused_without_a_word(client):
    for key in ("runs/there", "nowhere"):
        with pytest.raises(ClientError) as refused:
            client("s3").head_object(Bucket="bucket", Key=key)
        said = refused.value.response
        assert said["Error"] == {"Code": "403", "Message": "Forbidden"}
        assert said["ResponseMetadata"]["HTTPHeaders"]["content-length"] == "0"


@pytest.mark.parametrize("operation", ["get_object", "head_object"])
def test_an_absent_object_is_a_404_only_to_who_may_list_the_bucket(client, operation):
    absent = {"Bucket": "bucket", "Key": "nowhere"}
    assert refusal(getattr(client("s3", "lister"), operation), **absent)[1] == 404
    code, status, said = refusal(getattr(client("s3", "reader"), operation), **absent)
    if operation == "get_object":
        assert (code, said) == ("AccessDenied", words("reader", "s3:ListBucket", '"arn:aws:s3:::bucket"'))
    assert status == 403


def test_a_copy_of_an_absent_object_is_denied_likewise(client):
    copy = {"Bucket": "bucket", "Key": "copy", "CopySource": {"Bucket": "bucket", "Key": "nowhere"}}
    assert refusal(client("s3", "copier").copy_object, **copy)[:2] == ("AccessDenied", 403)
    there = {**copy, "CopySource": {"Bucket": "bucket", "Key": "runs/there"}}
    client("s3", "copier").copy_object(**there)


def test_a_condition_on_the_prefix_allows_its_listings_and_tells_of_no_absent_object(client):
    s3 = client("s3", "prefixed")
    assert s3.list_objects_v2(Bucket="bucket", Prefix="runs/t")["KeyCount"] == 1
    for options in ({}, {"Prefix": "row"}):
        assert refusal(s3.list_objects_v2, Bucket="bucket", **options)[:2] == ("AccessDenied", 403)
    assert refusal(s3.get_object, Bucket="bucket", Key="runs/nowhere")[:2] == ("AccessDenied", 403)


def test_a_bucket_that_is_not_there_is_said_not_to_be(client):
    assert refusal(client("s3", "everywhere").get_object, Bucket="nowhere", Key="k")[0] == "NoSuchBucket"
    assert refusal(client("s3", "everywhere").get_object, Bucket="bucket", Key="k")[0] == "AccessDenied"


def test_tags_of_a_new_queue_take_a_permission_of_their_own(client):
    sqs = client("sqs", "queues")
    assert sqs.create_queue(QueueName="plain")["QueueUrl"]
    said = refusal(sqs.create_queue, QueueName="tagged", tags={"a": "b"})[2]
    assert said == words("queues", "sqs:tagqueue", ACCOUNT.format("sqs", "tagged"))


def test_a_person_may_do_everything(client):
    assert client("ec2", PERSON).describe_instances()["Reservations"] == []
