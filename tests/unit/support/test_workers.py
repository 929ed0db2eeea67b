"""Which files of tests one worker runs."""

from __future__ import annotations

from pathlib import Path

from tests.support.workers import OF_FILE, SHARING

ROOT = Path(__file__).parents[3]


def test_every_file_is_there_once():
    named = [file for files in SHARING.values() for file in files]
    assert [file for file in named if not (ROOT / file).is_file()] == []
    assert len(OF_FILE) == len(named)
