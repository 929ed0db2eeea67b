"""The capacities that a run's searches found, for a question about money that names the run.

Clusters of one's own and Amazon MQ's brokers each take their own. What was found on one machine is no EC2
instance's (rule 11 of docs/rules.md): it says so wherever it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from breakeven import words
from breakeven.errors import InputError
from breakeven.pricing.bill.amazon_mq import form_of
from breakeven.pricing.bill.inputs import Inputs
from breakeven.pricing.cluster_form import ClusterForm, form_words
from breakeven.report.contract.report_model import CaseReport, Report
from breakeven.report.money.capacity_interval import CapacityInterval, interval_of
from breakeven.targets.catalog import record_of
from breakeven.terms import Place

#: of a run on AWS, the parameter of its target that names the nodes' instance type
INSTANCE = "instance_type"
Refused = Callable[[str], InputError]


@dataclass(frozen=True, slots=True)
class MeasuredCapacity:
    """One cell's capacity: the mean of its repeats' highest held rates, messages a second.

    :param lower_bound: in a repeat a loader was the limit, or every rate that was tried was held
    :param nodes_down: nodes that were stopped meanwhile; the money wants one down of a cluster of one's own
    :param machine: of a local run, what it ran on
    :param instance: type of each node; of Amazon MQ its broker type, as mq.m7g.large
    """

    run_id: str
    date: str
    environment: Place
    machine: str
    target: str
    cluster: ClusterForm
    instance: str | None
    cell: str
    message_bytes: int
    nodes_down: int
    objective_ms: float
    rates: tuple[float, ...]
    interval: CapacityInterval
    lower_bound: bool
    flags: tuple[str, ...]

    @property
    def msg_per_s(self) -> float:
        return sum(self.rates) / len(self.rates)

    @property
    def is_managed(self) -> bool:
        """Is it of Amazon MQ's brokers?"""
        return record_of(self.target).broker is not None

    @property
    def what(self) -> str:
        """That which was searched, in a sentence: 'a pair', or 'an Amazon MQ cluster'."""
        return f"an {record_of(self.target).label}" if self.is_managed else f"a {form_words(self.cluster)}"

    def priced(self) -> dict[str, float | None]:
        """The inputs of a question about money that it gives."""
        side = "amazon_mq_" if self.is_managed else ""
        return {
            f"{side}capacity_msg_per_s": self.msg_per_s,
            f"{side or 'capacity_'}low_msg_per_s": self.interval.low,
            f"{side or 'capacity_'}high_msg_per_s": self.interval.high,
        }

    def describe(self) -> str:
        """Which run, when, how often, how sure, and what it is not."""
        return f"{self._rate()}, measured in run {self.run_id} on {self.date} {self._where()}: {self._how()}"

    def document(self) -> dict[str, Any]:
        """As JSON; whose machine it was stands in the words."""
        cluster = self.cluster
        of_cluster = {"deployment": cluster.deployment, "nodes": cluster.nodes, "copies": cluster.copies}
        fields = {name: value for name, value in asdict(self).items() if name not in {"machine", "cluster"}}
        return {**fields, **of_cluster}

    def _rate(self) -> str:
        least = "at least " if self.lower_bound else ""
        return (
            f"{least}{words.figure(self.msg_per_s)} msg/s of {self.what} with messages of "
            f"{self.message_bytes} B"
        )

    def _where(self) -> str:
        if self.environment == "aws":
            return f"on {self.instance}"
        return f"ON ONE MACHINE THAT LOADER AND BROKERS SHARE ({self.machine}), NOT ON EC2"

    def _how(self) -> str:
        repeats = f"the mean of {words.plural(len(self.rates), 'repeat')}, " if self.rates[1:] else ""
        flags = f"; flags {', '.join(self.flags)}" if self.flags else ""
        bound = "; a lower bound, as a loader or the search was the limit" if self.lower_bound else ""
        return (
            f"{self.cell}, {repeats}interval {self.interval.describe()}, {self._nodes()}, 99 of 100 messages "
            f"within {self.objective_ms:g} ms{bound}{flags}"
        )

    def _nodes(self) -> str:
        if self.nodes_down:
            return f"{self.nodes_down} node down"
        if self.is_managed:
            return "all brokers up, as no call stops one"
        return "all nodes up (not searched with one down, which is what is priced)"


@dataclass(frozen=True, slots=True)
class RunsCapacities:
    """What of a run's holds for a question: of clusters of one's own, and of Amazon MQ beside them.

    :param notes: what it found and does not hold, and why
    """

    own: MeasuredCapacity | None = None
    managed: MeasuredCapacity | None = None
    notes: tuple[str, ...] = ()

    def priced(self) -> dict[str, float | None]:
        """The inputs that they give."""
        return {name: rate for one in (self.own, self.managed) if one for name, rate in one.priced().items()}


def measured_capacities(report: Report) -> list[MeasuredCapacity]:
    """Of each cell that was searched to an end on a target that is priced."""
    cells: dict[tuple[str, str, str], list[CaseReport]] = {}
    for case in report.cases:
        if case.status == "ok" and case.held_rate is not None and record_of(case.target).deployment:
            cells.setdefault((case.scenario, case.cell, case.target), []).append(case)
    return [_of_cell(report, repeats) for repeats in cells.values()]


