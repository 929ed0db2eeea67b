"""Reading the state machine's definition out of a synthesized template."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

STACK = "QueueBreakeven"


def template_of(assembly: Path) -> dict[str, Any]:
    return json.loads((assembly / f"{STACK}.template.json").read_text())


def resources(template: dict[str, Any], kind: str) -> dict[str, dict[str, Any]]:
    return {name: r.get("Properties", {}) for name, r in template["Resources"].items() if r["Type"] == kind}


def nodes_template(template: dict[str, Any]) -> dict[str, Any]:
    """What broker nodes are launched from; builders of images have templates of their own."""
    (found,) = [
        each["LaunchTemplateData"]
        for name, each in resources(template, "AWS::EC2::LaunchTemplate").items()
        if name.startswith("Brokers")
    ]
    return found


def builders_templates(template: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """What builders of images are launched from, by logical id."""
    return {
        name: each["LaunchTemplateData"]
        for name, each in resources(template, "AWS::EC2::LaunchTemplate").items()
        if name.startswith("Images")
    }


def nodes_statements(template: dict[str, Any]) -> list[dict[str, Any]]:
    """What broker nodes may do: the statements of the role of the launch template's instance profile."""
    profile = nodes_template(template)["IamInstanceProfile"]["Arn"]["Fn::GetAtt"][0]
    (role,) = resources(template, "AWS::IAM::InstanceProfile")[profile]["Roles"]
    return [
        statement
        for policy in resources(template, "AWS::IAM::Policy").values()
        if role in policy["Roles"]
        for statement in policy["PolicyDocument"]["Statement"]
    ]


def allowed(template: dict[str, Any]) -> Iterator[tuple[str, frozenset[str], dict[str, Any]]]:
    """What roles may do: the policy's logical id, actions and the statement. Of each policy: what is too long
    for a role's own goes on in a managed one; and however many actions the CDK has put into one statement.
    """
    for kind in ("Policy", "ManagedPolicy"):
        for name, policy in resources(template, f"AWS::IAM::{kind}").items():
            for statement in policy["PolicyDocument"]["Statement"]:
                actions = statement["Action"]
                yield name, frozenset([actions] if isinstance(actions, str) else actions), statement


def definition_of(template: dict[str, Any]) -> dict[str, Any]:
    """The definition with each intrinsic replaced by the logical id that it refers to."""
    (machine,) = resources(template, "AWS::StepFunctions::StateMachine").values()
    return json.loads(_resolved(machine["DefinitionString"]))


def _resolved(value: Any) -> str:
    if isinstance(value, str):
        return value
    if "Fn::Join" in value:
        separator, parts = value["Fn::Join"]
        return separator.join(_resolved(part) for part in parts)
    if "Fn::GetAtt" in value:
        return str(value["Fn::GetAtt"][0])
    return str(value["Ref"])


def machines(definition: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every (sub)machine: the definition itself, item processors and branches."""
    yield definition
    for state in definition["States"].values():
        for inner in _inner(state):
            yield from machines(inner)


def _inner(state: dict[str, Any]) -> list[dict[str, Any]]:
    return [*state.get("Branches", []), *([state["ItemProcessor"]] if "ItemProcessor" in state else [])]


def states(definition: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Every state of every submachine, by name (names are unique)."""
    found: dict[str, dict[str, Any]] = {}
    for machine in machines(definition):
        for name, state in machine["States"].items():
            assert name not in found, f"{name} is there twice"
            found[name] = state
    return found


def worst_events(machine: dict[str, Any], sizes: dict[str, int], never: Collection[str] = ()) -> int:
    """The most history events one pass through the machine can take.

    ``sizes`` gives the number of items of each map. Every retry is taken, and then the catch. No choice falls
    on a state of ``never``, and no way is gone back.
    """
    known: dict[str, int] = {}

    def from_state(name: str) -> int:
        if name not in known:
            known[name] = 0  # for whoever comes back to it on the way
            state = machine["States"][name]
            after = [state[key] for key in ("Next", "Default") if key in state]
            after += [branch["Next"] for branch in (*state.get("Choices", []), *state.get("Catch", []))]
            longest = max((from_state(one) for one in after if one not in never), default=0)
            known[name] = _events(name, state, sizes, never) + longest
        return known[name]

    return from_state(machine["StartAt"])


def _events(name: str, state: dict[str, Any], sizes: dict[str, int], never: Collection[str]) -> int:
    entered_and_exited = 2
    attempts = 1 + sum(retry["MaxAttempts"] for retry in state.get("Retry", []))
    if state["Type"] == "Task":
        # scheduled, started, (submitted), ended
        return entered_and_exited + attempts * (4 if state["Resource"].endswith(".sync") else 3)
    if state["Type"] == "Map" and state["ItemProcessor"]["ProcessorConfig"]["Mode"] == "DISTRIBUTED":
        return entered_and_exited + 4  # the map and its run started and ended: its items are executions
    if state["Type"] == "Map":
        body = worst_events(state["ItemProcessor"], sizes, never) + 2  # iteration started and ended
        return entered_and_exited + 2 + sizes[name] * body
    if state["Type"] == "Parallel":
        return (
            entered_and_exited + 2 + sum(worst_events(branch, sizes, never) for branch in state["Branches"])
        )
    return entered_and_exited


def usual(
    machine: dict[str, Any],
    sizes: dict[str, int],
    counts: Callable[[dict[str, Any]], int],
    never: Collection[str] = (),
) -> int:
    """What one pass through the machine comes to when nothing fails, each state for what ``counts`` says.

    Of several ways on, the one that comes to most.

    :param never: states that are not taken
    """
    known: dict[str, int] = {}

    def from_state(name: str) -> int:
        if name not in known:
            known[name] = 0
            state = machine["States"][name]
            after = [state[key] for key in ("Next", "Default") if key in state]
            after += [branch["Next"] for branch in state.get("Choices", [])]
            times = sizes[name] if state["Type"] == "Map" else 1
            inside = times * sum(usual(inner, sizes, counts, never) for inner in _inner(state))
            ahead = (from_state(one) for one in after if one not in never)
            known[name] = counts(state) + inside + max(ahead, default=0)
        return known[name]

    return from_state(machine["StartAt"])
