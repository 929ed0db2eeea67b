"""CloudFormation's rules, the states language's, and AWS's advice: the stack is held against them all.

With no context, and with all of it.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import aws_cdk as cdk
import pytest
from cdk_nag import AwsSolutionsChecks

from local.aws.strict.permissions.template_checks import of_template
from tests.support.aws.cfn_lint import problems
from tests.support.aws.definition import resources
from tests.support.aws.stacks import Built

ROOT = Path(__file__).parents[3]
#: a rule that is left out, and why
LEFT_OUT = {"W3005": "the CDK writes dependencies out that a reference implies: longer, and no less right"}
#: of a published report: anyone may read it
CLOUDFRONT = ("CFR1", "CFR2", "CFR3", "CFR4", "CFR7")
REASON = 40  # letters: less is no reason


@pytest.fixture(params=["plain", "grown"])
def stack(request) -> Built:
    return request.getfixturevalue(request.param)


@pytest.mark.parametrize("which", ["plain", pytest.param("grown", marks=pytest.mark.installed)])
def test_cloudformation_finds_nothing_wrong(request, which):
    stack = request.getfixturevalue(which)
    region = "eu-west-1" if stack.artifact["name"].startswith("team-a") else "us-east-1"
    assert [str(match) for match in problems(stack.template, region, [*LEFT_OUT])] == []


def test_cloudformation_would_find_what_is_wrong():
    topic = {"Type": "AWS::SNS::Topic", "Properties": {"DisplayName": ["a", "b"]}}
    assert "E3012" in {match.rule.id for match in problems({"Resources": {"Topic": topic}})}


def test_the_services_take_what_no_schema_describes(stack):
    assert list(of_template(stack.template, json.dumps(stack.template, indent=1))) == []


def test_the_states_language_finds_nothing_wrong(stack, tmp_path):
    checked = _validated(_definition(stack), tmp_path)
    assert checked.returncode == 0, checked.stderr


def test_the_states_language_would_find_what_is_wrong(plain, tmp_path):
    broken = _definition(plain)
    broken["States"]["Plan"]["Next"] = "Nowhere"
    checked = _validated(broken, tmp_path)
    assert checked.returncode == 1
    assert "MISSING_TRANSITION_TARGET" in checked.stderr


def _validated(definition: dict[str, Any], folder: Path) -> subprocess.CompletedProcess[str]:
    path = folder / "definition.json"
    path.write_text(json.dumps(definition))
    command = [str(ROOT / "node_modules" / ".bin" / "asl-validator"), "--json-path", str(path)]
    return subprocess.run(command, check=False, capture_output=True, text=True)


def _definition(built: Built) -> dict[str, Any]:
    """With ARNs such as AWS would put in the place of references, which the validator reads."""
    (machine,) = resources(built.template, "AWS::StepFunctions::StateMachine").values()
    return json.loads("".join(_filled(part) for part in machine["DefinitionString"]["Fn::Join"][1]))


def _filled(part: Any) -> str:
    if isinstance(part, str):
        return part
    if "Ref" in part:
        return {"AWS::Partition": "aws"}.get(part["Ref"], f"arn:aws:sns:eu-west-1:123456789012:{part['Ref']}")
    return f"arn:aws:lambda:eu-west-1:123456789012:function:{part['Fn::GetAtt'][0]}"


def _findings(app: cdk.App) -> set[tuple[str, str]]:
    report = AwsSolutionsChecks(app).validate_scope(app)
    return {
        (violation.rule_name, str(resource.construct_path))
        for violation in report.violations
        for resource in violation.violating_resources
    }


def test_the_aws_solutions_checks_find_nothing_that_is_not_acknowledged(stack):
    assert _findings(stack.app) == set()


def _acknowledged(app: cdk.App) -> list[tuple[Any, str, str]]:
    """Construct, finding and reason of each acknowledgement."""
    key = cdk.Validations.ACKNOWLEDGED_RULES_METADATA_KEY
    return [
        (construct, finding, reason)
        for construct in app.node.find_all()
        for entry in construct.node.metadata
        if entry.type == key
        for finding, reason in entry.data.items()
    ]


def test_every_acknowledgement_gives_a_reason_and_names_a_single_finding(stack):
    acknowledged = [each for each in _acknowledged(stack.app) if "AwsSolutions" in each[1]]
    assert len(acknowledged) > 20
    for construct, finding, reason in acknowledged:
        assert len(reason) >= REASON, (construct.node.path, finding)
        rule = finding.rsplit("AwsSolutions-", 1)[1]
        known = rule.startswith(("IAM5[Resource::", "IAM4[Policy::"))
        assert rule in {"S1", "L1", "SQS3", "CB3", "CB4", "ECS2", "ECS4", *CLOUDFRONT} or known, rule


def test_the_aws_solutions_checks_would_find_what_is_wrong():
    app = cdk.App()
    stack = cdk.Stack(app, "Wrong")
    cdk.aws_s3.Bucket(stack, "Bucket")
    policy = cdk.aws_iam.PolicyStatement(actions=["s3:*"], resources=["*"])
    role = cdk.aws_iam.Role(stack, "Role", assumed_by=cdk.aws_iam.ServicePrincipal("ec2.amazonaws.com"))
    role.add_to_policy(policy)
    rules = {rule for rule, _ in _findings(app)}
    assert {"AwsSolutions-S1", "AwsSolutions-S10"} <= rules
    assert {"AwsSolutions-IAM5[Action::s3:*]", "AwsSolutions-IAM5[Resource::*]"} <= rules
