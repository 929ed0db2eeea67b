"""Published orders: a run of a source's suite says which of them its own rates bear out."""

import pytest

from breakeven.published.rows import SOURCES, PublishedOrder, load_shipped
from breakeven.report.contract.report_model import Repeats
from breakeven.report.sections.speeds import published_orders
from breakeven.report.sections.speeds.published_orders import HOLDS, NOT, ONCE, SAME, UNCLEAR, Measured, holds
from breakeven.report.sections.subject import Subject
from breakeven.workload.read import load_suite
from tests.fixtures.report.sample import RABBITMQ, planned, report

ORDERS = [order for name in SOURCES.values() for order in load_shipped(name).orders]


def of_suite(suite, *cells):
    """The sample's report as one of the suite, with cells of scenario, parameters and consume rate."""
    found = report(planned((RABBITMQ,)))
    pattern = next(case for case in found.cases if case.consume)
    cases = [
        pattern.model_copy(
            update={
                "scenario": scenario,
                "cell": f"cell {number}",
                "repeat": 1,
                "parameters": {**pattern.parameters, **parameters},
                "consume": pattern.consume.model_copy(update={"msg_per_s": rate}),
            }
        )
        for number, (scenario, parameters, rate) in enumerate(cells)
    ]
    return found.model_copy(update={"suite": suite, "cases": cases, "repeats": []})


def rows(found):
    section = published_orders.section(Subject(found, None))
    return {row.labels[0]: row.cells for table in section.parts for row in table.rows}


def prefetch(one, twenty, fifty):
    return of_suite(
        "consumers-by-prefetch",
        *(("prefetch", {"consumers": 1, "prefetch": n}, r) for n, r in ((1, one), (20, twenty), (50, fifty))),
    )


def test_orders_are_held_against_the_runs_own_rates():
    assert rows(prefetch(100.0, 2000.0, 2100.0)) == {
        "a prefetch of 20 is far faster than one of 1": ("2,000", "100", f"{HOLDS}, {ONCE}"),
        "prefetches of 20 and 50 are hard to tell apart": ("2,100", "2,000", f"{HOLDS}, {ONCE}"),
    }
    assert [cells[-1] for cells in rows(prefetch(2500.0, 2000.0, 3000.0)).values()] == [f"{NOT}, {ONCE}"] * 2


def test_rates_whose_intervals_overlap_are_equal_and_not_far_from_each_other():
    cells = ((1, 1900.0), (2, 1950.0), (20, 2000.0))
    found = of_suite(
        "consumers-by-prefetch", *(("prefetch", {"consumers": 1, "prefetch": n}, rate) for n, rate in cells)
    )
    case = found.cases[0]
    fields = {"environment": "local", "figure": "msg_per_s", "metric": "consume", "repeats": 3}
    fields |= {"least": 1.0, "greatest": 3.0, "spread": 0.2, "spread_over_10_percent": True}
    wide = Repeats(
        **fields,
        scenario=case.scenario,
        cell=case.cell,
        target=case.target,
        provenance="measured",
        mean=1900.0,
        interval_low=1500.0,
        interval_high=2300.0,
        loader_saturated=False,
    )
    found = found.model_copy(update={"repeats": [wide]})
    said = rows(found)
    assert said["a prefetch of 2 is faster than one of 1"][-1] == f"{SAME}, {ONCE}"
    assert said["a prefetch of 20 is far faster than one of 1"][-1] == f"{NOT}, {ONCE}"


@pytest.mark.parametrize(
    ("relation", "first", "second", "expected"),
    [
        ("higher", (100, 90, 110), (80, 70, 89), HOLDS),
        ("higher", (100, 90, 110), (80, 70, 90), SAME),
        ("higher", (80, 70, 89), (100, 90, 110), NOT),
        ("apart", (100, 90, 110), (80, 70, 89), HOLDS),
        ("apart", (100, 90, 110), (80, 70, 90), NOT),
        ("apart", (80, 70, 89), (100, 90, 110), NOT),
        ("alike", (110, 110, 110), (100, 100, 100), HOLDS),
        ("alike", (111, 111, 111), (100, 100, 100), NOT),
        ("alike", (150, 90, 210), (100, 95, 105), UNCLEAR),
        ("alike", (105, 60, 150), (100, 95, 105), HOLDS),
    ],
)
def test_an_order_holds_beyond_the_intervals(relation, first, second, expected):
    side = {"scenario": "x"}
    order = PublishedOrder(says="s", suite="s", metric="consume", relation=relation, first=side, second=side)
    assert holds(order, Measured(*first, ()), Measured(*second, ())) == expected


