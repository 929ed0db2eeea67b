"""Tasks as they are deployed: where they run, what they are told, who starts them, what their image is."""

from __future__ import annotations

import json
import re

import pytest

from breakeven.planning.budget.task_lines import MEMORY_GB, VCPU
from breakeven.planning.footprint import ROOM
from breakeven.results import layout
from infra.code import LOCK
from infra.loaders.loader_image import DOCKERFILE, FOLDER, assemble_image
from tests.support.aws.definition import allowed, definition_of, resources, states

TASKS = [f"{prefix}{many}Task" for prefix in ("Broker", "Managed") for many in ("", "Many")]
#: not of a task: Lambda's own, and what only steps are told
OF_FUNCTIONS = {"POWERTOOLS_SERVICE_NAME"}


def only(built, kind):
    (found,) = resources(built.template, kind).values()
    return found


@pytest.fixture(params=["plain", "grown"])
def built(request):
    return request.getfixturevalue(request.param)


def test_every_state_of_a_task_is_the_same_but_for_its_name(plain):
    found = states(definition_of(plain.template))
    first, *others = [found[name] for name in TASKS]
    assert all(other == first for other in others)


def test_a_task_runs_in_the_isolated_subnets_without_a_public_address(built):
    given = states(definition_of(built.template))["BrokerTask"]["Parameters"]
    assert given["LaunchType"] == "FARGATE"
    network = given["NetworkConfiguration"]["AwsvpcConfiguration"]
    assert network["AssignPublicIp"] == "DISABLED"
    functions = [
        each["VpcConfig"]
        for each in resources(built.template, "AWS::Lambda::Function").values()
        if "VpcConfig" in each
    ]
    ids = [each["Ref"] if isinstance(each, dict) else each for each in functions[0]["SubnetIds"]]
    assert network["Subnets"] == ids
    assert network["SecurityGroups"] == [functions[0]["SecurityGroupIds"][0]["Fn::GetAtt"][0]]


def test_a_task_is_given_one_key_that_prepare_case_has_written(plain):
    given = states(definition_of(plain.template))["BrokerTask"]["Parameters"]
    (override,) = given["Overrides"]["ContainerOverrides"]
    assert override["Name"] == "loader"
    ((name, value),) = ((each["Name"], each["Value.$"]) for each in override["Environment"])
    assert name == "BREAKEVEN_TASK_INPUT"
    pattern, paths = re.fullmatch(r"States.Format\('(.+)', (.+)\)", value).groups()
    assert paths.split(", ") == ["$.run_id", "$.case_id", "$.attempt", "$.loader"]
    made = pattern.replace("{}", "%s") % ("run-1", "case.r1", 2, 40)
    assert made == layout.task_input_key("run-1", "case.r1", 2, 40)
    assert given["Group.$"] == "States.Format('run:{}', $.run_id)"


def test_a_task_is_started_again_where_none_was_and_once_where_it_may_not_have_run(plain):
    state = states(definition_of(plain.template))["BrokerTask"]
    not_started, once_more = state["Retry"]
    assert "ECS.ThrottlingException" in not_started["ErrorEquals"]
    # of a task that was started, whatever it has ended of
    assert not [error for error in not_started["ErrorEquals"] if error.startswith("States.")]
    # one whose image could not be pulled; a loader that had begun does not begin again
    assert (once_more["ErrorEquals"], once_more["MaxAttempts"]) == (["States.TaskFailed"], 1)
    waits = [
        each["IntervalSeconds"] * each["BackoffRate"] ** n
        for each in state["Retry"]
        for n in range(each["MaxAttempts"])
    ]
    assert sum(waits) < 300, "well within the deadline of a case's start"


def test_a_task_knows_what_a_loaders_function_knows(built):
    functions = resources(built.template, "AWS::Lambda::Function")
    (loads, *_) = [each for each in functions.values() if each["Handler"] == "handlers.case.load.handler"]
    (container,) = only(built, "AWS::ECS::TaskDefinition")["ContainerDefinitions"]
    reported = {each["Name"]: each["Value"] for each in container["Environment"]}
    theirs = loads["Environment"]["Variables"]
    assert {name: reported[name] for name in theirs.keys() - OF_FUNCTIONS} == {
        name: theirs[name] for name in theirs.keys() - OF_FUNCTIONS
    }
    assert reported.keys() - theirs.keys() == {"AWS_DEFAULT_REGION"}
    assert "Secrets" not in container


