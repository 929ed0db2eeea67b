"""What the library of YAML says in words that lead astray, and names of fields that are none."""

from __future__ import annotations

import pytest

from breakeven.errors import InputError
from breakeven.workload.read import NOTHING_FOLLOWS, parse_suite, parse_yaml

INDENTED = "it is indented in another way than what it belongs to; indent both alike"
#: text -> place and remedy
FAULTS = {
    "a: 'b' c": ("line 1, column 8", NOTHING_FOLLOWS),
    "a: [b] c": ("line 1, column 8", NOTHING_FOLLOWS),
    "a:\n- [b] c": ("line 2, column 7", NOTHING_FOLLOWS),
    "- a\n- c: d\n e: f": ("line 3, column 2", INDENTED),
    "- - a\n -b": ("line 2, column 2", INDENTED),
    "? [a]\n: b": ("line 1, column 3", "the name of a field is text, no list and no mapping"),
}


@pytest.mark.parametrize("text", FAULTS)
def test_a_fault_has_its_own_remedy(text: str) -> None:
    field, remedy = FAULTS[text]
    with pytest.raises(InputError) as caught:
        parse_yaml(text.encode(), "mine.yaml")
    assert caught.value.field == field
    assert caught.value.remedy == f"is not YAML that a suite can have: {remedy}"


def test_a_field_whose_name_is_empty_is_shown_as_such() -> None:
    with pytest.raises(InputError, match=r"mine\.yaml: '': 1: no such field; there are suite, title"):
        parse_suite({"": 1}, "mine.yaml")
