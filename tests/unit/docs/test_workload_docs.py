"""docs/suites.md says what the model says: every field, its range, its default, and what is assumed."""

import re
from math import inf
from pathlib import Path

import pytest

from breakeven.planning.budget.planning_assumptions import OVERHEADS
from breakeven.planning.execution_limits import QUERIES
from breakeven.planning.expand import expand
from breakeven.planning.workload_settings import ABSENT, BUILT_IN, CLOSED, HOLD_S, NO_WORKLOAD
from breakeven.results.queries import query_files
from breakeven.targets.catalog import CATALOG, PAIR, SQS, compared, record_of
from breakeven.workload.case import Workload
from breakeven.workload.read import parse_suite, parse_yaml
from breakeven.workload.scenario import Scenario
from breakeven.workload.sizes import ambiguity, format_size, parse_size
from breakeven.workload.suite import Suite

TEXT = (Path(__file__).parents[3] / "docs" / "suites.md").read_text(encoding="utf-8")
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


def default(name):
    """The last column of its row."""
    return row(name).rstrip(" |").rsplit("|", 1)[1].strip()


#: what suites say of themselves and of a scenario's mode, by the models that read them
READ = {
    name: field.default
    for model in (Suite, Scenario)
    for name, field in model.model_fields.items()
    if not field.is_required() and isinstance(field.default, (str, int))
}


@pytest.mark.parametrize("name", sorted({**READ, **BUILT_IN}))
def test_every_default_is_the_one_in_force(name):
    value = {**READ, **BUILT_IN}[name]
    words = format_size(value) if name == "message_size" else str(value).lower().removesuffix(".0")
    assert default(name).strip("`") == words


@pytest.mark.parametrize("name", sorted(CLOSED))
def test_every_default_of_a_loop_is_the_one_in_force(name):
    closed, _, opened = default(name).replace("`", "").partition("; in an open loop ")
    assert closed == str(CLOSED[name])
    for label, target in (("SQS", SQS), ("RabbitMQ", PAIR)):
        value = record_of(target).open_loop[name]
        said = f"{value} on {label}" in opened or opened == f"on {label} {value}"
        assert said or value == CLOSED[name], (label, value)


def test_the_default_of_a_searchs_rates_is_the_one_in_force():
    assert f"with `capacity`, how long each rate is offered, {HOLD_S:g} by default" in row("measure_s")


def test_a_case_leaves_no_field_of_its_workload_to_a_default():
    assert [name for name, field in Workload.model_fields.items() if not field.is_required()] == []


def test_every_setting_that_a_workload_has_stands_with_what_it_is_without():
    settings = {**BUILT_IN, **CLOSED, **ABSENT}.keys() - NO_WORKLOAD
    given = {"mode", "producers", "consumers", "message_bytes"}
    assert settings | given == Workload.model_fields.keys()


@pytest.mark.parametrize("environment", ["aws", "local"])
def test_assumed_rates_and_overheads_are_printed(environment):
    for target, record in CATALOG.items():
        rates = record.rates[environment]
        start = f"| {environment} | `{target}`"
        line = next((line for line in TEXT.splitlines() if line.startswith(start)), None)
        assert line, f"docs/suites.md has no row of assumed rates that begins with {start}"
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
    assert len(query_files()) == QUERIES


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


def test_units_of_sizes_are_those_that_are_read_and_the_others_are_refused_as_said():
    (said,) = re.findall(
        r"^\*\*Sizes\*\* are whole numbers with a unit, (.*?)\. (.*?) are refused", TEXT, re.MULTILINE
    )
    assert [parse_size(f"1{unit}") for unit in re.findall("`(.+?)`", said[0])] == [1, 1024, 1024**2]
    assert all(ambiguity(f"1{unit}") for unit in re.findall("`(.+?)`", said[1]))