def test_what_a_task_has_is_what_the_estimate_prices(plain):
    definition = only(plain, "AWS::ECS::TaskDefinition")
    assert (definition["Cpu"], definition["Memory"]) == (str(1024 * VCPU), str(1024 * MEMORY_GB))
    assert definition["RuntimePlatform"]["CpuArchitecture"] == "ARM64", "which is cheaper, and priced"
    assert only(plain, "AWS::CodeBuild::Project")["Environment"]["Type"] == "ARM_CONTAINER"


def test_a_task_may_open_as_much_as_the_plan_takes_it_to(built):
    (container,) = only(built, "AWS::ECS::TaskDefinition")["ContainerDefinitions"]
    most = ROOM["fargate"].descriptors
    assert container["Ulimits"] == [{"Name": "nofile", "SoftLimit": most, "HardLimit": most}]


def test_the_image_of_the_definition_is_the_one_that_is_built_and_looked_for(built):
    (container,) = only(built, "AWS::ECS::TaskDefinition")["ContainerDefinitions"]
    project = only(built, "AWS::CodeBuild::Project")
    variables = {each["Name"]: each["Value"] for each in project["Environment"]["EnvironmentVariables"]}
    tag = variables["IMAGE_TAG"]
    assert re.fullmatch(r"[0-9a-f]{32}", tag)
    assert json.dumps(container["Image"]).endswith(f':{tag}"]]}}')
    looked_for = {
        each["Environment"]["Variables"]["BREAKEVEN_IMAGE_TAG"]
        for each in resources(built.template, "AWS::Lambda::Function").values()
        if "BREAKEVEN_IMAGE_TAG" in each["Environment"]["Variables"]
    }
    assert looked_for == {tag}
    assert only(built, "AWS::ECR::Repository")["ImageTagMutability"] == "IMMUTABLE"


def test_the_image_is_made_of_what_is_deployed_and_of_the_locked_packages(tmp_path):
    assemble_image(tmp_path)
    assert {each.name for each in tmp_path.iterdir()} == {
        "handlers",
        "breakeven",
        "scenarios",
        "Dockerfile",
        LOCK.name,
    }
    assert (tmp_path / LOCK.name).read_bytes() == LOCK.read_bytes()
    lines = DOCKERFILE.splitlines()
    assert f"WORKDIR {FOLDER}" in lines
    assert 'ENTRYPOINT ["python"]' in lines
    assert 'CMD ["-m", "handlers.task"]' in lines
    assert any("--require-hashes" in line for line in lines)


def test_only_the_state_machine_starts_tasks_and_passes_on_those_two_roles_alone(plain):
    starting, passing = [], []
    for name, actions, statement in allowed(plain.template):
        if "ecs:RunTask" in actions:
            starting.append(name)
            assert statement["Condition"]["ArnEquals"].keys() == {"ecs:cluster"}
            assert statement["Resource"]["Ref"].startswith("TasksDefinition")
        if "iam:PassRole" in actions and "StateMachine" in name:
            passing.append(name)
            passed = [each["Fn::GetAtt"][0] for each in statement["Resource"]]
            assert sorted(each[:-8] for each in passed) == ["TasksRole", "TasksStartRole"]
            assert statement["Condition"] == {
                "StringEquals": {"iam:PassedToService": "ecs-tasks.amazonaws.com"}
            }
    assert [name.startswith("WorkflowStateMachine") for name in starting] == [True]
    assert len(passing) == 1


def test_what_starts_a_task_may_pull_and_log_and_nothing_else(plain):
    policies = resources(plain.template, "AWS::IAM::Policy")
    (found,) = [policy for name, policy in policies.items() if name.startswith("TasksStartRole")]
    actions = {
        action
        for statement in found["PolicyDocument"]["Statement"]
        for action in (
            statement["Action"] if isinstance(statement["Action"], list) else [statement["Action"]]
        )
    }
    assert {action.partition(":")[0] for action in actions} == {"ecr", "logs"}
    assert not [action for action in actions if "Put" in action and action != "logs:PutLogEvents"]
