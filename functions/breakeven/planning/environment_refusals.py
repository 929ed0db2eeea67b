"""Refusals of what a suite asks for and only AWS, or only one machine, has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from breakeven.planning.refusal import Refusal, origin
from breakeven.targets.catalog import record_of
from breakeven.terms import Environment
from breakeven.workload.case import Case
from breakeven.workload.node_faults import NodeFault
from breakeven.workload.suite import Suite


def refusals(suite: Suite, cases: Sequence[Case], environment: Environment) -> Iterator[Refusal]:
    """What of the cases is not to be had where they are to run."""
    yield from _only_on_aws(cases, environment)
    yield from _only_behind_a_proxy(suite, cases, environment)
    yield from _only_by_a_kernel(suite, cases, environment)


def _only_on_aws(cases: Sequence[Case], environment: Environment) -> Iterator[Refusal]:
    """Targets that no machine stands in for."""
    managed = dict.fromkeys(case.target.kind for case in cases if record_of(case.target).broker)
    if environment == "local" and managed:
        remedy = "Amazon MQ creates brokers in an account of AWS, and nothing here stands in for it: run"
        yield Refusal(
            case_id=None,
            field="targets",
            value=", ".join(managed),
            remedy=f"{remedy} it with --on aws, or drop it",
        )


def _only_behind_a_proxy(suite: Suite, cases: Sequence[Case], environment: Environment) -> Iterator[Refusal]:
    """Faults of calls to a service, where no proxy can stand before it."""
    faulty = {case.scenario: case.workload.service_faults for case in cases if case.workload.service_faults}
    for scenario, faults in faulty.items() if environment == "aws" else ():
        why = "a proxy causes them that a run on one machine puts before its SQS server; before Amazon SQS"
        how = (
            "itself none is built: run it without --on aws, plan it with --environment local, or remove them"
        )
        yield Refusal(
            case_id=None,
            field=origin(suite, scenario, "faults"),
            value=", ".join(fault.words for fault in faults),
            remedy=f"{why} {how}",
        )


def _only_by_a_kernel(suite: Suite, cases: Sequence[Case], environment: Environment) -> Iterator[Refusal]:
    """Faults of the network that no relay between clients and nodes can cause."""
    faulty = {case.scenario: case.workload.faults for case in cases if case.workload.node_faults}
    for scenario, faults in faulty.items() if environment == "local" else ():
        for index, each in enumerate(faults):
            if not isinstance(each, NodeFault):
                continue
            if each.loss_percent is not None:
                why = "on one machine a relay between clients and nodes passes on byte streams and"
                remedy = (
                    f"{why} cannot drop single packets; use delay_ms or mbit_per_s, or run it with --on aws"
                )
                name, value = "loss_percent", f"{each.loss_percent:g}"
            elif each.network and not each.is_of_clients:
                why = "on one machine nothing stands between nodes that could drop or delay what they send"
                remedy = f"{why}; use partition or pause, or run it with --on aws"
                name, value = "kind", each.kind
            else:
                continue
            field = origin(suite, scenario, f"faults.{index}.{name}")
            yield Refusal(case_id=None, field=field, value=value, remedy=remedy)
