"""What a request is read as, of launches, tasks and keys: everything that the service asks IAM about."""

from __future__ import annotations

import io
import json
from urllib.parse import urlencode

import pytest

from local.aws.strict.front import Request
from tests.support.aws.moto_server import moto_server

ARN = "arn:aws:ec2:us-east-1:123456789012:"
KEY = "arn:aws:kms:us-east-1:123456789012:key/1"


def request(service, body="", method="POST", path="/", **headers):
    environ = {
        "HTTP_AUTHORIZATION": f"Credential=someone/20261122/us-east-1/{service}/aws4_request",
        "PATH_INFO": path,
        "REQUEST_METHOD": method,
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.input": io.BytesIO(body.encode()),
        **{f"HTTP_{name.upper()}": value for name, value in headers.items()},
    }
    return Request(environ)


def asked(given):
    """Action and resource of each thing that is asked about -> its condition keys."""
    return {(call.action, call.resource): dict(call.context) for call in given.calls}


@pytest.fixture(scope="module")
def aws():
    with moto_server() as server:
        yield server.aws


@pytest.fixture(scope="module")
def template(aws):
    """A launch template's id, with a profile, a group, an image and tags; its profile's role."""
    iam = aws.client("iam")
    role = iam.create_role(RoleName="node", AssumeRolePolicyDocument="{}")["Role"]["Arn"]
    profile = iam.create_instance_profile(InstanceProfileName="nodes")["InstanceProfile"]["Arn"]
    iam.add_role_to_instance_profile(InstanceProfileName="nodes", RoleName="node")
    data = {
        "ImageId": "ami-1",
        "KeyName": "pair",
        "SecurityGroupIds": ["sg-1"],
        "IamInstanceProfile": {"Arn": profile},
        "TagSpecifications": [{"ResourceType": "volume", "Tags": [{"Key": "of", "Value": "template"}]}],
    }
    made = aws.client("ec2").create_launch_template(LaunchTemplateName="nodes", LaunchTemplateData=data)
    return made["LaunchTemplate"]["LaunchTemplateId"], role


def launch(template, **more):
    given = {"Action": "RunInstances", "LaunchTemplate.LaunchTemplateId": template, "MaxCount": 1, **more}
    return asked(request("ec2", urlencode(given)))


def test_a_launch_is_asked_about_for_all_that_it_makes_and_uses(template):
    found = launch(template[0], SubnetId="subnet-1")
    launched = {resource for action, resource in found if action == "ec2:RunInstances"}
    own = ("instance/*", "network-interface/*", "volume/*", "subnet/subnet-1", "security-group/sg-1")
    expected = {ARN + each for each in (*own, "key-pair/pair", f"launch-template/{template[0]}")}
    assert launched == expected | {"arn:aws:ec2:us-east-1::image/ami-1"}
    named = f"{ARN}launch-template/{template[0]}"
    assert all(
        context["ec2:LaunchTemplate"] == named
        for (action, _), context in found.items()
        if action == "ec2:RunInstances"
    )


def test_what_a_call_names_takes_the_place_of_the_templates(template):
    interface = {"NetworkInterface.1.SubnetId": "subnet-2", "NetworkInterface.1.SecurityGroupId.1": "sg-2"}
    found = launch(template[0], ImageId="ami-2", **interface)
    resources = {resource.rpartition(":")[2] for action, resource in found if action == "ec2:RunInstances"}
    assert {"subnet/subnet-2", "security-group/sg-2", "image/ami-2"} <= resources
    assert not {"security-group/sg-1", "image/ami-1"} & resources


def test_tags_of_a_launch_are_a_call_of_createtags_with_the_action_that_creates(template):
    tags = {"TagSpecification.1.ResourceType": "instance", "TagSpecification.1.Tag.1.Key": "run"}
    found = launch(template[0], **tags, **{"TagSpecification.1.Tag.1.Value": "r"})
    made = {"ec2:CreateAction": "RunInstances"}
    assert found["ec2:CreateTags", f"{ARN}instance/*"] == {**made, "aws:RequestTag/run": "r"}
    assert found["ec2:CreateTags", f"{ARN}volume/*"] == {**made, "aws:RequestTag/of": "template"}
    assert ("ec2:CreateTags", f"{ARN}network-interface/*") not in found


def test_a_launch_passes_the_role_of_its_profile_to_ec2(template):
    found = launch(template[0])
    assert found["iam:PassRole", template[1]] == {"iam:PassedToService": "ec2.amazonaws.com"}


def test_an_endpoint_takes_what_ec2_asks_for_besides():
    given = {"Action": "CreateVpcEndpoint", "VpcId": "vpc-1", "PrivateDnsEnabled": "true"}
    actions = {action for action, _ in asked(request("ec2", urlencode(given)))}
    looked = {"ec2:DescribeVpcs", "ec2:DescribeSubnets", "ec2:DescribeSecurityGroups"}
    assert actions == {"ec2:CreateVpcEndpoint", "route53:AssociateVPCWithHostedZone", *looked}


def test_an_instance_is_known_by_its_tags(aws):
    made = aws.client("ec2").run_instances(
        ImageId="ami-12c6146b",
        MinCount=1,
        MaxCount=1,
        TagSpecifications=[{"ResourceType": "instance", "Tags": [{"Key": "owner", "Value": "us"}]}],
    )
    instance = made["Instances"][0]["InstanceId"]
    found = asked(request("ec2", urlencode({"Action": "StopInstances", "InstanceId.1": instance})))
    tags = {"aws:ResourceTag/owner": "us", "ec2:ResourceTag/owner": "us"}
    assert found == {("ec2:StopInstances", f"{ARN}instance/{instance}"): tags}


