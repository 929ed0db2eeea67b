"""Tables of what CloudWatch has of services: a row a case and what its figures are of, a table a service."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from breakeven import words
from breakeven.report.contract.node_model import ServiceFigure, ServiceWatch
from breakeven.report.contract.report_model import CaseReport, Report
from breakeven.report.elements import Part, Row, Table, paragraph
from breakeven.targets.catalog import record_of
from breakeven.targets.record import ServiceMetric

MEBIBYTE = 2.0**20
#: rows that the page has of a service; report.json has the figures of all cases
MOST_ROWS = 60
#: what a part is called that has no name of its own
PARTS = {"broker": "the broker, all nodes", "queue": "all of its queues"}
HOW = (
    "What CloudWatch has of services is a value a minute, and no second is seen in it. The first and the "
    "last minute of a case may hold what came before or after it: a mean weighs each minute by the seconds "
    "of it in which the case was watched. A dash is a figure that CloudWatch did not have when it was asked, "
    "and ≥ a sum of which it did not have all minutes; the last column says how many it had. "
)
NOT_READ = "CloudWatch's figures of services were not read"


def cloudwatch_parts(report: Report) -> tuple[Part, ...]:
    """What is said of services, and their tables; nothing where nobody was to ask CloudWatch."""
    watch = report.services
    if watch is None:
        return ()
    not_read = watch.read_at is None and (watch.unread or not watch.figures)
    doubt = paragraph(f"{NOT_READ}: {watch.unread or 'the run does not say why'}.", tone="doubt")
    if not watch.figures and not_read:
        return doubt
    services = _by_service(report.cases, watch.figures)
    late = " ".join(dict.fromkeys(_late(figures[0]) for figures in services.values()))
    not_all = paragraph(f"Not all was answered: {watch.unread}.", tone="doubt") if watch.unread else ()
    return (
        *paragraph(f"{HOW}{_when(report, watch)}{late}".strip(), tone="note"),
        *(doubt if not_read else not_all),
        *(_table(report, service, figures) for service, figures in services.items()),
    )


def _when(report: Report, watch: ServiceWatch) -> str:
    """When it was asked; what a run that this one resumes has read is that run's."""
    own = f"It was asked once, at {watch.read_at}. " if watch.read_at else ""
    earlier = {case.case_id for case in report.cases if case.settled_in}
    if not any(figure.case_id in earlier for figure in watch.figures):
        return own
    return f"{own}Of cases that an earlier run had measured, that run's figures stand where it had asked. "


def _by_service(
    cases: Sequence[CaseReport], figures: Sequence[ServiceFigure]
) -> Mapping[str, list[ServiceFigure]]:
    """Figures by the service's name, in the order of the report's cases."""
    order = {case.case_id: number for number, case in enumerate(cases)}
    found: dict[str, list[ServiceFigure]] = {}
    for figure in sorted(figures, key=lambda each: order.get(each.case_id, len(order))):
        found.setdefault(record_of(figure.target).service, []).append(figure)
    return found


def _late(figure: ServiceFigure) -> str:
    known = record_of(figure.target).service_metrics
    return known.late if known else ""


def _table(report: Report, service: str, figures: Sequence[ServiceFigure]) -> Table:
    known = record_of(figures[0].target).service_metrics
    metrics = known.metrics if known else ()
    cases = {case.case_id: case for case in report.cases}
    rows = list(_rows(cases, metrics, figures))
    more = len(rows) - MOST_ROWS
    return Table(
        slug=f"cloudwatch-{service.lower().replace(' ', '-')}",
        caption=f"{service} under load, by CloudWatch, a minute each",
        label_titles=("Case", "Of"),
        columns=(
            *(title for metric in metrics for title in (_first(metric), f"{metric.worst} minute")),
            "figures that came",
        ),
        rows=tuple(rows[:MOST_ROWS]),
        groups=(*((metric.label, 2) for metric in metrics), ("", 1)),
        notes=(f"{words.plural(more, 'more row')} in report.json.",) if more > 0 else (),
    )


def _first(metric: ServiceMetric) -> str:
    return "in all" if metric.statistic == "Sum" else "mean"


def _rows(
    cases: Mapping[str, CaseReport], metrics: Sequence[ServiceMetric], figures: Sequence[ServiceFigure]
) -> Iterator[Row]:
    for (case_id, part, name), own in groupby(figures, key=lambda each: (each.case_id, each.part, each.name)):
        case, by_metric = cases[case_id], {figure.metric: figure for figure in own}
        cells = [cell for metric in metrics for cell in _cells(metric, by_metric.get(metric.name))]
        came = sum(figure.known_minutes for figure in by_metric.values())
        asked = sum(figure.minutes for figure in by_metric.values())
        yield Row(
            labels=(f"{words.case_name(case)}, {words.target_name(case.target)}", name or PARTS[part]),
            cells=(*cells, f"{came:,} of {asked:,}"),
            origin=case.provenance,
        )


def _cells(metric: ServiceMetric, figure: ServiceFigure | None) -> tuple[str, str]:
    if figure is None:
        return words.NOTHING, words.NOTHING
    is_sum = metric.statistic == "Sum"
    least = "≥ " if is_sum and figure.known_minutes < figure.minutes else ""
    worst = figure.lowest if metric.worst == "lowest" else figure.highest
    return _cell(figure.total if is_sum else figure.mean, metric, least), _cell(worst, metric, least)


def _cell(value: float | None, metric: ServiceMetric, least: str) -> str:
    unit = MEBIBYTE if metric.unit == "Bytes" else 1.0
    return words.NOTHING if value is None else f"{least}{words.figure(value / unit)}"
