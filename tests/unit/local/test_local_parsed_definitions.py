"""Parsed definitions are kept on disk, and read again only as what they were made from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from moto.stepfunctions.parser.asl.parse.asl_parser import AmazonStateLanguageParser, ASLParserException

from local.aws import parsed_definitions
from local.aws.parsed_definitions import KEPT, WORTH, Parsed


def definition(comment: str = "", length: int = WORTH) -> str:
    states = {"A": {"Type": "Pass", "End": True, "Comment": comment.ljust(length, ".")}}
    return json.dumps({"StartAt": "A", "States": states})


class Counted:
    """Moto's own, and how often it was called."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, text: str) -> tuple[Any, Any]:
        self.calls += 1
        return AmazonStateLanguageParser.parse(text)


def test_what_another_run_parsed_is_not_parsed_again_and_is_a_copy_each_time(tmp_path: Path) -> None:
    first, second = Counted(), Counted()
    Parsed(first, tmp_path).parse(definition())
    later = Parsed(second, tmp_path)
    programs = [later.parse(definition())[0] for _ in range(3)]
    assert (first.calls, second.calls) == (1, 0)
    assert len({id(each) for each in programs}) == 3
    assert [type(each).__name__ for each in programs] == ["Program"] * 3
    assert programs[0].start_at.start_at_name == "A"


def test_its_tree_is_parsed_for_a_visitor_that_asks(tmp_path: Path) -> None:
    Parsed(Counted(), tmp_path).parse(definition())
    counted = Counted()
    _, tree = Parsed(counted, tmp_path).parse(definition())
    seen: list[str] = []

    class Visitor:
        def visitState_machine(self, context: Any) -> None:
            seen.append(context.getText()[:1])

    tree.accept(Visitor())
    assert (counted.calls, seen) == (1, ["{"])


def test_short_ones_are_not_kept_on_disk(tmp_path: Path) -> None:
    counted = Counted()
    parsed = Parsed(counted, tmp_path)
    for _ in range(2):
        parsed.parse(definition(length=10))
    assert counted.calls == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"\x80\x05damaged", b"c\nnone\nx\n."])
def test_a_damaged_file_is_parsed_anew_and_mended(tmp_path: Path, content: bytes) -> None:
    Parsed(Counted(), tmp_path).parse(definition())
    (kept,) = tmp_path.iterdir()
    kept.write_bytes(content)
    counted = Counted()
    assert Parsed(counted, tmp_path).parse(definition())[0].start_at.start_at_name == "A"
    assert counted.calls == 1
    Parsed(again := Counted(), tmp_path).parse(definition())
    assert again.calls == 0


def test_what_reads_it_is_part_of_what_it_is_known_by(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Parsed(Counted(), tmp_path).parse(definition())
    monkeypatch.setattr(parsed_definitions, "_readers", lambda: b"another moto, or a patch that has changed")
    counted = Counted()
    Parsed(counted, tmp_path).parse(definition())
    assert counted.calls == 1


def test_an_error_is_raised_each_time_and_nothing_is_kept(tmp_path: Path) -> None:
    parsed = Parsed(Counted(), tmp_path)
    for _ in range(2):
        with pytest.raises(ASLParserException):
            parsed.parse("no definition".ljust(WORTH))
    assert list(tmp_path.iterdir()) == []


def test_where_nothing_can_be_kept_it_is_parsed(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert Parsed(Counted(), tmp_path / "file" / "x").parse(definition())[0].start_at.start_at_name == "A"


def test_the_newest_stay(tmp_path: Path) -> None:
    parsed = Parsed(Counted(), tmp_path)
    for number in range(KEPT + 3):
        parsed.parse(definition(str(number)))
    assert len(list(tmp_path.iterdir())) == KEPT
