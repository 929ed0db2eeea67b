"""The cases of the self-test: one for each protocol, before all others of a run.

Load-unload, so that every message counts and a percentile of all of them is the program's to the last one.
"""

from __future__ import annotations

from collections.abc import Iterable

from breakeven import words
from breakeven.instrument.program import Latency, Program, Protocol, Step
from breakeven.planning.budget.durations import LOADER_LIMIT_S, case_seconds
from breakeven.planning.expand import tag_of
from breakeven.planning.workload_settings import workload_of
from breakeven.targets.catalog import INSTRUMENT, is_compared
from breakeven.terms import Environment
from breakeven.workload.case import Case, Variant

SCENARIO = "instrument"
PROTOCOLS: tuple[Protocol, ...] = ("amqp", "sqs")
MESSAGES = 3000
#: p50 1 ms, p90 3 ms, p99 12 ms, each in the middle of its plateau
LATENCY = Latency(
    steps=(Step(up_to=0.7, ms=1), Step(up_to=0.97, ms=3), Step(up_to=0.997, ms=12), Step(up_to=1, ms=20))
)
FATES = {"lost": 7, "duplicated": 5, "reordered": 3}
#: each way; so few that they do not wait for one another in the loader
WORKERS = 2
MESSAGE_BYTES = 1024
#: what is lost keeps the ledger open, so that the case ends this long after its last message, seconds
DRAIN_S = 1.0


def instrument_cases(run_id: str, environment: Environment, variant: Variant) -> list[Case]:
    """The same for every suite, but for the run's own tags."""
    return [_case(protocol, run_id, environment, variant) for protocol in PROTOCOLS]


def counted(cases: Iterable[Case]) -> str:
    """Such as ``30 cases and 2 of the self-test``: reports count the suite's own, and so does all else."""
    compared = [is_compared(case.target) for case in cases]
    own, proving = compared.count(True), compared.count(False)
    return words.plural(own, "case") + (f" and {proving} of the self-test" if proving else "")


def program(protocol: Protocol) -> Program:
    return Program(protocol=protocol, messages=MESSAGES, publish=LATENCY, deliver=LATENCY, **FATES)


def _case(protocol: Protocol, run_id: str, environment: Environment, variant: Variant) -> Case:
    case_id = f"{SCENARIO}.{protocol}.{INSTRUMENT}.r1"
    workload = workload_of(
        {
            "mode": "load-unload",
            "producers": WORKERS,
            "consumers": WORKERS,
            "message_size": MESSAGE_BYTES,
            "messages": MESSAGES,
            "warmup_s": 0.0,
            "measure_s": 1.0,
            "drain_s": DRAIN_S,
            "program": program(protocol),
        }
    )
    return Case(
        run_id=run_id,
        case_id=case_id,
        scenario=SCENARIO,
        cell=protocol,
        target=INSTRUMENT,
        repeat=1,
        variant=variant,
        tag=tag_of(f"{run_id}/{case_id}"),
        workload=workload,
        loaders=1,
        expected_s=round(case_seconds(workload, INSTRUMENT, environment) + DRAIN_S, 1),
        limit_s=LOADER_LIMIT_S,
    )
