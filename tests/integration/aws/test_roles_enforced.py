"""A small workflow of which one permission is missing: the state fails as the service fails."""

from __future__ import annotations

import json
import shutil
from contextlib import contextmanager

import pytest

from local.aws.boto import STATES
from local.aws.strict.permissions.roles import UnknownCallerError
from tests.support.aws.probe import STACK, Plane, synthesized_probe


@pytest.fixture(scope="module")
def plane(tmp_path_factory):
    made = Plane(synthesized_probe(), tmp_path_factory.mktemp("plane")).deploy()
    yield made
    made.close()


def left(document, action):
    """The policy without that action, and whether it had it."""
    taken = False
    for statement in document["Statement"]:
        actions = statement["Action"] if isinstance(statement["Action"], list) else [statement["Action"]]
        if action in actions:
            taken = True
            statement["Action"] = [each for each in actions if each != action] or ["none:Nothing"]
    return document, taken


@contextmanager
def without(plane, action):
    """That action allowed to nobody for a while, as if the policies had been changed in the account."""
    iam, before = plane.plane.client("iam"), []
    for role in iam.list_roles()["Roles"]:
        for name in iam.list_role_policies(RoleName=role["RoleName"])["PolicyNames"]:
            policy = {"RoleName": role["RoleName"], "PolicyName": name}
            document = iam.get_role_policy(**policy)["PolicyDocument"]
            text = json.dumps(document)
            changed, taken = left(document, action)
            if taken:
                before.append({**policy, "PolicyDocument": text})
                iam.put_role_policy(**policy, PolicyDocument=json.dumps(changed))
    assert before, action
    yield
    for policy in before:
        iam.put_role_policy(**policy)


def test_a_template_without_one_permission_fails_the_function_that_needs_it(tmp_path):
    """First of all: it has a control plane of its own, and one is open at a time."""
    assembly = shutil.copytree(synthesized_probe(), tmp_path / "assembly")
    path = assembly / f"{STACK}.template.json"
    template = json.loads(path.read_text())
    for resource in template["Resources"].values():
        if resource["Type"] == "AWS::IAM::Policy":
            left(resource["Properties"]["PolicyDocument"], "s3:PutObject")
    path.write_text(json.dumps(template))
    plane = Plane(assembly, tmp_path / "plane").deploy()
    try:
        assert plane.run("denied")["status"] == "FAILED"
        assert plane.failures("denied") == {"Drive": "AccessDenied"}
    finally:
        plane.close()


#: action -> the state that fails without it, and the error's name
MISSING = {
    "athena:StartQueryExecution": {"Query": "Athena.AmazonAthenaException"},
    "glue:GetDatabase": {"Query": "Athena.AmazonAthenaException"},
    "dynamodb:UpdateItem": {"Record": "DynamoDB.AmazonDynamoDBException"},
    "sns:Publish": {"Notify": "SNS.AuthorizationErrorException"},
}


@pytest.mark.parametrize("action", MISSING)
def test_without_one_permission_the_state_that_needs_it_fails_as_its_service_does(plane, action):
    run_id = action.replace(":", "-")
    with without(plane, action):
        assert plane.run(run_id)["status"] == "FAILED"
        assert plane.failures(run_id) == MISSING[action]


def test_a_function_that_may_not_be_called_is_a_service_error_of_lambda(plane):
    with without(plane, "lambda:InvokeFunction"):
        found = plane.run("uncalled")
    assert (found["status"], found["error"]) == ("FAILED", "Lambda.AWSLambdaException")
    assert (
        "is not authorized to perform: lambda:InvokeFunction on resource: arn:aws:lambda:" in found["cause"]
    )
    assert "(Service: AWSLambda; Status Code: 403; Error Code: AccessDeniedException; " in found["cause"]


def test_a_key_that_is_nobodys_is_not_taken_for_a_persons(plane):
    roles = plane.plane._roles
    assert roles.of(STATES).arn.startswith("arn:aws:iam::123456789012:role/Probe-MachineRole")
    assert roles.of("local") is None
    with pytest.raises(UnknownCallerError, match="somebody"):
        roles.of("somebody")