def capacities_from(report: Report, where: str, inputs: Inputs) -> RunsCapacities:
    """Those that hold for the question: of messages no smaller, the smallest; with one node down, where
    that was searched; of several, the highest.

    Amazon MQ stands beside: what was found of it and does not hold is a note where the run has a cluster's.

    :param where: the option that named the run, for errors
    :raises InputError: the run has none that holds, and why
    """
    refused: Refused = partial(InputError, where, "--capacity-from", report.run_id)
    searched = measured_capacities(report)
    if not searched:
        raise refused(
            "it found no capacity; give a run of a suite with mode: capacity, such as scenarios/capacity.yaml"
        )
    own = [one for one in searched if not one.is_managed]
    managed = [one for one in searched if one.is_managed]
    if not own:
        return RunsCapacities(managed=_of_amazon_mq(managed, inputs, refused))
    found = _of_own(own, inputs, refused)
    if not managed or inputs.amazon_mq is None:
        return RunsCapacities(found)
    try:
        return RunsCapacities(found, _of_amazon_mq(managed, inputs, refused))
    except InputError as error:
        return RunsCapacities(found, notes=(f"Not used of run {report.run_id}: {error.remedy}.",))


def _of_own(searched: Sequence[MeasuredCapacity], inputs: Inputs, refused: Refused) -> MeasuredCapacity:
    """:raises InputError: none holds"""
    found = [one for one in searched if one.cluster.form == inputs.form]
    if not found:
        remedy = f"use {options_of(searched[0].cluster)}, or --capacity"
        raise refused(f"it measured {_each(searched)}, not a {form_words(inputs)}; {remedy}")
    return _fitting(found, inputs.instance, "--instance", inputs, refused)


def _of_amazon_mq(searched: Sequence[MeasuredCapacity], inputs: Inputs, refused: Refused) -> MeasuredCapacity:
    """:raises InputError: none holds"""
    if inputs.amazon_mq is None:
        broker = searched[0].instance or "its type"
        raise refused(
            f"it measured {_each(searched)}, and no broker is priced beside; give --amazon-mq {broker}"
        )
    asked = form_of(inputs.deployment)
    found = [one for one in searched if form_of(one.cluster.deployment) == asked]
    if not found:
        beside = "a single broker" if asked == "single" else "a cluster of brokers"
        options = options_of(searched[0].cluster)
        raise refused(
            f"it measured {_each(searched)}, and the question has {beside} beside; use {options}, or "
            "--amazon-mq-capacity"
        )
    return _fitting(found, inputs.amazon_mq, "--amazon-mq", inputs, refused)


def _each(searched: Sequence[MeasuredCapacity]) -> str:
    return words.listing(sorted({one.what for one in searched}))


def _fitting(
    found: Sequence[MeasuredCapacity], instance: str, option: str, inputs: Inputs, refused: Refused
) -> MeasuredCapacity:
    """Of those of the form, the one on the instance type, with messages that are nearest.

    :raises InputError: messages were smaller, or the instance type is another
    """
    found = [one for one in found if one.instance == instance] or found
    fitting = [one for one in found if one.message_bytes >= inputs.message_bytes]
    if not fitting:
        most = max(one.message_bytes for one in found)
        remedy = f"it measured messages of up to {most} B, and the question's have {inputs.message_bytes} B"
        raise refused(f"{remedy}; ask for --size {most}B or less")
    size = min(one.message_bytes for one in fitting)
    sized = [one for one in fitting if one.message_bytes == size]
    wanted = [one for one in sized if one.nodes_down == 1] or [one for one in sized if not one.nodes_down]
    best = max(wanted or sized, key=lambda one: one.msg_per_s)
    if best.environment == "aws" and best.instance != instance:
        on = best.instance or "an instance type that its report does not name"
        raise refused(f"it measured {on}, the question has {instance}: no capacity is carried over; {option}")
    return best


def options_of(cluster: ClusterForm) -> str:
    """Of ``breakeven crossover``, those that ask for such a cluster, whatever its defaults are."""
    options = [f"--deployment {cluster.deployment}"]
    if not cluster.is_usual:
        options += [f"--nodes {cluster.nodes}"]
        options += [f"--group-size {cluster.group_size}"] if cluster.group_size else []
    return " ".join(options)


def _cluster(report: Report, case: CaseReport) -> ClusterForm:
    """As its target said at its lane's beginning; as its form has it where that is not known."""
    deployment = record_of(case.target).deployment
    assert deployment, f"{case.target} has no brokers"
    nodes = report.manifest.targets.get(case.target, {}).get("nodes")
    group = case.parameters.get("group_size")
    return ClusterForm(
        deployment=deployment,
        cluster_nodes=int(nodes) if nodes else None,
        group_size=int(group) if group else None,
    )


def _of_cell(report: Report, repeats: Sequence[CaseReport]) -> MeasuredCapacity:
    first = repeats[0]
    hardware = report.manifest.hardware
    instance = report.manifest.targets.get(first.target, {}).get(INSTANCE)
    interval = interval_of(repeats)
    return MeasuredCapacity(
        run_id=report.run_id,
        date=report.started_at[:10],
        environment=report.environment,
        machine=f"{hardware.get('cores', '?')} cores, {hardware.get('processor', 'processor not known')}",
        target=first.target,
        cluster=_cluster(report, first),
        instance=str(instance) if instance and report.environment == "aws" else None,
        cell=words.place(first.scenario, first.cell),
        message_bytes=int(first.parameters.get("message_bytes") or 0),
        nodes_down=int(first.parameters.get("nodes_down") or 0),
        objective_ms=float(first.parameters.get("objective_ms") or 0),
        rates=tuple(case.held_rate or 0.0 for case in repeats),
        interval=interval,
        lower_bound=interval.high is None,
        flags=tuple(dict.fromkeys(flag for case in repeats for flag in case.flags)),
    )
