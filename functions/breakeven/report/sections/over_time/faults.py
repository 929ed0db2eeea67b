"""Faults: what befell nodes or calls while a case was measured, how it recovered, and what was lost."""

from __future__ import annotations

from breakeven import words
from breakeven.report.charts.fault_charts import MOST_CHARTS, charted, rates_around_faults
from breakeven.report.contract.fault_model import FaultReport
from breakeven.report.contract.report_model import CaseReport, Report
from breakeven.report.elements import Bullets, Part, Row, Section, Strong, Table, paragraph
from breakeven.report.sections.subject import Subject
from breakeven.report.tables.fault_findings import AIMED_AT, finding

#: sentences that the page has; report.json has all
MOST_FINDINGS = 30
HOW = (
    "Times to recover count from when the fault was done; rates are of whole seconds, and the rate before is "
    "the mean of the last ten before it at most; after an earlier fault only seconds count since both rates "
    "were back at 90%. What is lost, missing or duplicate counts the whole case. "
)
ONE_MACHINE = (
    "Measured on one machine: a node that is gone leaves its processor time to the others, and no network "
    "lies between them. A node is a process: what it had written when it was killed is on disk once the host "
    "writes it, as the host goes on. Of a host that dies, a classic queue may lose what it confirmed. "
)
NO_FAULTS = (
    "This run broke nothing, so it does not say what a broker's death, a partition or throttled calls do to "
    "publishing, for how long, and whether messages are lost. These suites measure it, each with its own "
    "report: npm run breakeven -- run faults (a node killed, stopped, paused, cut off, on alarm), run "
    "rolling-restart (all nodes, one after the other), run network-faults, and run sqs-faults."
)
RATES = ("before", "lowest", "back, s")
BY_A_PROXY = (
    "Cases with faults of calls go through a proxy of the run's own from their first call to their last: "
    "compare them with one another. "
)
RESTS = (
    "Each send is made once; a worker rests 0.1 s after a failed call, doubled up to 2 s: rates while "
    "calls fail are mostly the loader's own rest. Sends that were throttled or failed count as unknown, but "
    "one that was throttled was not taken. Applications see fewer failures: boto3 makes up to 5 attempts by "
    "default, 3 in its standard mode. "
)
COLUMNS = ("done, s", "over, s", *RATES, *RATES, "peak", "drained, s")
GROUPS = (("Fault", 2), ("Produced, msg/s", 3), ("Consumed, msg/s", 3), ("Backlog", 2))
OF_CALLS = (
    *("could meet it", "met it", "sends", "receives", "deletes"),
    *("duplicates", "unknown", "missing", "lost"),
)
CALLS_GROUPS = (("Calls, by the proxy's count", 5), ("The case's ledger", 4))
#: the two that must be nothing come first, as in the ledger
LOSSES = ("lost", "missing", "duplicates", "failed calls", "replicas in sync", "expected loss", "held")
EXPECTED = {"none": "none", "possible": "possible", None: "not said"}
YES = {True: "yes", False: "no"}


def section(subject: Subject) -> Section | None:
    """Of a run without faults how to learn what they do; None of what a source published."""
    report = subject.report
    if not report.faults:
        return None if report.source else Section("faults", "Faults", paragraph(NO_FAULTS))
    of_calls = [fault for fault in report.faults if fault.is_of_calls]
    of_nodes = len(report.faults) - len(of_calls)
    local = ONE_MACHINE if of_nodes and report.environment == "local" else ""
    note = HOW + local + (BY_A_PROXY + RESTS if of_calls else "") + _left_out(report)
    parts: tuple[Part, ...] = (
        *paragraph(note.strip(), tone="note"),
        _bullets(report),
        recovery_table(report),
        loss_table(report),
        *((calls_table(report),) if of_calls else ()),
        *subject.drawn(rates_around_faults),
    )
    return Section("faults", "Faults", parts, "Faults under load")


def _left_out(report: Report) -> str:
    more = len(charted(report)) - MOST_CHARTS
    return f"Drawn are the first {MOST_CHARTS} cases; report.json has all." if more > 0 else ""


