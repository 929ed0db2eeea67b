"""Nodes: what they used second by second, beside the rate of their case, and where one was the limit.

Of services, whose nodes nobody else can look at: what CloudWatch has of them, a minute each.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from breakeven import words
from breakeven.report.charts.node_charts import LEAST_S, MOST_CHARTS, chosen, nodes_over_time
from breakeven.report.contract.node_model import NodeCourse
from breakeven.report.contract.report_model import CaseReport, Report
from breakeven.report.elements import Bullets, Part, Row, Section, Strong, Table, paragraph
from breakeven.report.sections.subject import Subject
from breakeven.report.tables.cloudwatch_tables import cloudwatch_parts
from breakeven.report.tables.node_limits import SharedCores, findings, shared_cores
from breakeven.report.tables.survey_tables import surveyed_nodes

MEBIBYTE = 2.0**20
#: sentences that the page has; report.json has the figures of all cases
MOST_FINDINGS = 20
HOW = (
    "On one machine, figures are those of each node's own processes, as the kernel counts them. Written is "
    "what a node handed to the kernel for the disk, which nodes on one machine share. "
)
NO_NODE_WAS_THE_LIMIT = "From what is known of them, no node was the limit of its case."
COLUMNS = ("cores, mean", "most", "memory, MiB", "written, MB/s, mean", "most", "read, MB/s, mean")


def section(subject: Subject) -> Section | None:
    """None where nothing is known of nodes: none was surveyed, no processes were counted, what brokers told
    gives nothing to say, and CloudWatch was not to be asked.
    """
    report = subject.report
    parts = (*_under_load(subject), *cloudwatch_parts(report), *surveyed_nodes(report))
    return Section("nodes", "Nodes", parts) if parts else None


def _under_load(subject: Subject) -> tuple[Part, ...]:
    report = subject.report
    found, shared = findings(report), shared_cores(report)
    telling = found.keys() | shared.keys()
    if not telling and not any(course.cpu_cores for course in report.nodes):
        return ()
    return (
        *paragraph(HOW + _left_out(), tone="note"),
        *_bullets(report, found, shared),
        *((table,) if (table := _table(report, chosen(report, telling))).rows else ()),
        *subject.drawn(lambda drawn: nodes_over_time(drawn, telling)),
    )


def _left_out() -> str:
    return (
        f"The charts show at most {MOST_CHARTS} cases of {LEAST_S} s or more, one for each cell and target: "
        "first those with a finding, then the longest. All are in report.json."
    )


def _bullets(report: Report, found: dict[str, list[str]], shared: dict[str, SharedCores]) -> tuple[Part, ...]:
    """A line a case and sentence on its nodes, and one on all cases that used up the machine."""
    names = {
        case.case_id: f"{words.case_name(case)}, {words.labelled_target(case.target, case.provenance)}"
        for case in report.cases
    }
    items = (
        *_machine(names, shared),
        *(
            (Strong(f"{name}:"), f" {said}")
            for case_id, name in names.items()
            for said in found.get(case_id, ())
        ),
    )
    if not items:
        return paragraph(NO_NODE_WAS_THE_LIMIT)
    more = len(items) - MOST_FINDINGS
    rest = ((f"{words.plural(more, 'more finding')}.",),) if more > 0 else ()
    return (Bullets((*items[:MOST_FINDINGS], *rest)),)


def _machine(names: dict[str, str], shared: dict[str, SharedCores]) -> tuple[tuple[Strong, str], ...]:
    if not shared:
        return ()
    if len(shared) == 1:
        ((case_id, only),) = shared.items()
        return ((Strong(f"{names[case_id]}:"), f" {only.describe()}"),)
    used, idle = [each.used for each in shared.values()], [each.idle for each in shared.values()]
    cores = words.plural(max(each.cores for each in shared.values()), "core")
    said = (
        f" the machine's {cores} were the limit: the nodes of a case used {min(used):.2f} to {max(used):.2f} "
        f"of them on average, loaders and all else the rest, and {min(idle):.1%} to "
        f"{max(idle):.1%} was idle."
    )
    if len(shared) == len(names):
        return ((Strong(f"In {words.every(len(shared), 'case')}"), said),)
    those = "; ".join(names[case_id] for case_id in shared)
    return ((Strong(f"In {words.plural(len(shared), 'case')}"), f"{said} These cases are: {those}."),)


def _table(report: Report, courses: dict[str, list[NodeCourse]]) -> Table:
    cases = {case.case_id: case for case in report.cases}
    return Table(
        slug="nodes-used",
        caption="What the nodes used under load",
        label_titles=("Case", "Node"),
        columns=COLUMNS,
        rows=tuple(_row(cases[case_id], course) for case_id, each in courses.items() for course in each),
    )


def _row(case: CaseReport, course: NodeCourse) -> Row:
    used, written = _known(course, course.cpu_cores), _known(course, course.written_bytes_per_s)
    memory, read = _known(course, course.resident_bytes), _known(course, course.read_bytes_per_s)
    return Row(
        labels=(f"{words.case_name(case)}, {words.target_name(case.target)}", course.node),
        cells=(
            words.figure(_mean(used)),
            words.figure(max(used, default=None)),
            words.figure(_in(max(memory, default=None), MEBIBYTE)),
            words.figure(_in(_mean(written), words.MEGABYTE)),
            words.figure(_in(max(written, default=None), words.MEGABYTE)),
            words.figure(_in(_mean(read), words.MEGABYTE)),
        ),
        origin=case.provenance,
    )


def _known(course: NodeCourse, values: Sequence[float | None]) -> list[float]:
    return [value for second in course.working if values and (value := values[second]) is not None]


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None


def _in(value: float | None, unit: float) -> float | None:
    return None if value is None else value / unit
