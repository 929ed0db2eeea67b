"""The text of PerfTest's spec files: read as leniently as Gson does, its faults by line and column."""

import pytest

from breakeven.errors import InputError
from breakeven.workload.perftest.spec_text import parse_spec

STRICT = '[{"name": "a", "params": [{"time-limit": 30, "rate": 0.5, "auto-ack": true, "body": null}]}]'
LENIENT = """
// as people write them
[{'name' : 'a', # another comment
  params = [{'time-limit':30; "rate": 0.5, 'auto-ack': true, /* over
  two lines */ body: null,}],
}]
"""


@pytest.mark.parametrize("text", [STRICT, LENIENT, STRICT[1:-1], STRICT[1:-1] + ",\n"])
def test_strict_lenient_and_unbracketed_texts_are_the_same_scenario(text):
    params = {"time-limit": 30, "rate": 0.5, "auto-ack": True, "body": None}
    assert parse_spec(text, "spec.js") == [{"name": "a", "params": [params]}]


def test_scenarios_without_brackets_are_a_list():
    assert parse_spec("{'name': 'a'},\n{'name': 'b'}", "spec.js") == [{"name": "a"}, {"name": "b"}]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r"'it\'s'", "it's"),
        (r'"tab\tend"', "tab\tend"),
        (r"'\u0041B'", "AB"),
        ("no-quotes", "no-quotes"),
        ("-7", -7),
        ("1e3", 1000.0),
        ("007", "007"),
    ],
)
def test_a_value_is_read(text, value):
    found = parse_spec(f"[{text}]", "spec.js")
    assert found == [value]
    assert type(found[0]) is type(value)


@pytest.mark.parametrize(
    ("text", "place", "remedy"),
    [
        ("[{'name': 'a'\n  'type': 'simple'}]", "line 2, column 3", "expected a comma or '}'"),
        ("[{'name' 'a'}]", "line 1, column 10", "expected a colon behind the key 'name'"),
        ("[{'name': }]", "line 1, column 11", "expected a value"),
        ("[{'name': 'a", "line 1, column 11", "not closed by its quote on the same line"),
        ("[\n{'name':\n'a\n'}]", "line 3, column 1", "not closed by its quote on the same line"),
        ("[{'a': 1, 'a': 2}]", "line 1, column 11", "the key 'a' is there twice"),
        ("[{'a': 1}", "line 1, column 10", "expected a comma or ']'"),
        ("[{'a': 1}] x", "line 1, column 12", "nothing may follow the list"),
        ("{'a': 1} {'b': 1}", "line 1, column 10", "expected a comma between scenarios"),
        (r"['\u00g0']", "line 1, column 4", "four hexadecimal digits"),
        ("[" * 30, "line 1, column 21", "nested too deep"),
        ("{'a':" * 100_000, "line 1, column", "nested too deep"),
        ("[/* open", "line 1, column 2", "expected a value"),
    ],
)
def test_a_fault_is_named_by_line_and_column(text, place, remedy):
    with pytest.raises(InputError) as raised:
        parse_spec(text, "spec.js")
    assert raised.value.field.startswith(place)
    assert remedy in raised.value.remedy
    assert "\n" not in str(raised.value)
