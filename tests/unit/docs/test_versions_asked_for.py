"""What the documentation asks of a machine is what packages ask of it."""

from __future__ import annotations

import json
import re
import tomllib

import pytest

from tests.unit.docs.test_docs_files import ROOT

PAGES = ("README.md", "docs/aws.md")


@pytest.mark.parametrize("page", PAGES)
def test_the_version_of_node_is_that_of_the_packages(page):
    """Debian 12's own Node.js, 18.20, bundles the page, checks its types and synthesizes the stack."""
    packages = [json.loads((ROOT / folder / "package.json").read_text()) for folder in ("", "web")]
    said = re.findall(r"Node\.js (\d+) or newer", (ROOT / page).read_text(encoding="utf-8"))
    assert [package["engines"]["node"] for package in packages] == [f">={said[0]}"] * 2
    assert len(said) == len(re.findall(r"Node\.js \d", (ROOT / page).read_text(encoding="utf-8")))


@pytest.mark.parametrize("page", PAGES)
def test_the_version_of_python_is_that_of_the_project(page):
    asked = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"]
    said = re.findall(r"Python (3\.\d+)(?= |,)", (ROOT / page).read_text(encoding="utf-8"))
    assert f">={said[0]}" == asked