def test_a_task_passes_both_of_its_roles_and_takes_its_tags(aws):
    ecs = aws.client("ecs")
    roles = {"taskRoleArn": "arn:aws:iam::1:role/task", "executionRoleArn": "arn:aws:iam::1:role/start"}
    container = {"name": "c", "image": "i", "memory": 1}
    ecs.register_task_definition(family="loader", containerDefinitions=[container], **roles)
    given = {"cluster": "ours", "taskDefinition": "loader", "propagateTags": "TASK_DEFINITION"}
    target = "AmazonEC2ContainerServiceV20141113.RunTask"
    found = asked(request("ecs", json.dumps(given), x_amz_target=target))
    cluster = {"ecs:cluster": "arn:aws:ecs:us-east-1:123456789012:cluster/ours"}
    of_tasks = "arn:aws:ecs:us-east-1:123456789012:"
    to_tasks = {"iam:PassedToService": "ecs-tasks.amazonaws.com"}
    assert found == {
        ("ecs:RunTask", f"{of_tasks}task-definition/loader:1"): cluster,
        ("ecs:TagResource", f"{of_tasks}task/ours/*"): {"ecs:CreateAction": "RunTask", **cluster},
        ("iam:PassRole", roles["taskRoleArn"]): to_tasks,
        ("iam:PassRole", roles["executionRoleArn"]): to_tasks,
    }


def test_a_listing_has_its_prefix_as_a_condition_key():
    given = request("s3", method="GET", path="/bucket")
    given.environ["QUERY_STRING"] = "list-type=2&prefix=runs%2Fa&max-keys=1"
    keys = {"s3:prefix": "runs/a", "s3:max-keys": "1"}
    assert asked(given) == {("s3:ListBucket", "arn:aws:s3:::bucket"): keys}


def test_what_an_accounts_own_key_encrypts_takes_that_key(aws):
    """The key that S3 has by itself takes none."""
    s3 = aws.client("s3")
    s3.create_bucket(Bucket="sealed")
    s3.put_object(Bucket="sealed", Key="k", Body=b"", ServerSideEncryption="aws:kms", SSEKMSKeyId=KEY)
    s3.put_object(Bucket="sealed", Key="of-s3", Body=b"", ServerSideEncryption="aws:kms")
    named = "x_amz_server_side_encryption_aws_kms_key_id"
    assert ("kms:GenerateDataKey", KEY) in asked(
        request("s3", method="PUT", path="/sealed/k", **{named: KEY})
    )
    assert ("kms:Decrypt", KEY) in asked(request("s3", method="GET", path="/sealed/k"))
    for method in ("GET", "PUT"):
        assert len(asked(request("s3", method=method, path="/sealed/of-s3"))) == 1


def test_a_buckets_own_key_seals_what_names_none(aws):
    s3 = aws.client("s3")
    s3.create_bucket(Bucket="with-key")
    rule = {"ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": "aws:kms", "KMSMasterKeyID": KEY}}
    s3.put_bucket_encryption(Bucket="with-key", ServerSideEncryptionConfiguration={"Rules": [rule]})
    assert ("kms:GenerateDataKey", KEY) in asked(request("s3", method="PUT", path="/with-key/k"))


@pytest.mark.parametrize(
    ("method", "path", "query"),
    [("GET", "/bucket/k", "acl"), ("POST", "/bucket", "delete"), ("GET", "/", "")],
)
def test_requests_of_s3_that_nobody_makes_are_not_passed_over(method, path, query):
    given = request("s3", method=method, path=path)
    given.environ["QUERY_STRING"] = query
    assert given.operation is None
    with pytest.raises(Exception, match="local/aws/strict/"):
        _ = given.calls


def test_a_body_in_chunks_is_read_whole():
    given = {"wsgi.input": io.BytesIO(b"body"), "wsgi.input_terminated": True}
    assert Request(given).body == b"body"


def test_a_query_needs_what_athena_does_as_who_asks_it(aws):
    answers = {"ResultConfiguration": {"OutputLocation": "s3://results/athena/"}}
    aws.client("athena").create_work_group(Name="ours", Configuration=answers)
    asks = {"QueryString": "SELECT 1", "WorkGroup": "ours", "QueryExecutionContext": {"Database": "rows"}}
    given = request("athena", json.dumps(asks), X_AMZ_TARGET="AmazonAthena.StartQueryExecution")
    athena, glue = (f"arn:aws:{service}:us-east-1:123456789012:" for service in ("athena", "glue"))
    assert asked(given).keys() == {
        ("athena:StartQueryExecution", f"{athena}workgroup/ours"),
        ("athena:GetDataCatalog", f"{athena}datacatalog/AwsDataCatalog"),
        ("glue:GetDatabase", f"{glue}catalog"),
        ("glue:GetDatabase", f"{glue}database/default"),
        ("glue:GetDatabase", f"{glue}database/rows"),
        ("s3:GetBucketLocation", "arn:aws:s3:::results"),
        ("s3:ListBucket", "arn:aws:s3:::results"),
        ("s3:PutObject", "arn:aws:s3:::results/athena/answer.csv"),
    }
