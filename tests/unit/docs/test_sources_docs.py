"""docs/sources.md: each row of the sources has an entry, and each entry names what is there."""

import re
from pathlib import Path

import pytest

from breakeven.published.rows import SOURCES, load_shipped
from breakeven.workload.read import load_suite, scenarios

ROOT = Path(__file__).parents[3]
ROWS = (Path(__file__).parent / "source_rows.txt").read_text().split()
ENTRIES = dict(
    re.findall(
        r"^\| ([A-E]\.[a-z-]+) \| .+ \| (.+) \|$", (ROOT / "docs" / "sources.md").read_text(), re.MULTILINE
    )
)
#: how an entry says what became of a row
KINDS = ("scenario", "spec file", "published", "refused: ", "every run: ")
NAMED = re.compile(r"`([A-Za-z0-9-]+\.[a-z0-9-]+)`")


def named(entry, kind):
    """What stands behind a kind: one name, or several with commas between them."""
    found = re.search(rf"{kind}s? ((?:`[^`]+`(?:, )?)+)", entry)
    return NAMED.findall(found[1]) if found else []


def test_each_row_has_an_entry_and_no_entry_is_of_another():
    assert list(ENTRIES) == ROWS
    assert len(set(ROWS)) == len(ROWS)
    assert {row[0] for row in ROWS} == set(SOURCES)


@pytest.mark.parametrize("row", ROWS)
def test_an_entry_says_what_became_of_the_row(row):
    assert ENTRIES[row].startswith(KINDS)


@pytest.mark.parametrize("row", ROWS)
def test_an_entry_names_what_is_there(row):
    entry = ENTRIES[row]
    for suite, scenario in (name.split(".") for name in named(entry, "scenario")):
        assert scenario in load_suite(suite).scenarios
    for name in named(entry, "spec file"):
        assert (scenarios() / "perftest" / name).is_file()
    for letter, name in (name.split(".") for name in named(entry, "published")):
        published = load_shipped(SOURCES[letter])
        assert letter == row[0]
        assert name in {each.scenario for each in published.rows} or (
            name == "breakeven" and published.breakeven
        )
    assert "scenario" not in entry or named(entry, "scenario")


def test_an_entry_is_checked_by_what_it_names():
    assert named("scenarios `a.b`, `c.d`; published `A.x`", "scenario") == ["a.b", "c.d"]
    assert named("scenarios `a.b`, `c.d`; published `A.x`", "published") == ["A.x"]
    assert named("spec file `mixed.js`", "spec file") == ["mixed.js"]
    assert named("refused: the suite `cluster-sizing`", "scenario") == []
