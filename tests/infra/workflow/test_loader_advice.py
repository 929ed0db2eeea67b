"""What runs found of their loaders: the next plan reads it, the end of a run writes it, nobody else does."""

from __future__ import annotations

import json

from tests.support.aws.definition import resources, template_of


def test_only_planning_reads_it_and_only_the_end_of_a_run_writes_it(assembly):
    allowed: dict[str, set[str]] = {}
    for name, policy in resources(template_of(assembly), "AWS::IAM::Policy").items():
        for statement in policy["PolicyDocument"]["Statement"]:
            if "/advice/*" in json.dumps(statement):
                actions = statement["Action"]
                allowed.setdefault(name, set()).update([actions] if isinstance(actions, str) else actions)
    planning, finishing = sorted(allowed, key=lambda name: "FinishRun" in name)
    assert "FunctionsPlan" in planning
    assert "FunctionsFinishRun" in finishing
    assert "s3:GetObject" in allowed[planning]
    assert not any(action.startswith(("s3:Put", "s3:Delete")) for action in allowed[planning])
    assert {"s3:GetObject", "s3:PutObject"} <= allowed[finishing]
