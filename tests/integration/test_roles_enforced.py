"""A small workflow of which one permission is missing: the state fails as the service fails."""

from __future__ import annotations

import json
import shutil

import pytest

from local.aws import STATES
from local.strict.roles import UnknownCallerError
from tests.integration.probe import STACK, Plane, synthesized_probe


def without(action, folder):
    """The probe's assembly, its template without that action, whoever it was granted to."""
    shutil.copytree(synthesized_probe(), folder)
    path = folder / f"{STACK}.template.json"
    template = json.loads(path.read_text())
    taken = 0
    for resource in template["Resources"].values():
        for statement in resource.get("Properties", {}).get("PolicyDocument", {}).get("Statement", []):
            actions = statement.get("Action", [])
            actions = actions if isinstance(actions, list) else [actions]
            if action in actions and resource["Type"] == "AWS::IAM::Policy":
                taken += 1
                statement["Action"] = [each for each in actions if each != action] or ["none:Nothing"]
    assert taken, action
    path.write_text(json.dumps(template))
    return folder


#: action -> the state that fails without it, and the error's name
MISSING = {
    "lambda:InvokeFunction": {"PrepareTask": "Lambda.AWSLambdaException"},
    "s3:PutObject": {"Drive": "AccessDenied"},
    "athena:StartQueryExecution": {"Query": "Athena.AmazonAthenaException"},
    "dynamodb:UpdateItem": {"Record": "DynamoDB.AmazonDynamoDBException"},
    "sns:Publish": {"Notify": "SNS.AuthorizationErrorException"},
}


@pytest.mark.parametrize("action", MISSING)
def test_without_one_permission_the_state_that_needs_it_fails_as_its_service_does(action, tmp_path):
    plane = Plane(without(action, tmp_path / "assembly"), tmp_path / "plane").deploy()
    try:
        found = plane.run("denied")
        assert found["status"] == "FAILED"
        if action == "lambda:InvokeFunction":
            # nothing records it: what releases is a function, too
            assert found["error"] == MISSING[action]["PrepareTask"]
            assert "is not authorized to perform: lambda:InvokeFunction on resource: arn:" in found["cause"]
            assert "Status Code: 403; Error Code: AccessDeniedException" in found["cause"]
        else:
            assert plane.failures("denied") == MISSING[action]
    finally:
        plane.close()


def test_a_key_that_is_nobodys_is_not_taken_for_a_persons(tmp_path):
    plane = Plane(synthesized_probe(), tmp_path / "plane").deploy()
    try:
        roles = plane.plane._roles
        assert roles.of(STATES).arn.startswith("arn:aws:iam::123456789012:role/Probe-MachineRole")
        assert roles.of("local") is None
        with pytest.raises(UnknownCallerError, match="somebody"):
            roles.of("somebody")
    finally:
        plane.close()
