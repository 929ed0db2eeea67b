"""Tasks of the simulated Fargate, as real processes that state machines start, and the images they are of."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from botocore.exceptions import ClientError

from local.aws.functions.lambda_process import Host
from local.aws.patches import service_patches, state_patches
from local.aws.swaps import Swaps
from local.aws.tasks.ecs import TaskRuntime
from local.aws.tasks.task_images import TaskImages
from local.children import Children
from tests.support.aws.moto_server import BASE, LIMIT_S, machine
from tests.support.aws.moto_tasks import Tasks

PATCHES = (
    *BASE,
    state_patches.states_errors_leave_branches,
    state_patches.ecs_tasks_wait,
    state_patches.builds_wait,
    service_patches.containers_share_a_tasks_memory,
    service_patches.task_lists_are_short,
)
#: by its order: how it ends, or that it waits; what it is given, it writes down
LOADER = """
import json, os, subprocess, sys, time
from pathlib import Path
import part
order = os.environ["ORDER"]
Path(os.environ["NOTES"], order).write_text(json.dumps({"args": sys.argv[1:], "env": dict(os.environ),
    "part": part.__file__, "cwd": os.getcwd(), "pid": os.getpid()}))
if order in {"wait", "leave"}:
    child = subprocess.Popen(["sleep", "600"])
    Path(os.environ["NOTES"], "child").write_text(str(child.pid))
if order == "wait":
    time.sleep(600)
sys.exit(int(order) if order.isdigit() else 0)
"""
DOCKERFILE = """FROM public.ecr.aws/docker/library/python:3.13-slim
# the code
WORKDIR /srv/loader
COPY requirements.lock /tmp/
RUN pip install \\
    --require-hashes -r /tmp/requirements.lock
