"""The synthesized workflow: its shape, its limits, and that it is what the deploy command would send."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from breakeven.planning import execution_limits
from breakeven.results.queries import queries
from breakeven.workload.case import MAX_LOADERS
from tests.support.aws.definition import (
    STACK,
    allowed,
    definition_of,
    machines,
    resources,
    states,
    template_of,
    worst_events,
)
from tests.support.workflow.faults import ALL
from tests.support.workflow.workflow_runs import Fault

ROOT = Path(__file__).parents[3]
#: the states that run a case's loaders, one of them for each case
MAPS = [
    f"{prefix}{many}{kind}"
    for prefix in ("Broker", "Managed")
    for many in ("", "Many")
    for kind in ("Loaders", "Tasks")
]
TASKS = {f"{prefix}{many}Task" for prefix in ("Broker", "Managed") for many in ("", "Many")}


@pytest.fixture(scope="module")
def definition(assembly):
    return definition_of(template_of(assembly))


@pytest.fixture(scope="module")
def deployed(tmp_path_factory):
    """The template that ``cdk deploy`` would send, by the CDK's own command line.

    ``cdk list`` runs the app as ``deploy`` does, except that it fills no layer with wheels; a layer's asset
    is known by its lock file's hash either way.
    """
    out = tmp_path_factory.mktemp("cli") / "cdk.out"
    environment = {**os.environ, "CDK_DISABLE_CLI_TELEMETRY": "true", "CI": "true"}
    command = ["npx", "--no-install", "cdk", "list", "--output", str(out)]
    subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True)
    return json.loads((out / f"{STACK}.template.json").read_text())


@pytest.mark.thorough
def test_what_runs_here_is_what_would_be_deployed(assembly, deployed):
    assert definition_of(template_of(assembly)) == definition_of(deployed)
    ours, theirs = template_of(assembly)["Resources"], deployed["Resources"]
    assert ours.keys() == theirs.keys()
    for name, resource in ours.items():
        # the command line adds each construct's path as metadata, for its own messages
        assert resource == {key: value for key, value in theirs[name].items() if key != "Metadata"}, name


def test_there_is_a_fault_for_every_state_that_calls_something(definition):
    calls = {name: each["Resource"] for name, each in states(definition).items() if each["Type"] == "Task"}
    assert len(calls) > len(ALL), "a function is called by two legs, a service by each query"
    for name, resource in calls.items():
        assert any(Fault(entry, "raise").hits(resource, {}) for entry in ALL), name


def test_every_task_has_a_time_limit_and_every_failure_a_way_on(definition):
    for name, state in states(definition).items():
        if name in TASKS:  # a case's own: PrepareCase tells it
            assert state["TimeoutSecondsPath"] == "$.limit_s"
        elif state["Type"] == "Task":
            assert state["TimeoutSeconds"] <= 1000, name
    for machine in machines(definition):
        for name, state in machine["States"].items():
            drives = ("Load", "Watch", "RebootBroker", "Loaders", "Task", "Tasks")
            inside_drive = name.endswith(drives) or name.startswith("Query ")
            inside_rounds = name == "Legs"
            of_the_leg = name in {"BrokerStartNodes", "BrokerAwaitNodes"}
            if state["Type"] in {"Task", "Map", "Parallel"} and name != "RecordUnfinished":
                assert inside_drive or inside_rounds or of_the_leg or state.get("Catch"), (
                    f"{name} has no catch"
                )


def test_catches_name_their_own_state_and_one_of_them_fails_no_run(definition):
    for name, state in states(definition).items():
        for catch in state.get("Catch", []):
            assert catch["ErrorEquals"] == ["States.ALL"]
            where = "unread" if name == "ReadMetrics" else "failed"
            assert catch["ResultPath"] == f"$.{where}.{name}"


def test_metrics_of_services_are_read_after_the_lanes_where_there_are_any_and_the_run_goes_on(definition):
    found = states(definition)
    asks = found["Metrics?"]
    assert found["ReleaseRun"]["Next"] == found["ReleaseRun"]["Catch"][0]["Next"] == "Metrics?"
    assert asks["Choices"] == [{"Variable": "$.run.metrics", "BooleanEquals": True, "Next": "AwaitMetrics"}]
    assert found["AwaitMetrics"]["Seconds"] == execution_limits.METRICS_WAIT_S
    assert found["AwaitMetrics"]["Next"] == "ReadMetrics"
    for way in (asks["Default"], found["ReadMetrics"]["Next"], found["ReadMetrics"]["Catch"][0]["Next"]):
        assert way == "PriceRun"
    assert found["BuildReport"]["Parameters"]["unread.$"] == "$.unread"


@pytest.mark.parametrize("prefix", ["Broker", "Managed"])
def test_more_loaders_than_an_inline_map_runs_at_once_are_run_by_a_distributed_one(definition, prefix):
    found = states(definition)
    choice = found[f"{prefix}FewLoaders?"]
    # the forty-first is there: lists count from 0
    one_more = {"Variable": "$.case.loaders[40]", "IsPresent": True}
    tasks = {"Variable": "$.case.loader", "StringEquals": "fargate"}
    assert choice["Choices"] == [
        {"And": [tasks, one_more], "Next": f"{prefix}ManyTasks"},
        {**tasks, "Next": f"{prefix}Tasks"},
        {**one_more, "Next": f"{prefix}ManyLoaders"},
    ]
    assert choice["Default"] == f"{prefix}Loaders"


@pytest.mark.parametrize("kind", ["Loaders", "Tasks"])
@pytest.mark.parametrize("prefix", ["Broker", "Managed"])
def test_the_two_maps_of_a_pair_run_the_same_loaders(definition, prefix, kind):
    few, many = (states(definition)[f"{prefix}{name}{kind}"] for name in ("", "Many"))
    assert (few["MaxConcurrency"], many["MaxConcurrency"]) == (40, MAX_LOADERS)
    assert few["ItemProcessor"]["ProcessorConfig"]["Mode"] == "INLINE"
    # an express execution would end after five minutes
    assert many["ItemProcessor"]["ProcessorConfig"] == {"Mode": "DISTRIBUTED", "ExecutionType": "STANDARD"}
    assert not [key for key in many if key.startswith(("Tolerated", "ItemBatcher", "ItemReader"))]
    for key in ("ItemsPath", "ItemSelector"):
        assert few[key] == many[key]
    for each in (few, many):
        assert each["OutputPath"] is None, "what they answer is dropped"


@pytest.mark.parametrize("prefix", ["Broker", "Managed"])
@pytest.mark.parametrize("kind", ["Loaders", "Tasks"])
def test_a_loader_of_either_map_is_the_same_and_asks_nothing_of_its_execution(definition, prefix, kind):
    found = states(definition)
    few, many = (found[f"{prefix}{name}"]["ItemProcessor"] for name in (kind, f"Many{kind}"))
    assert list(few["States"].values()) == list(many["States"].values())
    # a child of a distributed map has a name, an id and a start of its own
    assert "$$" not in json.dumps(many)
    assert "$$.Execution" not in json.dumps(found[f"{prefix}Many{kind}"]["ItemSelector"])


def test_brokers_are_released_on_every_way_out_of_their_leg(definition):
    found = states(definition)
    # what tasks need is no lane's: a run that cannot make it goes on with its other cases
    for name in ("EstablishTasks", "BuildImage", "AwaitTasks"):
        (catch,) = found[name]["Catch"]
        assert catch["Next"] == "Rounds"
    # nor is an image: a lane that lacks its own says so
    (catch,) = found["BakeImages"]["Catch"]
    assert catch["Next"] == found["MoreToBake?"]["Default"] == found["ImagesMissing?"]["Default"] == "Tasks?"
    for name in ("BrokerWakeFunctions", "BrokerLaunchBrokers", "BrokerEstablishLane", "BrokerCases"):
        (catch,) = found[name]["Catch"]
        assert catch["Next"] == "BrokerFailLeg"
    assert found["BrokerFailLeg"]["Next"] == "BrokerReleaseLane"
    assert found["BrokerFailLeg"]["Catch"][0]["Next"] == "BrokerReleaseLane"
    assert found["Rounds"]["Next"] == found["Rounds"]["Catch"][0]["Next"] == "ReleaseRun"


def ends(machine, state, seen=()):
    """Every state after which a pass that goes through ``state`` may end, by way of those in between."""
    found = machine["States"][state]
    ways = [found[key] for key in ("Next", "Default") if key in found]
    ways += [way["Next"] for way in (*found.get("Choices", []), *found.get("Catch", []))]
    if not ways:
        return {(*seen, state)}
    return set().union(*(ends(machine, way, (*seen, state)) for way in ways))


def test_nodes_that_a_case_stops_are_started_and_awaited_on_every_way_out_of_it(definition):
    cases = states(definition)["BrokerCases"]["ItemProcessor"]
    assert cases["StartAt"] == "BrokerNodesDown"
    stops = cases["States"]["BrokerNodesDown"]
    assert stops["Choices"] == [
        {"Variable": "$.case.nodes_down", "NumericGreaterThan": 0, "Next": "BrokerStopNodes"}
    ]
    assert stops["Default"] == "BrokerPrepareCase"
    for way in ends(cases, "BrokerStopNodes"):
        assert "BrokerNodesUp" in way, "whether they are started is asked"
    starts = cases["States"]["BrokerNodesUp"]
    assert starts["Choices"] == [
        {"Variable": "$.case.nodes_down", "NumericGreaterThan": 0, "Next": "BrokerStartNodes"},
        # those that a fault had taken are brought back by who took them, and only awaited
        {"Variable": "$.case.faults", "NumericGreaterThan": 0, "Next": "BrokerAwaitNodes"},
    ]
    assert starts["Default"] == "BrokerCaseDone"
    (way,) = ends(cases, "BrokerStartNodes")
    assert way == ("BrokerStartNodes", "BrokerAwaitNodes", "BrokerCaseDone")
    # where they do not come back the leg ends: its brokers are let go, its other cases are recorded as failed
    (catch,) = states(definition)["BrokerCases"]["Catch"]
    assert catch["Next"] == "BrokerFailLeg"
    managed = states(definition)["ManagedCases"]["ItemProcessor"]
    assert not {"ManagedStopNodes", "ManagedStartNodes"} & managed["States"].keys()


def test_only_two_functions_may_stop_and_start_instances_and_only_those_of_runs(assembly):
    found = {}
    for name, actions, statement in allowed(template_of(assembly)):
        if may := actions & {"ec2:StopInstances", "ec2:StartInstances"}:
            found[name.partition("Role")[0]] = may
            assert statement["Condition"] == {
                "StringEquals": {"aws:ResourceTag/breakeven:owner": "QueueBreakeven"}
            }
    assert found == {
        "FunctionsStopNodes": {"ec2:StopInstances"},
        "FunctionsStartNodes": {"ec2:StartInstances"},
    }


def test_worst_history_of_a_case_and_of_the_run_is_what_the_plan_reckons_with(definition):
    def worst(
        cases: int = 1,
        loaders: int = 1,
        legs: int = 1,
        rounds: int = 1,
        *,
        down: bool = False,
        faults: bool = False,
        reboot: bool = False,
        many: bool = False,
        tasks: bool = False,
    ) -> int:
        sizes = {"Rounds": rounds, "Legs": legs, "ManagedCases": cases, "BrokerCases": cases}
        sizes |= {"ManagedLoaders": loaders, "BrokerLoaders": loaders}
        sizes |= {"ManagedTasks": loaders, "BrokerTasks": loaders}
        never = () if down else ("BrokerStopNodes", "BrokerStartNodes")
        never += () if down or faults else ("BrokerAwaitNodes",)
        never += () if reboot else ("BrokerRebootBroker",)
        kind = "Tasks" if tasks else "Loaders"
        taken = tuple(f"{prefix}{'Many' if many else ''}{kind}" for prefix in ("Broker", "Managed"))
        return worst_events(definition, sizes, (*never, *(each for each in MAPS if each not in taken)))

    per_loader = worst(loaders=2) - worst(loaders=1)
    assert per_loader == execution_limits.HISTORY_PER_LOADER
    assert worst(cases=2) - worst(cases=1) == execution_limits.HISTORY_PER_CASE + per_loader
    assert worst(many=True) - worst(loaders=0) == execution_limits.HISTORY_OF_MANY_LOADERS
    assert worst(down=True) - worst() == execution_limits.HISTORY_OF_NODES_DOWN
    assert worst(faults=True) - worst() == execution_limits.HISTORY_OF_FAULTS
    assert worst(reboot=True) - worst() == execution_limits.HISTORY_OF_REBOOT
    assert worst(loaders=2, tasks=True) - worst(loaders=1, tasks=True) == execution_limits.HISTORY_PER_TASK
    assert worst(many=True, tasks=True) == worst(many=True)
    # a watch that is called again: a task's three events for each of four calls and two, and a choice's two
    assert execution_limits.HISTORY_PER_WATCH == 4 * 3 + 2 + 2
    assert worst(cases=0, rounds=2) - worst(cases=0) == execution_limits.HISTORY_PER_LEG
    of_queries = execution_limits.HISTORY_PER_QUERY * len(queries())
    of_all, branches = worst(cases=0), definition["States"]["Queries"]["Branches"]
    left_out = branches.pop()
    of_one = of_all - worst(cases=0)
    branches.append(left_out)
    assert of_one == execution_limits.HISTORY_PER_QUERY
    run = worst(legs=0) - (worst(legs=0, rounds=2) - worst(legs=0))
    assert run - of_queries <= execution_limits.HISTORY_PER_RUN
    # a look is a task's five events, a choice's two and a wait's two
    assert execution_limits.HISTORY_PER_LOOK == 5 + 2 + 2
    assert definition["States"]["AwaitImages"]["Seconds"] == execution_limits.LOOKS_EVERY_S
    for wait in ("BrokerAwaitBroker", "BrokerAwaitRelease"):
        assert states(definition)[wait]["Seconds"] == execution_limits.BROKER_LOOKS_EVERY_S
    assert execution_limits.MAX_HISTORY_EVENTS == 25_000
    assert execution_limits.HISTORY_BUDGET <= execution_limits.MAX_HISTORY_EVENTS * 3 / 4


def test_queries_are_deployed_as_they_are_written(assembly):
    named = resources(template_of(assembly), "AWS::Athena::NamedQuery")
    deployed = {query["Name"]: query["QueryString"] for query in named.values()}
    assert set(deployed) == set(queries())
    assert deployed == queries()
    assert not any("-- include:" in sql for sql in deployed.values())


def test_every_query_of_the_workflow_has_one_parameter_for_each_mark(definition):
    for name, state in states(definition).items():
        if name.startswith("Query "):
            sql = "\n".join(line.split("--")[0] for line in state["Parameters"]["QueryString"].splitlines())
            given = state["Parameters"]["ExecutionParameters.$"].count("$.run.sql_run_id")
            assert given == sql.count("?") > 0, name
