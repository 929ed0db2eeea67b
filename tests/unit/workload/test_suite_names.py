"""A suite by its name, whatever else is called so."""

from __future__ import annotations

from breakeven.workload.read import load_suite


def test_a_folder_of_a_suites_name_does_not_hide_the_suite(tmp_path, monkeypatch):
    (tmp_path / "quick").mkdir()
    monkeypatch.chdir(tmp_path)
    assert load_suite("quick").suite == "quick"
