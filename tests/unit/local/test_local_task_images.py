"""Images of the simulated ECR: what builds of the simulated CodeBuild make, and what they would run."""

from __future__ import annotations

import json

import pytest

from breakeven.errors import BreakevenError
from local.aws.patches import state_patches
from local.aws.swaps import Swaps
from local.aws.tasks.task_images import TaskImages, read_dockerfile
from tests.support.aws.moto_server import BASE, machine
from tests.support.aws.moto_tasks import Tasks


@pytest.fixture
def tasks(moto, tmp_path):
    """Of a server on which builds end, with the image ``t1`` built."""
    (tmp_path / "Dockerfile").write_text("FROM scratch")
    with moto.patched_with(state_patches.builds_wait, True, BASE), Swaps() as swaps:
        TaskImages({"source.zip": tmp_path}.__getitem__).install(swaps)
        found = Tasks(moto)
        found.builds.start_build(projectName=found.project())
        yield found


def images(tasks):
    try:
        return tasks.ecr.describe_images(repositoryName=tasks.name, imageIds=[{"imageTag": "t9"}])[
            "imageDetails"
        ]
    except tasks.ecr.exceptions.ImageNotFoundException:
        return []


def test_a_build_makes_its_image(moto, tasks):
    assert images(tasks) == []
    found = moto.run(machine(A=tasks.build(tasks.project(IMAGE_TAG="t9"))))
    assert json.loads(found["output"])["Build"]["BuildStatus"] == "SUCCEEDED"
    assert images(tasks)[0]["imageTags"] == ["t9"]


@pytest.mark.parametrize(
    ("variables", "reason"),
    [({"IMAGE_REPOSITORY": "elsewhere"}, "no such repository"), ({"IMAGE_TAG": ""}, "no variable IMAGE_TAG")],
)
def test_a_build_that_fails_fails_its_state(moto, tasks, variables, reason):
    found = moto.run(machine(A=tasks.build(tasks.project(**variables))))
    assert found["error"] == "States.TaskFailed"
    assert json.loads(found["cause"])["Build"]["BuildStatus"] == "FAILED"
    assert reason in found["cause"]


def test_a_tag_that_is_there_is_not_built_again(moto, tasks):
    found = moto.run(machine(A=tasks.build(tasks.project(IMAGE_TAG="t1"))))
    assert found["error"] == "States.TaskFailed"


def test_a_variable_of_the_build_comes_before_the_projects(tasks):
    override = [{"name": "IMAGE_TAG", "value": "t9"}]
    tasks.builds.start_build(projectName=tasks.project(), environmentVariablesOverride=override)
    assert images(tasks)[0]["imageTags"] == ["t9"]


def test_a_dockerfile_says_what_runs(tmp_path):
    text = """FROM python:3.13-slim AS base
WORKDIR /srv
COPY --chown=1000 one two /elsewhere/
workdir loader
COPY code .
COPY functions.lock ./
ENV A=1 B="two words"
ENTRYPOINT ["python", "-u"]
CMD ["-m", "handlers.task"]
"""
    (tmp_path / "Dockerfile").write_text(text)
    (tmp_path / "code").mkdir()
    (tmp_path / "functions.lock").touch()
    found = read_dockerfile(tmp_path)
    assert (found.folder, found.entry_point) == (tmp_path / "code", ("python", "-u"))
    assert (found.command, found.environment) == (("-m", "handlers.task"), {"A": "1", "B": "two words"})


@pytest.mark.parametrize(
    ("text", "match"),
    [
        (None, "no Dockerfile"),
        ("FROM scratch\nCMD python -m loader", "CMD python -m loader: write it as"),
        ("FROM scratch\nENV A 1", "NAME=value"),
    ],
)
def test_what_a_dockerfile_does_not_say_plainly_is_refused(tmp_path, text, match):
    if text is not None:
        (tmp_path / "Dockerfile").write_text(text)
    with pytest.raises(BreakevenError, match=match):
        read_dockerfile(tmp_path)
