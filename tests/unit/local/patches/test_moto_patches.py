"""All patches of ``moto_patches.py`` together, and that each has a test of its own."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest
from moto.awslambda.models import LambdaFunction
from moto.stepfunctions.parser.backend.execution import Execution

from local.aws.patches import moto_patches
from local.aws.swaps import Swaps
from tests.support.aws.moto_server import machine

TESTS = [
    import_module(f"tests.unit.local.patches.{path.stem}")
    for path in Path(__file__).parent.glob("test_moto_*_patches.py")
]


def test_a_machines_own_time_limit_ends_it(moto):
    with moto_patches.applied(moto.aws):
        waiting = machine(A={"Type": "Wait", "Seconds": 600, "End": True})
        assert moto.run({**waiting, "TimeoutSeconds": 1})["status"] == "TIMED_OUT"


def test_every_patch_has_its_test():
    tested = {name.removeprefix("test_") for tests in TESTS for name in vars(tests)}
    assert {patch.__name__ for patch in moto_patches.ALL} <= tested


def test_all_is_put_back(moto):
    before = vars(Execution)["stop"], vars(LambdaFunction)["_invoke_lambda"]
    with moto_patches.applied(moto.aws):
        assert vars(Execution)["stop"] is not before[0]
    assert (vars(Execution)["stop"], vars(LambdaFunction)["_invoke_lambda"]) == before


def test_a_swap_of_what_is_not_there_is_refused():
    with Swaps() as swaps, pytest.raises(KeyError):
        swaps.attribute(Execution, "gone_in_a_new_release", None)