def by_rate(*cells):
    """The sample's report as one of rate-ladder, with cells of target, offered rate and mean end to end."""
    found = of_suite("rate-ladder", *(("rate-vs-latency", {"rate": rate}, 1.0) for _, rate, _ in cells))
    latency = next(case.end_to_end for case in report(planned((RABBITMQ,))).cases if case.end_to_end)
    cases = [
        case.model_copy(update={"target": target, "end_to_end": latency.model_copy(update={"mean_ms": mean})})
        for case, (target, _, mean) in zip(found.cases, cells, strict=True)
    ]
    return found.model_copy(update={"cases": cases})


def test_orders_of_latency_are_held_against_means_each_on_the_targets_that_it_names():
    found = by_rate(
        (RABBITMQ, 100, 1.0),
        (RABBITMQ, 4000, 5.0),
        ("rabbitmq-single", 100, 1.0),
        ("rabbitmq-single", 4000, 1.05),
    )
    once = f"{HOLDS}, {ONCE}"
    assert rows(found) == {
        "with replication latency grows with the rate": ("5.00", "1.00", once),
        "without replication latency stays the same at any rate": ("1.05", "1.00", once),
        "latency at a high rate is greater with replication than without": ("5.00", "1.05", once),
    }
    (table,) = published_orders.section(Subject(found, None)).parts
    assert table.columns == ("first, mean ms", "second, mean ms", "in this run")
    assert [row.labels[1] for row in table.rows] == [
        "RabbitMQ mirrored pair",
        "RabbitMQ single node",
        "RabbitMQ mirrored pair and RabbitMQ single node",
    ]


def test_a_bound_says_so():
    found = prefetch(100.0, 2000.0, 2100.0)
    cases = [case.model_copy(update={"flags": ["loader_saturated"]}) for case in found.cases]
    cells = rows(found.model_copy(update={"cases": cases}))
    assert cells["a prefetch of 20 is far faster than one of 1"][:2] == ("≥ 2,000", "≥ 100")


def why(found):
    (table,) = published_orders.section(Subject(found, None)).parts
    return [note for note in table.notes if note.startswith("Where an order does not hold: ")]


def test_where_an_order_does_not_hold_what_may_be_why_is_said():
    assert why(prefetch(100.0, 2000.0, 2100.0)) == []
    found = prefetch(2500.0, 2000.0, 2100.0)
    (said,) = why(found)
    assert "other machines and releases than the source had. The source's machines: one broker" in said
    cases = [case.model_copy(update={"flags": ["shared_host", "loader_saturated"]}) for case in found.cases]
    (said,) = why(found.model_copy(update={"cases": cases}))
    assert (
        "a loader was the limit of a figure, which is a lower bound; loaders and brokers shared one machine"
        in said
    )


def test_flags_of_orders_that_hold_are_no_reason():
    found = prefetch(2500.0, 2000.0, 2100.0)
    saturated = {"flags": ["loader_saturated"]}
    cases = [
        case.model_copy(update=saturated if case.parameters["prefetch"] == 50 else {"flags": []})
        for case in found.cases
    ]
    (said,) = why(found.model_copy(update={"cases": cases}))
    assert "a loader was the limit" not in said


def test_other_suites_and_published_figures_have_no_such_section():
    assert not published_orders.section(Subject(report(planned((RABBITMQ,))), None)).parts


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: order.says)
def test_each_order_is_of_cells_that_its_suite_has(order):
    suite = load_suite(order.suite)
    for side in (order.first, order.second):
        scenario = suite.scenarios[side.scenario]
        names = {name for name, _ in suite.subjects(side.scenario)}
        assert side.target is None or side.target in names
        workers = {"producers": scenario.threads, "consumers": scenario.threads}
        for name, value in side.match.items():
            field = {"message_bytes": "message_size"}.get(name, name)
            per = (scenario.producers or scenario.threads)[0] if scenario.rate_per == "producer" else 1
            cells = [getattr(cell, field) for cell in scenario.cells or () if getattr(cell, field)]
            varied = cells or getattr(scenario, field) or workers.get(name)
            assert value in [each * per if name == "rate" else each for each in varied]
