"""Inputs of an execution that make no sense: the field, its value, and what would do."""

from __future__ import annotations

from typing import Any

import pytest

from breakeven.errors import InputError
from breakeven.steps.run.plan_run import check_name, check_surroundings, plan_of
from breakeven.steps.run.run_input import parse_run_input, suite_of

SUITE = "suite: {value}: must be a shipped suite's name, or a whole suite"
BAD: list[tuple[Any, str]] = [
    ([], "input: '[]': must be an object"),
    (None, "input: 'nothing': must be an object"),
    ("quick", "input: 'quick': must be an object"),
    ({"sute": "quick"}, "sute: 'quick': no such field; leave it out"),
    ({"suite": 5}, SUITE.format(value=5)),
    ({"suite": None}, SUITE.format(value="'nothing'")),
    ({"suite": ["quick"]}, SUITE.format(value="'[quick]'")),
    ({"suite": "../scenarios/quick"}, "name: '../scenarios/quick': no such suite; "),
    ({"suite": "/etc/passwd"}, "name: '/etc/passwd': no such suite; "),
    ({"scale": "0.1"}, "scale: '0.1': must be a number"),
    ({"scale": True}, "scale: True: must be a number"),
    ({"scale": -0.0}, "scale: -0.0: must be at least 0.000001"),
    ({"scale": float("nan")}, "scale: nan: must be at most 1"),
    ({"seed": True}, "seed: True: must be a whole number"),
    ({"seed": "1"}, "seed: '1': must be a whole number"),
    ({"seed": 1.5}, "seed: 1.5: must be a whole number"),
    ({"seed": 2**31}, "seed: 2147483648: must be at most 2147483647"),
    ({"max_usd": "20"}, "max_usd: '20': must be a number"),
    ({"max_usd": True}, "max_usd: True: must be a number"),
    ({"max_usd": float("inf")}, "max_usd: inf: must be a finite number"),
    ({"variant": ""}, "variant: '': must be 'equal-guarantees' or 'as-published'"),
    ({"region": None}, "region: 'nothing': must be text"),
    ({"region": "../x"}, "region: '../x': no such book"),
    ({"surroundings": []}, "surroundings: '[]': must be an object"),
    ({"surroundings": {"notes": "x"}}, "surroundings.notes: 'x': must be a list"),
    ({"surroundings": {"name": "local"}}, "surroundings.name: 'local': belongs to runs on one machine"),
]


def planned(document: Any) -> None:
    """As the workflow's first state begins."""
    wanted = parse_run_input(document)
    check_surroundings(wanted, simulated=False)
    plan_of(wanted, suite_of(wanted), "r1")


@pytest.mark.parametrize(("document", "said"), BAD)
def test_an_input_that_makes_no_sense_is_one_line(document: Any, said: str) -> None:
    with pytest.raises(InputError) as caught:
        planned(document)
    (line,) = str(caught.value).splitlines()
    assert said in line


@pytest.mark.parametrize("document", [{}, {"scale": 1}, {"scale": 0.5, "seed": 0, "max_usd": 20}])
def test_numbers_are_taken_as_json_has_them(document: dict[str, Any]) -> None:
    found = parse_run_input(document).model_dump()
    assert {name: found[name] for name in document} == document


@pytest.mark.parametrize("name", ["", "latest", "a b", "x" * 81, "\u00fc", "-a", "a;b", "a\n"])
def test_a_name_that_is_no_id_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="execution: name: "):
        check_name(name)
