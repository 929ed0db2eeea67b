"""JSON of a user's: what is wrong is said with its line, its column, what is there and what would do."""

from __future__ import annotations

import json

import pytest

from breakeven.workload.json_text import JsonFault, parse_json

#: text -> place, what is found there, and what is said of it
FAULTS = {
    "": ("line 1, column 1", "end of file", "the file is empty"),
    "{\n": ("line 2, column 1", "end of file", "the file ends before the document does"),
    '{"a": 1': ("line 1, column 8", "end of file", "the file ends before the document does"),
    '{"a":\n  us-east-1}': ("line 2, column 3", "us-east-1}", "text needs double quotes around it"),
    "{'a': 1}": ("line 1, column 2", "'a': 1}", "write it in double quotes"),
    '{"a" 1}': ("line 1, column 6", "1}", "a colon is missing"),
    '{"a": 1 "b": 2}': ("line 1, column 9", '"b": 2}', "a comma or a closing bracket is missing"),
    '{"a": 1,}': ("line 1, column", "}", "a comma stands before a closing bracket; remove the comma"),
    "[1,\n]": ("line ", "]", "a comma stands before a closing bracket; remove the comma"),
    '{"a": 1} {"b": 2}': ("line 1, column 10", '{"b": 2}', "remove what follows"),
    '{"a": "x\ty"}': ("line 1, column 9", '\ty"}', "text has no line breaks or tabs"),
    '{"a": "\\q"}': ("line 1, column 8", '\\q"}', "write \\\\ for a backslash"),
    '{"a": "\\u12"}': ("line 1, column 9", 'u12"}', "\\u stands before four hexadecimal digits"),
    '{"a": True}': ("line 1, column 7", "True}", "JSON's words are true, false and null"),
    '{"a": .5}': ("line 1, column 7", ".5}", "a number begins with a digit"),
    '{"a": +1}': ("line 1, column 7", "+1}", "a number begins with a digit"),
    '{"a": 01}': ("line 1, column 8", "1}", "a number has no zeros before it"),
    "[10 5]": ("line 1, column 5", "5]", "a comma or a closing bracket is missing"),
    "[0 5]": ("line 1, column 4", "5]", "a comma or a closing bracket is missing"),
    "{\"a\": 'b'}": ("line 1, column 7", "'b'}", "double quotes around it, not single ones"),
    '{"a": "x}': ("line 1, column 7", '"x}', "no closing double quotation mark"),
    '{"a": 1, // one\n "b": 2}': ("line 1, column 10", "// one", "JSON has no comments; remove it"),
    '{"a": 1, "a": 2}': ("field", "a", "is there twice; keep one of them"),
    "[" * 100_000: ("file", "nesting", "it is nested too deeply"),
    f'{{"a": {"9" * 5000}}}': ("file", "number", "a number has thousands of digits"),
    f'{{"a": {"x" * 500}}}': ("line 1, column 7", f"{'x' * 37}...", "text needs double quotes around it"),
}


@pytest.mark.parametrize("text", FAULTS, ids=lambda text: text[:20])
def test_a_fault_has_its_place_what_is_there_and_a_remedy(text: str) -> None:
    place, found, remedy = FAULTS[text]
    with pytest.raises(JsonFault) as raised:
        parse_json(text.encode())
    assert raised.value.place.startswith(place)
    assert raised.value.found.startswith(found) or raised.value.found == ","  # where Python 3.13 has it
    assert remedy in raised.value.remedy
    assert "Expecting" not in str(raised.value)


def test_what_is_no_text_says_its_byte() -> None:
    with pytest.raises(JsonFault, match="byte 1: '0xff': is not JSON, which is text in UTF-8"):
        parse_json(b'"\xff"')


def test_what_the_library_writes_of_a_number_that_is_none_is_read() -> None:
    assert parse_json(json.dumps([float("inf"), -float("inf")]).encode()) == [float("inf"), -float("inf")]


def test_a_document_is_read_with_and_without_a_byte_order_mark() -> None:
    document = {"a": [1, 2.5, None, "\u00fc"]}
    text = json.dumps(document)
    assert parse_json(text.encode()) == parse_json(text.encode("utf-8-sig")) == document


def test_as_an_error_it_names_the_file_and_what_to_give() -> None:
    with pytest.raises(JsonFault) as raised:
        parse_json(b"{1}")
    error = raised.value.of_file("book.json", "give a price book")
    assert str(error).startswith("book.json: line 1, column 2: '1}': is not JSON: ")
    assert str(error).endswith("; give a price book")
