"""Boards: what cells are worth beside one another, with what their source printed, and never mixed."""

import pytest

from breakeven.report.contract.board_model import BaseRatio, ClusterPrice
from breakeven.report.contract.loader_model import LoaderReports
from breakeven.report.sections.speeds import boards
from breakeven.report.sections.subject import Subject
from breakeven.words import NOTHING
from tests.fixtures.report.sample import RABBITMQ, planned, report

SAMPLE = report(planned((RABBITMQ,)))
PATTERN = next(case for case in SAMPLE.cases if case.consume_cycle and case.consume)
TRIO = "rabbitmq-quorum-trio"


def tables(suite, cases=(), **changes):
    found = SAMPLE.model_copy(
        update={"suite": suite, "cases": list(cases), "repeats": [], "comparisons": [], **changes}
    )
    section = boards.section(Subject(found, None))
    return {table.slug: table for table in section.parts} if section else {}


def cells(table, origin="measured"):
    return {row.labels[0]: row.cells for row in table.rows if row.origin == origin}


def case(scenario, target=RABBITMQ, *, sent=100.0, received=100.0, p99_ms=5.0, cell="", **parameters):
    return PATTERN.model_copy(
        update={
            "case_id": f"{scenario}.{cell}.{target}.r1",
            "scenario": scenario,
            "cell": cell,
            "target": target,
            "parameters": {"producers": 1, "consumers": 1, "message_bytes": 1024, **parameters},
            "produce": PATTERN.produce.model_copy(update={"msg_per_s": sent, "p99_ms": p99_ms}),
            "consume": PATTERN.consume.model_copy(update={"msg_per_s": received}),
            "consume_cycle": PATTERN.consume_cycle.model_copy(update={"msg_per_s": received}),
            "flags": [],
            "loaders": LoaderReports(),
        }
    )


def level(rate, sent=None, target=TRIO, **parameters):
    return case(
        "rising", target, sent=rate if sent is None else sent, cell=f"rate={rate}", rate=rate, **parameters
    )


def ratio(scenario, value, low, high, verdict, **changes):
    fields = {"cell": "", "target": "rabbitmq-single", "base": "plain", "metric": "consume"}
    fields |= {"environment": "local", "provenance": "measured", "repeats": 3, "base_repeats": 3}
    fields |= {"msg_per_s": 1000 * value, "base_msg_per_s": 1000.0, "ratio": value}
    fields |= {"interval_low": low, "interval_high": high, "verdict": verdict}
    return BaseRatio(
        scenario=scenario, **fields, loader_saturated=False, base_loader_saturated=False, **changes
    )


def test_a_guarantee_costs_percent_with_its_interval_beside_the_printed_share():
    found = [
        ratio("acks", 0.6, 0.55, 0.65, "lower"),
        ratio("mandatory", 1.01, 0.98, 1.04, "no difference shown"),
    ]
    board = tables("feature-cost", base_ratios=found)["board-base"]
    assert cells(board)["Acks"] == ("600", "1,000", "−40.0%", "−45.0% to −35.0%", "slower")
    assert cells(board)["Mandatory"][2:] == ("+1.0%", "−2.0% to +4.0%", "no change shown")
    printed = cells(board, "published")
    assert printed["Mandatory"][-1] == "about 40% of the rate without it"
    assert all(cell == NOTHING for row in printed.values() for cell in row[:-1])
    assert len(tables("own-suite", base_ratios=found)["board-base"].rows) == 2
    assert tables("feature-cost") == {}


def sized(scenario, size, rate, **parameters):
    return case(scenario, f"{RABBITMQ}_{size}", received=rate, cell="queues=1", queues=1, **parameters)


def with_machines(**sizes):
    names = ("instance_type", "vcpu", "volume_type", "volume_iops", "zones")
    facts = {f"{RABBITMQ}_{size}": dict(zip(names, given, strict=True)) for size, given in sizes.items()}
    return SAMPLE.manifest.model_copy(update={"targets": facts})


