"""Drift between two runs: what moved is named and nothing else, as seldom wrong as it says."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from breakeven import words
from breakeven.errors import InputError
from breakeven.report.contract.report_model import CaseReport, Metric, Report
from breakeven.report.contract.validity_model import Validity
from breakeven.report.drift import drift
from breakeven.report.drift.drift import FALSE_ALARMS, FIGURES, Measure, drift_between, figures_of
from breakeven.report.drift.drift_words import sentences, summary
from breakeven.report.drift.significance import cells_needed, interval_of_repeats
from cli.compare_command import MOST_ROWS
from cli.main import main
from tests.fixtures.report import sample
from tests.fixtures.report.drifting import METRICS, NOISE, REPEATS, run_of
from tests.fixtures.report.html import parse, text


def test_a_broker_slowed_by_a_fifth_is_named_with_every_release_that_changed_and_nothing_else() -> None:
    manifest = sample.manifest().model_copy(update={"rabbitmq": "RabbitMQ 4.3.6, Erlang 29.1"})
    found = drift_between(run_of("a", 1), run_of("b", 2, {sample.RABBITMQ: 1.25}, manifest=manifest))
    assert {one.measure.target for one in found.shifts} == {sample.RABBITMQ}
    rates = [one for one in found.shifts if one.measure.name == "msg_per_s"]
    assert {one.measure.metric for one in rates} >= {"produce", "consume_cycle"}
    assert all(one.ratio == pytest.approx(0.8, abs=0.05) for one in rates)
    assert {one.figure.measure.target for one in found.moves} <= {sample.RABBITMQ}
    (change,) = found.changes
    assert change.describe() == "rabbitmq: RabbitMQ 3.10.8, Erlang 25.2.3 → RabbitMQ 4.3.6, Erlang 29.1"


def test_one_cell_that_became_much_slower_is_named() -> None:
    later = run_of("b", 2)
    slow = {"consume": None, "consume_cycle": None}
    cases = [
        case.model_copy(update={**slow, "produce": grown(case.produce, 10.0)}) if is_the_cell(case) else case
        for case in later.cases
    ]
    found = drift_between(run_of("a", 1), later.model_copy(update={"cases": cases}))
    assert found.shifts == ()
    assert {(one.figure.measure.target, one.figure.measure.metric) for one in found.moves} == {
        (sample.SQS, "produce")
    }


@pytest.mark.parametrize(("factor", "is_said"), [(5.0, True), (0.7, False)])
def test_a_rate_that_differs_much_over_too_few_cells_is_said_though_it_may_be_chance(
    factor: float, is_said: bool
) -> None:
    def of_three_cells(run: Report) -> Report:
        cells = list(
            dict.fromkeys((one.scenario, one.cell) for one in run.cases if one.target == sample.SQS)
        )[:3]
        kept = [
            one.model_copy(update={"consume": None, "consume_cycle": None})
            for one in run.cases
            if one.target == sample.SQS and (one.scenario, one.cell) in cells and one.repeat == 1
        ]
        return run.model_copy(update={"cases": kept})

    earlier, later = of_three_cells(run_of("a", 1)), of_three_cells(run_of("b", 2))
    first, *others = later.cases
    other = first.model_copy(update={"produce": grown(first.produce, factor)})
    found = drift_between(earlier, later.model_copy(update={"cases": [other, *others]}))
    assert (found.shifts, found.moves) == ((), ())
    named = "the produce rate of SQS standard (emulated), over 3 cells,"
    ratios = [one.ratio for one in found.figures if one.measure.name == "msg_per_s"]
    needed = cells_needed(ratios, FALSE_ALARMS / 2 / found.judged[0])
    assert needed
    assert needed > len(ratios) == 3
    said = (
        f"although {named} rose by 62%: too few cells to be sure of it, which would take about {needed} that"
    )
    assert (said in summary(found, "2026-01-01")) == is_said
    assert ("too few cells" in summary(found, "2026-01-01")) == is_said


def is_the_cell(case: CaseReport) -> bool:
    first = next(one for one in sample.report().cases if one.target == sample.SQS)
    return (case.target, case.scenario, case.cell) == (first.target, first.scenario, first.cell)


def grown(metric: Metric | None, factor: float) -> Metric | None:
    figures = {name: getattr(metric, name) for name in FIGURES} if metric else {}
    update = {name: value and value * factor for name, value in figures.items()}
    return metric and metric.model_copy(update=update)


@pytest.mark.thorough
def test_of_a_thousand_unchanged_pairs_whose_hosts_differ_no_more_than_stated_have_a_false_alarm() -> None:
    """Of two targets of eight cells with three figures each, whose repeats are drawn anew for every pair.

    A run's host makes all cells of a target faster or slower by one percent, a deviation.
    """
    dice = Random(20261125)
    names = [
        (Measure(f"t{t}", "produce", name), "s", f"c{c}")
        for t in range(2)
        for c in range(8)
        for name in FIGURES
    ]

    def drawn() -> dict[Any, list[float]]:
        hosts = {f"t{t}": dice.lognormvariate(0, 0.01) for t in range(2)}
        return {
            name: [1000 * hosts[name[0].target] * dice.lognormvariate(0, NOISE) for _ in range(REPEATS)]
            for name in names
        }

    assert 0 <= false_alarms(drawn) <= FALSE_ALARMS


@pytest.mark.thorough
def test_of_a_thousand_pairs_resampled_from_stub_runs_no_more_than_stated_have_a_false_alarm() -> None:
    """Each cell of ``parallel`` has its repeats from twelve runs; the figures of a case stay together."""
    dice, pool = Random(20261125), [figures_of(run_of(f"stub-{seed}", seed)) for seed in range(12)]
    parallel = [name for name in pool[0] if name[1] == "parallel"]
    known = {name: [value for run in pool for value in run[name]] for name in parallel}
    cells = sorted({(name[0].target, *name[1:]) for name in known})
    count = len(pool) * REPEATS

    def drawn() -> dict[Any, list[float]]:
        chosen = {cell: dice.sample(range(count), REPEATS) for cell in cells}
        return {
            name: [values[place] for place in chosen[name[0].target, *name[1:]]]
            for name, values in known.items()
        }

    assert 0 <= false_alarms(drawn) <= FALSE_ALARMS


def false_alarms(drawn: Callable[[], dict[Any, list[float]]], pairs: int = 1000) -> float:
    """The share of pairs of unchanged runs of which anything is called moved."""
    usual, alarms = sample.report(), 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drift, "figures_of", lambda _: drawn())
        for _ in range(pairs):
            found = drift_between(usual, usual)
            alarms += bool(found.shifts or found.moves)
    return alarms / pairs


def test_a_change_of_less_than_the_least_is_no_finding_however_sure() -> None:
    usual = run_of("a", 1)
    for factor, is_found in ((1.04, False), (1.06, True)):
        cases = [
            case.model_copy(update={name: grown(getattr(case, name), factor) for name in METRICS})
            for case in usual.cases
        ]
        found = drift_between(usual, usual.model_copy(update={"run_id": "b", "cases": cases}))
        assert bool(found.shifts) == is_found


def test_unchanged_runs_do_not_differ() -> None:
    found = drift_between(run_of("a", 3), run_of("b", 4))
    assert (found.shifts, found.moves, found.changes) == ((), (), ())
    assert found.judged[1] == len(found.figures) > 20


def test_cells_measured_once_are_judged_together_only() -> None:
    once = sample.report()
    found = drift_between(once, once.model_copy(update={"run_id": "later"}))
    assert found.judged[0] > 0
    assert found.judged[1] == 0


def test_where_nothing_can_be_judged_it_is_said_what_that_takes() -> None:
    whole = sample.report()
    one = whole.model_copy(update={"cases": whole.cases[:1]})
    assert sentences(drift_between(one, one.model_copy(update={"run_id": "later"}))) == [
        "Nothing can be told from chance: that takes 3 cells of a target in both runs, "
        "or two repeats of a cell in each."
    ]


@pytest.mark.parametrize(("flag", "is_said"), [("instrument_misread", True), ("instrument_late", False)])
def test_a_self_test_that_failed_is_said_first(flag: Any, is_said: bool) -> None:
    doubted = run_of("b", 6, validity=Validity(flags=[flag], instrument=[]))
    found = drift_between(run_of("a", 5), doubted)
    said = "This is in doubt, as the self-test of run b failed."
    assert (sentences(found)[0] == said) == is_said
    assert summary(found, "2026-11-20").endswith(said) == is_said


def test_what_one_run_lacks_is_counted() -> None:
    whole = run_of("a", 5)
    part = run_of("b", 6)
    part = part.model_copy(update={"cases": [case for case in part.cases if case.target == sample.SQS]})
    found = drift_between(whole, part)
    assert found.only_before > 0
    assert found.only_after == 0
    assert {one.measure.target for one in found.figures} == {sample.SQS}


def test_failed_cases_are_left_out_and_said() -> None:
    failed = run_of("b", 6)
    cases = [case.model_copy(update={"status": "failed"}) for case in failed.cases]
    found = drift_between(run_of("a", 5), failed.model_copy(update={"cases": cases}))
    assert found.figures == ()
    count = len(cases)
    first, *_ = sentences(found)
    assert first == (
        f"Run b is incomplete: of its {count} cases {count} failed. What both runs have settled is compared."
    )


def test_of_a_run_under_way_what_both_have_settled_is_compared_and_said() -> None:
    whole, other, part = run_of("a", 5), run_of("c", 5), run_of("b", 6)
    part = part.model_copy(update={"cases": part.cases[:-9], "unsettled": 9})
    part.cases[0] = part.cases[0].model_copy(update={"status": "failed"})
    found = drift_between(whole, part)
    assert 0 < len(found.figures) < len(drift_between(whole, other).figures)
    first = sentences(found)[0]
    assert first.startswith(f"Run b is incomplete: of its {len(whole.cases)} cases 1 failed and 9 had not")
    assert not drift_between(whole, other).incomplete


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"suite": "other"}, "is of the suite other, and a of quick; compare runs of one suite"),
        ({"environment": "aws"}, "is of the place aws, and a of local; compare runs of one place"),
        ({"variant": "at-most-once"}, "is of the variant at-most-once"),
    ],
)
def test_runs_that_are_not_comparable_are_refused_by_name(changed: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        drift_between(run_of("a", 1), run_of("b", 2, **changed))


def test_the_command_says_itself_that_runs_are_not_comparable(stored: Path, capsys: Any) -> None:
    elsewhere = run_of("elsewhere", 3).model_copy(update={"environment": "aws"})
    (stored / "elsewhere" / "report").mkdir(parents=True)
    (stored / "elsewhere" / "report" / "report.json").write_text(elsewhere.model_dump_json())
    assert main(["compare", "before", "elsewhere", "--runs", str(stored)]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "breakeven compare: run: 'elsewhere': is of the place aws, and before of local" in said
    assert "comparison of runs" not in said


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    for made in (run_of("before", 1), run_of("after", 2, {sample.RABBITMQ: 1.25})):
        folder = tmp_path / made.run_id / "report"
        folder.mkdir(parents=True)
        (folder / "report.json").write_text(made.model_dump_json())
    return tmp_path


def test_the_command_leads_with_what_changed_and_names_what_moved(stored: Path, capsys: Any) -> None:
    assert main(["compare", "before", "after", "--runs", str(stored)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("after held against before")
    assert out.index("Nothing of their manifests changed.") < out.index("Moved beyond chance: ")
    assert "RabbitMQ mirrored pair" in out
    assert "the chance that any is listed here is at most 5%" in " ".join(out.split())


def test_as_json_every_figure_has_its_repeats_and_its_p(stored: Path, capsys: Any) -> None:
    assert main(["compare", "before", "after", "--runs", str(stored), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {one["measure"]["target"] for one in found["shifts"]} == {sample.RABBITMQ}
    assert all(one["p"] < FALSE_ALARMS for one in found["shifts"])
    assert {len(one["before"]) for one in found["figures"]} == {REPEATS}


def test_the_comparison_can_be_had_as_a_page(stored: Path, capsys: Any) -> None:
    out = stored / "drift.html"
    assert main(["compare", "before", "after", "--runs", str(stored), "--out", str(out)]) == 0
    assert f"page: {out}" in capsys.readouterr().out.replace("\n", "")
    page = parse(out.read_text())
    assert "Run after held against before" in text(page)
    assert text(page.find(".//h1")).startswith("Since run before of 2026-11-20 the ")
    assert [one.get("id") for one in page.iter("section")] == ["comparison", "validity"]


def test_one_run_twice_is_refused_by_name(stored: Path, capsys: Any) -> None:
    (stored / "latest").symlink_to("after")
    for name in ("latest", "after"):
        assert main(["compare", "latest", name, "--runs", str(stored)]) == 2
        said = capsys.readouterr().err
        assert (
            f"compare: run: '{name}': holds run after, and so does latest: a run is not compared with itself"
            in said
        )


def test_figures_that_are_not_judged_are_shown_with_that(stored: Path, capsys: Any) -> None:
    for made in (run_of("before", 1), run_of("after", 2, {sample.RABBITMQ: 1.25})):
        first = {case.target: case for case in reversed(made.cases)}
        one_cell = made.model_copy(update={"cases": list(first.values())})
        (stored / made.run_id / "report" / "report.json").write_text(one_cell.model_dump_json())
    page = stored / "compare.html"
    assert main(["compare", "before", "after", "--runs", str(stored), "--out", str(page)]) == 0
    out = capsys.readouterr().out
    assert out.index("Nothing can be told from chance") < out.index("Figures that are not judged")
    rows = [line for line in out.splitlines() if line.rstrip().endswith("not judged (1 cell)")]
    assert {line.split("  ")[0] for line in rows} == {"RabbitMQ mirrored pair", "SQS standard (emulated)"}
    (produced,) = (line for line in rows if line.startswith("RabbitMQ") and "Produce rate, msg/s" in line)
    assert "%" in produced
    assert "Fewer than 3 cells of a target are not judged together" in " ".join(out.split())
    on_page = text(parse(page.read_text()))
    assert "Figures that are not judged" in on_page
    assert on_page.count("not judged (1 cell)") == len(rows)


def test_where_nothing_moved_the_figures_of_both_runs_are_shown_as_within_chance(
    stored: Path, capsys: Any
) -> None:
    later = run_of("after", 2)
    (stored / "after" / "report" / "report.json").write_text(later.model_dump_json())
    page = stored / "compare.html"
    assert main(["compare", "before", "after", "--runs", str(stored), "--out", str(page)]) == 0
    out = capsys.readouterr().out
    assert (
        " ".join(out.split()).count(
            "No difference was found to be both beyond chance and of 5% or more: none of them is a finding"
        )
        == 1
    )
    shown = out[out.index("Figures of both runs, none of which moved") :]
    found = drift_between(run_of("before", 1), later)
    largest = max(found.figures, key=lambda one: abs(math.log(one.ratio)))
    first = shown.splitlines()[2]
    low, high = interval_of_repeats(largest.before) or (0.0, 0.0)
    assert words.change(largest.ratio) in first
    assert f"{words.figure(largest.means[0])} ({words.figure(low)} to {words.figure(high)})" in first
    more = len(found.figures) - MOST_ROWS
    assert more > 0
    assert f"{more} more rows: --out FILE writes a page with them" in shown
    (table,) = [
        one for one in parse(page.read_text()).iter("figure") if one.get("id") == "table-drift-within-chance"
    ]
    assert len(list(table.iter("tr"))) == 1 + len(found.figures)


def test_where_something_moved_no_figures_are_said_to_be_within_chance(stored: Path, capsys: Any) -> None:
    assert main(["compare", "before", "after", "--runs", str(stored)]) == 0
    out = capsys.readouterr().out
    assert "within chance" not in out
    assert re.search(r" \u2212\d", out)
    assert not re.search(r" -\d", out)


def test_a_run_that_is_not_there_or_is_damaged_is_named(stored: Path, capsys: Any) -> None:
    assert main(["compare", "before", "gone", "--runs", str(stored)]) == 2
    assert "compare: run: 'gone': no report.json there" in capsys.readouterr().err
    (stored / "after" / "report" / "report.json").write_text("{")
    assert main(["compare", "before", "after", "--runs", str(stored)]) == 2
    assert "report.json" in capsys.readouterr().err
