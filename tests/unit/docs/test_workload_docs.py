"""docs/suites.md says what the model says: every field, its range, its default, and what is assumed."""

import re
from math import inf
from pathlib import Path

import pytest

from breakeven.planning.budget.planning_assumptions import OVERHEADS, QUERIES
from breakeven.planning.expand import BUILT_IN, expand
from breakeven.targets.catalog import CATALOG, compared
from breakeven.workload.read import parse_suite, parse_yaml
from breakeven.workload.sizes import format_size
from breakeven.workload.suite import Scenario, Suite

TEXT = (Path(__file__).parents[3] / "docs" / "suites.md").read_text(encoding="utf-8")
QUERY_FILES = Path(__file__).parents[3] / "queries"
FIELDS = {**Suite.model_json_schema()["properties"], **Scenario.model_json_schema()["properties"]}


def row(name):
    found = re.search(rf"^\| `{name}` \|.*$", TEXT, re.MULTILINE)
    assert found, f"docs/suites.md has no row for {name}"
    return found[0]


def bounds(schema):
    options = [schema, *schema.get("anyOf", ())]
    options += [option["items"] for option in options if "items" in option]
    return next(((o["minimum"], o["maximum"]) for o in options if "minimum" in o), None)


@pytest.mark.parametrize("name", sorted(FIELDS))
def test_every_field_has_a_row_with_its_range(name):
    limits = bounds(FIELDS[name])
    if limits:
        assert f"{limits[0]:g} to {limits[1]:.0f}" in row(name)
    else:
        assert row(name)


@pytest.mark.parametrize("name", sorted(BUILT_IN))
def test_every_default_is_the_one_in_force(name):
    value = BUILT_IN[name]
    words = format_size(value) if name == "message_size" else str(value).lower().removesuffix(".0")
    assert row(name).rstrip(" |").rsplit("|", 1)[1].strip().strip("`") == words


@pytest.mark.parametrize("environment", ["aws", "local"])
def test_assumed_rates_and_overheads_are_printed(environment):
    for target, record in CATALOG.items():
        rates = record.rates[environment]
        line = next(line for line in TEXT.splitlines() if line.startswith(f"| {environment} | `{target}`"))
        for rate in (rates.produce_each, rates.produce_most, rates.consume_each, rates.consume_most):
            assert ("| none known |" if rate == inf else f" {rate:g} ") in line
        assert rates.unconfirmed is None or f"({rates.unconfirmed:g} without confirms)" in line
    overheads = OVERHEADS[environment]
    records = [CATALOG[name] for name in compared()]
    opening = ", ".join(f"{each.open_lane_s[environment]:g} ({each.short_label})" for each in records)
    assert (
        f"| {environment} | {overheads.before_case:g} | {overheads.gate:g} | {overheads.after_case:g} | "
        f"{opening} | "
        f"{overheads.close_lane:g} | {overheads.around_run:g} |"
    ) in TEXT


def test_every_target_that_may_be_compared_is_named():
    assert [name for name in compared() if f"`{name}`" not in row("targets")] == []


def test_every_query_that_ships_is_paid_for():
    assert len(list(QUERY_FILES.glob("*.sql"))) <= QUERIES


def test_the_first_example_is_a_suite_of_the_cases_it_promises():
    example = re.search(r"```yaml\n(suite:.*?)```", TEXT, re.DOTALL)[1]
    suite = parse_suite(parse_yaml(example.encode(), "docs"), "docs")
    assert len(expand(suite, run_id="run-1")) == 12


def test_the_other_examples_are_cells_and_variants():
    cells = re.search(r"```yaml\n(  sizes-and.*?)```", TEXT, re.DOTALL)[1]
    variants = re.search(r"```yaml\n(variants:.*?)```", TEXT, re.DOTALL)[1]
    text = f"suite: x\ntitle: x\ntargets: [sqs-standard]\n{variants}scenarios:\n{cells}"
    suite = parse_suite(parse_yaml(text.encode(), "docs"), "docs")
    assert [case.scenario for case in expand(suite, run_id="run-1", variant="as-published")] == (
        ["sizes-and-threads"] * 6 + ["lopsided"] * 2
    )