def test_sizes_stand_relative_to_the_smallest_and_disks_and_zones_to_the_first_of_their_type():
    manifest = with_machines(
        big=("r7g.4xlarge", 16, "gp3", None, "a, b"),
        small=("r7g.xlarge", 4, "gp3", None, "a, b"),
        disk=("r7g.xlarge", 4, "io2", 10000, None),
        zone=("r7g.xlarge", 4, "gp3", None, "a"),
    )
    rates = {"big": 6000.0, "small": 4000.0, "disk": 5000.0, "zone": 4400.0}
    cases = [sized("cores", size, rates[size]) for size in ("small", "big", "disk", "zone")]
    found = tables("instance-types", cases, manifest=manifest, environment="aws")
    assert list(cells(found["board-cores"]).values()) == [
        ("4", "4,000", "1.00 times", NOTHING, "1,000"),
        ("16", "6,000", "1.50 times", NOTHING, "375"),
    ]
    assert [
        (row.labels[1], row.cells[2]) for row in found["board-disks"].rows if row.origin == "measured"
    ] == [
        ("gp3, 2 zones", "1.00 times"),
        ("io2 10000 IOPS", "1.25 times"),
        ("gp3, 1 zone", "1.10 times"),
    ]
    printed = [row for row in found["board-cores"].rows if row.origin == "published"]
    assert [row.cells[1:3] for row in printed][:3] == [
        ("5,500", "1.00 times"),
        ("6,200", "1.13 times"),
        ("6,800", "1.24 times"),
    ]


def test_one_size_leaves_the_printed_rates_alone_and_says_so():
    board = tables("instance-types", [case("cores", queues=1)])["board-cores"]
    assert {row.origin for row in board.rows} == {"published"}
    assert any("on one machine" in note for note in board.notes)


def adverse():
    return [
        level(200.0),
        level(600.0),
        level(200.0, faults="kill of the leader"),
        level(600.0, 300.0, faults="kill of the leader"),
        level(200.0, 150.0, profile="200 msg/s for 2 s, to 400 msg/s over 7 s"),
    ]


PRICE = ClusterPrice(target=TRIO, what="3 x m7g.large", book="b", usd=300.0)


def test_who_stands_after_each_adversity_is_said_by_level():
    board = tables("cluster-sizing", adverse(), environment="local")["board-standing"]
    found = {(row.section, row.origin): row.cells for row in board.rows if row.origin == "measured"}
    assert found == {
        ("Happy path", "measured"): ("200, 600", "none", "600"),
        ("A fault of its nodes", "measured"): ("200", "600", "200"),
        ("A publish peak", "measured"): ("none", "400", NOTHING),
    }
    assert cells(board, "published")["9 x c5.2xlarge"] == ("30,000", "none", "30,000")


def test_one_machine_has_no_dollars_and_says_so():
    board = tables("cluster-sizing", adverse(), environment="local", cluster_prices=[PRICE])["board-clusters"]
    assert {row.origin for row in board.rows} == {"published"}
    assert any("measured on one machine" in note for note in board.notes)
    assert cells(board, "published")["7 x c5.4xlarge, gp2"] == ("$107", NOTHING, NOTHING, NOTHING, "$104")
    own = tables("own", adverse(), environment="local", cluster_prices=[PRICE])
    assert "board-clusters" not in own


def test_what_was_held_on_aws_is_priced_and_an_upper_bound_says_so():
    board = tables("own", adverse(), environment="aws", cluster_prices=[PRICE])["board-clusters"]
    assert [row.cells for row in board.rows] == [
        ("≤ $500.00", "$1,500", NOTHING, "held no level", "held no level")
    ]
    emulated = [one.model_copy(update={"provenance": "emulated"}) for one in adverse()]
    assert "board-clusters" not in tables("own", emulated, environment="aws", cluster_prices=[PRICE])


def test_a_level_above_one_that_failed_is_not_the_highest_held():
    found = [level(200.0), level(400.0, 300.0), level(600.0)]
    (row,) = tables("own", found)["board-standing"].rows
    assert row.cells == ("200, 600", "400", "200")


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        ((500.0, 995.0, 1500.0), ("500 to 2,000", "1,000", "2,000", "1,500 (75.0%)", "400")),
        ((500.0, 1000.0, 2000.0), ("500 to 2,000", "2,000", "none", NOTHING, "400")),
        ((400.0, 1000.0, 2000.0), ("500 to 2,000", "none", "500", "400 (80.0%)", "400")),
    ],
)
def test_a_ladder_says_how_far_up_it_got(sent, expected):
    rungs = [
        case("ladder", sent=one, received=400.0, cell=f"rate={rate}", rate=rate)
        for rate, one in zip((500.0, 1000.0, 2000.0), sent, strict=True)
    ]
    board = tables("rate-ladder", rungs)["board-ladders"]
    assert list(cells(board).values()) == [expected]
    assert cells(board, "published")["4 producers, any size"][3] == "not completed"


def test_a_source_and_a_run_of_closed_loops_have_no_boards():
    assert tables("own", [case("a"), case("b")]) == {}
