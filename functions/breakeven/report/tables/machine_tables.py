"""Tables by machine: what a source published of clusters that differ in machines, nodes or volumes."""

from __future__ import annotations

from collections.abc import Sequence

from breakeven import words
from breakeven.report.contract.report_model import CaseReport
from breakeven.report.elements import Row, Table
from breakeven.report.tables.figures import DOLLARS, printed, shown_figure

#: parameter -> column; those that are alike in every row of a table are given in a note
PARAMETERS = {
    "feature": "with",
    "system": "operating system",
    "hipe": "HiPE",
    "nodes": "nodes",
    "cores": "cores",
    "hyper_threads": "hyper-threads",
    "vcpu": "vCPU",
    "clock_mhz": "MHz",
    "memory_gb": "memory, GB",
    "network_gbit_per_s": "network, Gbit/s",
    "volume": "volume",
    "disk": "disk",
    "disk_write_mb_per_s": "disk writes, MB/s",
    "queues": "queues",
    "producers": "publishers",
    "consumers": "consumers",
    "message_bytes": "bytes a message",
    "filled_before": "messages in each queue before",
    "clients_on": "clients on",
    "masters_on": "masters on",
    "offered_msg_per_s": "offered msg/s",
    "printed_as": "the rate is",
}
FIGURES = {
    DOLLARS: "$ a month per 1000 msg/s",
    "held": "held",
    "completed": "completed",
    "relative_rate": "rate",
    "backlog": "backlog, messages",
    "broker_lost": "a broker lost",
}
#: the parameter that says whose rate the one printed rate is
RATE_OF = "rate_of"
NOT_STATED = "not said"


def by_machine(cases: Sequence[CaseReport]) -> bool:
    """Whether the cases are of clusters that a source tells apart by more than their threads."""
    return any("nodes" in case.parameters or not FIGURES.keys().isdisjoint(case.printed) for case in cases)


def slug_of(scenario: str, part: int | None = None) -> str:
    """Of a table, whatever a suite calls its scenario: no other table has it, with its look and queries."""
    return f"scenario-{scenario}" if part is None else f"part-{part}-of-scenario-{scenario}"


def machines_table(scenario: str, cases: Sequence[CaseReport], notes: tuple[str, ...]) -> Table:
    """One row a case: the machine, what differs between the rows, and the printed figures."""
    columns = {name: [_parameter(case, name) for case in cases] for name in PARAMETERS}
    known = {name: texts for name, texts in columns.items() if set(texts) != {words.NOTHING}}
    alike = {name: texts[0] for name, texts in known.items() if len(set(texts)) == 1 and len(cases) > 1}
    varied = [name for name in known if name not in alike]
    rates = _rates(cases)
    figures = [name for name in FIGURES if any(name in case.printed for case in cases)]
    targets = dict.fromkeys(words.target_name(case.target) for case in cases)
    same = "; ".join(f"{PARAMETERS[name]}: {text}" for name, text in alike.items())
    return Table(
        slug=slug_of(scenario),
        caption=f"{words.scenario_name(scenario.replace('-', ' '))} · {words.listing(list(targets))}",
        label_titles=("Machine",),
        columns=(
            *(PARAMETERS[name] for name in varied),
            *rates.values(),
            *(FIGURES[name] for name in figures),
        ),
        rows=tuple(
            Row(
                labels=(str(case.parameters.get("instance_type", NOT_STATED)),),
                cells=(
                    *(known[name][number] for name in varied),
                    *(shown_figure(case, operation, "msg_per_s") for operation in rates),
                    *(printed(case.printed.get(name)) for name in figures),
                ),
                origin=case.provenance,
            )
            for number, case in enumerate(cases)
        ),
        notes=(*((f"In every row: {same}.",) if same else ()), *notes),
        scenario=scenario,
    )


def _parameter(case: CaseReport, name: str) -> str:
    value = case.parameters.get(name)
    return words.NOTHING if value is None else printed(str(value))


def _rates(cases: Sequence[CaseReport]) -> dict[str, str]:
    """Operation -> column, of the operations that have a rate."""
    if any(case.parameters.get(RATE_OF) == "transfer" for case in cases):
        return {"produce": "msg/s"}
    titles = {"produce": "publish msg/s", "consume_cycle": "consume msg/s"}
    return {
        operation: title
        for operation, title in titles.items()
        if any(shown_figure(case, operation, "msg_per_s") != words.NOTHING for case in cases)
    }