def _bullets(report: Report) -> Bullets:
    """A line a fault, after the name of its case."""
    items = tuple(
        (
            Strong(f"{words.case_name(case)}, {words.labelled_target(case.target, case.provenance)}"),
            f": {finding(fault)}",
        )
        for case, fault in _each(report)
    )
    more = len(items) - MOST_FINDINGS
    rest = ((f"{words.plural(more, 'more fault')} in the tables.",),) if more > 0 else ()
    return Bullets((*items[:MOST_FINDINGS], *rest))


def recovery_table(report: Report) -> Table:
    """A row a fault: when, what it did to rates and backlog, and how long that took to pass."""
    return Table(
        slug="faults",
        caption="Faults: how rates fell and recovered",
        label_titles=("Target", "Fault"),
        columns=COLUMNS,
        groups=GROUPS,
        rows=tuple(_row(case, fault, _recovery(fault)) for case, fault in _each(report)),
    )


def loss_table(report: Report) -> Table:
    """A row a fault: the loss that was expected of it, and what the case's ledger has."""
    return Table(
        slug="fault-losses",
        caption="Faults: expected loss, and what was found",
        label_titles=("Target", "Fault"),
        columns=LOSSES,
        rows=tuple(
            _row(case, fault, _losses(fault), "bad" if fault.held is False else "")
            for case, fault in _each(report)
        ),
    )


def calls_table(report: Report) -> Table:
    """A row a fault of calls: how many met it, and what the case's ledger has."""
    return Table(
        slug="fault-calls",
        caption="Faults of calls: what was injected, and what the ledger has",
        label_titles=("Target", "Fault"),
        columns=OF_CALLS,
        groups=CALLS_GROUPS,
        rows=tuple(_row(case, fault, _calls(fault)) for case, fault in _each(report) if fault.is_of_calls),
    )


def _each(report: Report) -> list[tuple[CaseReport, FaultReport]]:
    cases = {case.case_id: case for case in report.cases}
    return [(cases[fault.case_id], fault) for fault in report.faults]


def _row(case: CaseReport, fault: FaultReport, cells: tuple[str, ...], tone: str = "") -> Row:
    is_named = fault.is_of_calls or fault.aimed_at in AIMED_AT
    where = fault.aimed_at if is_named else f"node {fault.aimed_at}"
    extent = f", {fault.extent}" if fault.extent else ""
    return Row(
        labels=(words.target_name(case.target), f"{fault.number}: {fault.kind}, {where}{extent}"),
        cells=cells,
        origin=case.provenance,
        section=words.case_name(case),
        tone=tone,
    )


def _recovery(fault: FaultReport) -> tuple[str, ...]:
    return (
        _tenths(fault.done_s),
        _tenths(fault.back_s),
        words.figure(fault.produced_before_per_s),
        words.figure(fault.produced_lowest_per_s),
        _tenths(fault.produce_recovery_s),
        words.figure(fault.consumed_before_per_s),
        words.figure(fault.consumed_lowest_per_s),
        _tenths(fault.consume_recovery_s),
        words.count(fault.backlog_peak),
        _tenths(fault.backlog_drain_s),
    )


def _calls(fault: FaultReport) -> tuple[str, ...]:
    by_kind = (fault.injected_sends, fault.injected_receives, fault.injected_deletes)
    ledger = (fault.duplicates, fault.unknown, fault.missing, fault.lost)
    return tuple(words.count(value) for value in (fault.calls_seen, fault.injected, *by_kind, *ledger))


def _losses(fault: FaultReport) -> tuple[str, ...]:
    return (
        *(words.count(value) for value in (fault.lost, fault.missing, fault.duplicates, fault.errors)),
        words.NOTHING if fault.is_of_calls else "not known" if fault.in_sync is None else YES[fault.in_sync],
        EXPECTED[fault.expected_loss],
        "not judged" if fault.held is None else YES[fault.held],
    )


def _tenths(value: float | None) -> str:
    return words.NOTHING if value is None else f"{value:,.1f}"
