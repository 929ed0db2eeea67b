"""What runs found of their loaders, made for the tests of the plans after them."""

from __future__ import annotations

from breakeven.loadgen.case_figures import Limit
from breakeven.planning.loaders.advice import LoaderAdvice, Place, Seen
from breakeven.planning.plan import make_plan
from breakeven.workload.read import parse_suite

TARGET = "rabbitmq-mirrored-pair"
BIG = {"cores": 16, "memory_gib": 64.0, "processor": "a processor"}
SMALL = {"cores": 2, "memory_gib": 8.0, "processor": "a processor"}
RUN, DATE = "r20261120-1", "2026-11-20"
BUSY = Limit(
    loader=1, stage="measure", cpu_share=0.97, evidence="it used 0.97 of a core, and 0.8 is the limit"
)


def suite(scenario=None, **changes):
    """One cell, ten workers each way: two loaders on one machine unless something else is known."""
    scenario = {"threads": 10, **(scenario or {})}
    base = {"suite": "mine", "title": "A suite", "targets": [TARGET], "instrument": False}
    return parse_suite({**base, "scenarios": {"work": scenario}, **changes}, "mine.yaml")


def planned(suite, advice=None, *, environment="local", hardware=None, run_id="run-1", **options):
    hardware = BIG if hardware is None and environment == "local" else hardware
    return make_plan(
        suite, run_id=run_id, environment=environment, advice=advice, hardware=hardware, **options
    )


def place(environment="local", hardware=None):
    return Place.of(environment, BIG if hardware is None and environment == "local" else hardware or {})


def after(plan, limit=BUSY, advice=None, *, where=None, run_id=RUN, date=DATE):
    """What is known after a run of the plan, every case of it limited so, or by no loader."""
    known = advice or LoaderAdvice(suite=plan.suite)
    return known.learned([Seen(case, limit) for case in plan.cases], where or place(), run_id, date)


def counts(plan):
    return [case.loaders for case in plan.cases]
