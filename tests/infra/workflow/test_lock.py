"""The lock's place in the workflow, and what taking it may ask for."""

from __future__ import annotations

import json
from graphlib import TopologicalSorter

from tests.support.aws.definition import definition_of, resources, template_of


def references(value, names):
    """Logical ids that a resource refers to."""
    if isinstance(value, dict):
        found = {value["Ref"]} & names if isinstance(value.get("Ref"), str) else set()
        if isinstance(value.get("Fn::GetAtt"), list):
            found |= {value["Fn::GetAtt"][0]} & names
        if isinstance(value.get("Fn::Sub"), str):
            found |= {name for name in names if f"${{{name}" in value["Fn::Sub"]}
        return found.union(*(references(inner, names) for inner in value.values()))
    if isinstance(value, list):
        return set().union(*(references(inner, names) for inner in value))
    return set()


def test_no_resource_needs_itself(assembly):
    """The function that takes the lock asks about the state machine that calls it."""
    all_of_them = template_of(assembly)["Resources"]
    graph = {}
    for name, resource in all_of_them.items():
        depends = resource.get("DependsOn", [])
        graph[name] = references(resource, set(all_of_them)) | set(
            [depends] if isinstance(depends, str) else depends
        )
    (machine,) = resources(template_of(assembly), "AWS::StepFunctions::StateMachine")
    assert any(name.startswith("FunctionsTakeLock") for name in graph[machine]), "read from the template"
    TopologicalSorter(graph).prepare()  # raises CycleError


def test_the_lock_is_taken_before_anything_that_is_cleaned_up_and_released_after(assembly):
    top = definition_of(template_of(assembly))["States"]
    assert (top["Plan"]["Next"], top["TakeLock"]["Next"]) == ("TakeLock", "ImagesMissing?")
    assert top["ImagesMissing?"]["Default"] == "Tasks?"
    assert top["Tasks?"]["Default"] == "Rounds"
    for state in ("Plan", "TakeLock"):
        (catch,) = top[state]["Catch"]
        assert catch["Next"] == "FinishRun", "the clean-up would let go what another run holds"
    for state in ("Queries", "BuildReport", "Notify"):
        (catch,) = top[state]["Catch"]
        assert catch["Next"] == "ReleaseLock", state
    assert top["Notify"]["Next"] == "ReleaseLock"
    release = top["ReleaseLock"]
    assert release["Next"] == release["Catch"][0]["Next"] == "FinishRun"
    assert release["Parameters"]["ConditionExpression"] == "#owner = :execution"


def test_taking_it_and_planning_may_ask_about_executions_of_this_state_machine_only(assembly):
    template = template_of(assembly)
    (machine,) = resources(template, "AWS::StepFunctions::StateMachine")
    asking = [
        (policy, statement)
        for policy in resources(template, "AWS::IAM::Policy").values()
        for statement in policy["PolicyDocument"]["Statement"]
        if statement["Action"] == "states:DescribeExecution"
        and policy["Roles"][0]["Ref"].startswith(("FunctionsTakeLockRole", "FunctionsPlanRole"))
    ]
    roles = {role["Ref"][: len("FunctionsTakeLockRole")] for policy, _ in asking for role in policy["Roles"]}
    assert len(asking) == len(roles) == 2
    assert any(role == "FunctionsTakeLockRole" for role in roles)
    assert any(role.startswith("FunctionsPlanRole") for role in roles), "for the run that it goes on with"
    for _, statement in asking:
        assert {"Fn::GetAtt": [machine, "Name"]} in statement["Resource"]["Fn::Join"][1]
        assert json.dumps(statement["Resource"]).count("*") == 1, "any execution, of one machine"
