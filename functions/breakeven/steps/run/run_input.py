"""Input of an execution. Everything has a default: ``{}`` runs the default suite."""

from __future__ import annotations

import os
from typing import Any, Literal

from pydantic import Field, ValidationError

from breakeven.errors import InputError, first_fault
from breakeven.planning.expand import LEAST_SCALE
from breakeven.planning.plan import DEFAULT_MAX_USD, LEAST_MAX_USD
from breakeven.terms import Frozen
from breakeven.workload.case import Variant
from breakeven.workload.problems import NOTHING, shown
from breakeven.workload.read import load_shipped, parse_suite
from breakeven.workload.suite import Suite

#: of an execution on AWS, the monthly one too
DEFAULT_SUITE = "breakeven"
#: of a run on one machine, in minutes
LOCAL_SUITE = "quick"


def home_region() -> str:
    """The region that the stack is deployed in."""
    return os.environ.get("BREAKEVEN_REGION", "us-east-1")


class Surroundings(Frozen):
    """Where the run happens, for the manifest. On AWS nothing is given; one machine says what it is."""

    name: Literal["aws", "local"] = "aws"
    hardware: dict[str, str | int | float] = Field(default_factory=dict)
    shared: bool = Field(default=False, description="other runs may use the machine at the same time")
    notes: list[str] = Field(default_factory=list, description="what the reader must know")


class RunInput(Frozen):
    suite: str | dict[str, Any] = Field(
        default=DEFAULT_SUITE, description="a shipped suite's name, or a whole suite"
    )
    suite_source: str = Field(default="execution input", description="where the suite came from, for errors")
    variant: Variant | None = None
    scale: float = Field(default=1.0, ge=LEAST_SCALE, le=1, strict=True)
    seed: int | None = Field(
        default=None,
        ge=0,
        le=2**31 - 1,
        strict=True,
        description="orders legs and cases; made from the run's id if absent",
    )
    region: str = Field(default_factory=home_region, description="whose price book is used")
    max_usd: float = Field(default=DEFAULT_MAX_USD, ge=LEAST_MAX_USD, allow_inf_nan=False, strict=True)
    resume_run_id: str | None = Field(
        default=None, description="resumes that run with its plan: no other field may contradict it"
    )
    surroundings: Surroundings = Field(default_factory=Surroundings)


def suite_of(wanted: RunInput) -> Suite:
    """:raises InputError: there is no such suite, or it is wrong"""
    if isinstance(wanted.suite, str):
        return load_shipped(wanted.suite)  # a name, never a path: it came from outside
    return parse_suite(wanted.suite, wanted.suite_source)


def parse_run_input(document: object, where: str = "execution input") -> RunInput:
    """:raises InputError: naming the first field that is wrong"""
    try:
        return RunInput.model_validate(document)
    except ValidationError as error:
        field, first, remedy = first_fault(error, "input")
        if field.startswith("suite."):  # of the two kinds that it may be
            field, remedy = "suite", "must be a shipped suite's name, or a whole suite"
        value = NOTHING if first["input"] is None else shown(first["input"])
        raise InputError(where, field, value, remedy) from None