COPY code/ ./
ENV OF_IMAGE=1 ORDER=image
ENTRYPOINT ["python"]
CMD ["-m", "loader", "of-image"]
"""


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    folder = tmp_path_factory.mktemp("source")
    (folder / "code").mkdir()
    (folder / "code" / "loader.py").write_text(LOADER)
    (folder / "code" / "part.py").touch()
    (folder / "Dockerfile").write_text(DOCKERFILE)
    return folder


@pytest.fixture
def notes(tmp_path):
    (tmp_path / "notes").mkdir()
    return tmp_path / "notes"


@pytest.fixture
def tasks(moto, source, tmp_path, notes):
    """Of a server on which tasks run, with the image ``t1`` built; none outlives the test."""
    with Children() as children, Swaps() as swaps, moto.patched_with(None, False, PATCHES):
        images = TaskImages({"source.zip": source}.__getitem__)
        images.install(swaps)
        environment = {"AWS_ENDPOINT_URL": moto.aws.endpoint, "NOTES": str(notes)}
        host = Host(children, environment, log_dir=tmp_path, scratch=tmp_path)
        runtime = TaskRuntime(host, images, stop_limit_s=1.0)
        runtime.install(swaps)
        found = Tasks(moto)
        found.runtime, found.children = runtime, children
        found.builds.start_build(projectName=found.project())
        yield found
        runtime.close()
        assert children.running() == []


def until(well, what):
    deadline = time.monotonic() + LIMIT_S
    while not (found := well()):
        assert time.monotonic() < deadline, what
        time.sleep(0.02)
    return found


def written(notes, name):
    """What a task has written down, once it has."""
    return json.loads(until(lambda: (notes / name).exists() and (notes / name).read_text(), name))


def stopped(tasks, task):
    return until(lambda: (found := tasks.look(task))["lastStatus"] == "STOPPED" and found, "it stops")


def gone(pid):
    """It has ended; one that nobody has waited for yet is a zombie."""
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def override(**environment):
    pairs = [{"name": name, "value": value} for name, value in environment.items()]
    return {"containerOverrides": [{"name": "loader", "environment": pairs}]}


def test_a_state_runs_a_task(moto, tasks, notes, source):
    definition = tasks.definition(
        environment=[{"name": "OF_TASK", "value": "2"}, {"name": "ORDER", "value": "?"}]
    )
    found = moto.run(machine(A=tasks.state(definition)), {"run": "r1", "order": "well"})
    assert found["status"] == "SUCCEEDED", found
    task = json.loads(found["output"])
    assert (task["LastStatus"], task["StopCode"]) == ("STOPPED", "EssentialContainerExited")
    (container,) = task["Containers"]
    assert (container["Name"], container["ExitCode"], container["LastStatus"]) == ("loader", 0, "STOPPED")
    assert isinstance(task["StoppedAt"], int)
    assert {tag["Key"]: tag["Value"] for tag in task["Tags"]} == {
        "breakeven:owner": "us",
        "breakeven:run": "r1",
    }
    reported = written(notes, "well")
    assert reported["args"] == ["of-image"]
    assert reported["cwd"] == str(source / "code")
    assert reported["part"] == str(source / "code" / "part.py")
    assert reported["env"].items() >= {"OF_IMAGE": "1", "OF_TASK": "2", "ORDER": "well"}.items()
    assert reported["env"]["AWS_ENDPOINT_URL"] == moto.aws.endpoint
    assert reported["env"]["AWS_ACCESS_KEY_ID"] == definition.rpartition("/")[2].partition(":")[0]


def test_the_definitions_command_comes_before_the_images(tasks, notes):
    stopped(tasks, tasks.run(tasks.definition("-m", "loader", "a", "b"), overrides=override(ORDER="x")))
    assert written(notes, "x")["args"] == ["a", "b"]


def test_an_exit_code_fails_the_state(moto, tasks):
    found = moto.run(machine(A=tasks.state(tasks.definition())), {"run": "r", "order": "3"})
    assert (found["status"], found["error"]) == ("FAILED", "States.TaskFailed")
    assert json.loads(found["cause"])["Containers"][0]["ExitCode"] == 3


def test_what_nobody_waits_for_does_not_fail(moto, tasks):
    found = moto.run(machine(A=tasks.state(tasks.definition(), mode="")), {"run": "r", "order": "3"})
    assert found["status"] == "SUCCEEDED"
    assert json.loads(found["output"])["Failures"] == []


def test_an_image_that_was_not_built_cannot_be_pulled(moto, tasks):
    state = tasks.state(tasks.definition(image=f"{tasks.repository}:t2"))
    found = moto.run(machine(A=state), {"run": "r", "order": "x"})
    assert found["error"] == "States.TaskFailed"
    task = json.loads(found["cause"])
    assert task["StopCode"] == "TaskFailedToStart"
    assert "CannotPullContainerError" in task["StoppedReason"]


def test_a_program_that_is_not_there_cannot_be_started(tasks):
    task = stopped(tasks, tasks.run(tasks.definition(entryPoint=["no-such-program"])))
    assert task["stopCode"] == "TaskFailedToStart"
    assert task["stoppedReason"].startswith("CannotStartContainerError: ")
    assert "no-such-program" in task["stoppedReason"]


def test_a_task_is_stopped_with_all_that_it_started(tasks, notes):
    task = tasks.run(tasks.definition(), overrides=override(ORDER="wait"), startedBy="r")
    pids = written(notes, "wait")["pid"], written(notes, "child")
    assert tasks.look(task)["lastStatus"] == "RUNNING"
    assert tasks.ecs.list_tasks(cluster=tasks.name, startedBy="r")["taskArns"] == [task]
    answer = tasks.ecs.stop_task(cluster=tasks.name, task=task, reason="enough")["task"]
    assert answer["desiredStatus"] == "STOPPED"
    found = stopped(tasks, task)
    assert (found["stopCode"], found["stoppedReason"]) == ("UserInitiated", "enough")
    assert found["containers"][0]["exitCode"] == 143
    until(lambda: all(gone(pid) for pid in pids), "the group ends")
    assert tasks.ecs.list_tasks(cluster=tasks.name, startedBy="r")["taskArns"] == []
    assert not tasks.ec2.describe_network_interfaces(
        Filters=[{"Name": "subnet-id", "Values": [tasks.subnet]}]
    )["NetworkInterfaces"]


def test_a_task_that_ends_leaves_nothing_behind(tasks, notes):
    stopped(tasks, tasks.run(tasks.definition(), overrides=override(ORDER="leave")))
    until(lambda: gone(written(notes, "child")), "what it has started ends")


def test_a_task_that_does_not_hear_is_killed(tasks, notes):
    deaf = "import os, signal, time; signal.signal(15, signal.SIG_IGN);"
    deaf += "open(os.environ['NOTES'] + '/deaf', 'w').write('1'); time.sleep(600)"
    task = tasks.run(tasks.definition("-c", deaf))
    written(notes, "deaf")
    tasks.ecs.stop_task(cluster=tasks.name, task=task)
    assert stopped(tasks, task)["containers"][0]["exitCode"] == 137


def waits(moto, tasks, notes, definition):
    """Start an execution whose task waits; returns both."""
    execution = moto.start(definition, {"run": "r", "order": "wait"})
    written(notes, "wait")
    (task,) = tasks.ecs.list_tasks(cluster=tasks.name)["taskArns"]
    return execution, task


def test_an_aborted_executions_task_is_stopped(moto, tasks, notes):
    execution, task = waits(moto, tasks, notes, machine(A=tasks.state(tasks.definition())))
    moto.sfn.stop_execution(executionArn=execution)
    assert moto.ended(execution)["status"] == "ABORTED"
    assert stopped(tasks, task)["stopCode"] == "UserInitiated"


def test_a_state_out_of_times_task_is_stopped(moto, tasks, notes):
    state = tasks.state(tasks.definition(), TimeoutSeconds=10)
    execution, task = waits(moto, tasks, notes, machine(A=state))
    assert moto.ended(execution)["error"] == "States.Timeout"
    assert stopped(tasks, task)["stopCode"] == "UserInitiated"


def test_a_failed_branchs_neighbours_task_is_stopped(moto, tasks, notes):
    late = {"Type": "Wait", "Seconds": 10, "Next": "Ill"}
    other = {"StartAt": "Late", "States": {"Late": late, "Ill": {"Type": "Fail", "Error": "Injected"}}}
    branches = [machine(A=tasks.state(tasks.definition())), other]
    both = machine(Both={"Type": "Parallel", "Branches": branches, "End": True})
    execution, task = waits(moto, tasks, notes, both)
    assert moto.ended(execution)["status"] == "FAILED"
    assert stopped(tasks, task)["stopCode"] == "UserInitiated"


def test_a_closed_control_plane_starts_none(tasks, notes):
    task = tasks.run(tasks.definition(), overrides=override(ORDER="wait"))
    pid = written(notes, "wait")["pid"]
    tasks.runtime.close()
    assert gone(pid)
    assert stopped(tasks, task)
    later = stopped(tasks, tasks.run(tasks.definition(), overrides=override(ORDER="late")))
    assert "exitCode" not in later["containers"][0]
    assert not (notes / "late").exists()


def test_overrides_of_a_container_that_there_is_not_are_refused(tasks):
    with pytest.raises(ClientError, match="named other is not a container"):
        tasks.run(tasks.definition(), overrides={"containerOverrides": [{"name": "other"}]})


def test_a_task_that_there_is_not_cannot_be_stopped(tasks):
    with pytest.raises(ClientError, match="referenced task was not found"):
        tasks.ecs.stop_task(cluster=tasks.name, task="absent")


def test_the_repositorys_own_code_is_not_imported(tasks, notes):
    """Nothing but the image's folder and what is installed is on the path."""
    ask = "import json, os, sys; open(os.environ['NOTES'] + '/path', 'w').write(json.dumps(sys.path))"
    stopped(tasks, tasks.run(tasks.definition("-c", ask)))
    assert str(Path(__file__).parents[3]) not in written(notes, "path")
