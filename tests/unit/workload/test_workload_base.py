"""A suite's base: a scenario of one cell, with whose rate every other's is compared."""

import pytest

from breakeven.errors import InputError
from breakeven.planning.expand import expand
from breakeven.workload.read import load_suite, parse_suite


def document(**changes):
    scenarios = {"plain": {"threads": 1}, "several": {"threads": [1, 2]}}
    return {
        "suite": "mine",
        "title": "A suite",
        "targets": ["rabbitmq-single"],
        "scenarios": scenarios,
        **changes,
    }


def cases(**changes):
    return expand(parse_suite(document(**changes), "mine.yaml"), run_id="r", environment="local")


def test_every_case_knows_the_base():
    assert {case.base for case in cases(base="plain")} == {"plain"}
    assert {case.base for case in cases()} == {None}
    assert load_suite("feature-cost").base == "plain"


@pytest.mark.parametrize(
    ("base", "changes", "remedy"),
    [
        ("plane", {}, "is no scenario of the suite; give one of plain, several"),
        ("several", {}, "has 2 cells"),
        (
            "search",
            {"scenarios": {"search": {"threads": 1, "mode": "capacity"}, "plain": {"threads": 1}}},
            "capacity",
        ),
    ],
)
def test_a_base_that_nothing_can_be_compared_with_is_refused(base, changes, remedy):
    with pytest.raises(InputError) as raised:
        cases(base=base, **changes)
    assert (raised.value.field, raised.value.value) == ("base", base)
    assert remedy in raised.value.remedy
