"""Imports run down only: the contracts of pyproject.toml hold, and each fails where it is broken."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
FOLDERS = {"breakeven": "functions", "handlers": "functions", "infra": ".", "local": ".", "cli": "."}


def lint(root: Path) -> tuple[int, str]:
    """The exit code, and what was printed, of the contracts held against the code below that folder."""
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=root,
        env={**os.environ, "PYTHONPATH": f"{root}{os.pathsep}{root / 'functions'}", "COLUMNS": "200"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The code alone, which the tests may break."""
    root = tmp_path_factory.mktemp("layers")
    shutil.copy(ROOT / "pyproject.toml", root)
    for name, folder in FOLDERS.items():
        only_code = shutil.ignore_patterns("__pycache__", "*.so", "*.json", "*.html")
        shutil.copytree(ROOT / folder / name, root / folder / name, ignore=only_code)
    return root


def test_the_page_on_the_architecture_has_the_packages_of_the_contract_in_its_order() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = next(each["layers"] for each in contracts if each["id"] == "rooms")
    rooms = [
        name.strip().removeprefix("breakeven.") for layer in reversed(layers[1:]) for name in layer.split("|")
    ]
    table = (ROOT / "docs" / "architecture.md").read_text().split("| package | what is there |")[1]
    named = [
        name
        for line in table.splitlines()
        for name in re.findall(r"`([a-z_.]+)`", line.split("|")[1:2][0] if "|" in line else "")
    ]
    assert [name for name in named if "." not in name] == rooms


def test_imports_run_down_only() -> None:
    code, said = lint(ROOT)
    assert code == 0, said


@pytest.mark.parametrize(
    ("module", "imported", "contract"),
    [
        (
            "functions/breakeven/loadgen/ledger/ledger.py",
            "breakeven.report.contract.report_model",
            "Rooms of the domain",
        ),
        ("functions/breakeven/targets/catalog.py", "breakeven.workload.case", "What is known of targets"),
        ("local/session.py", "cli.main", "the command knows the run"),
        ("local/session.py", "infra.context.settings", "The CDK app takes names"),
        ("functions/breakeven/steps/case/settle_case.py", "local.session", "What is deployed"),
        ("infra/stack.py", "handlers.run.plan_run", "Handlers are found by the names"),
        ("infra/stack.py", "breakeven.report.render.page", "The CDK app takes no measuring"),
        ("functions/breakeven/loadgen/record/histogram.py", "breakeven.loadgen.loader", "No cycles"),
    ],
)
def test_a_contract_fails_where_it_is_broken(copy: Path, module: str, imported: str, contract: str) -> None:
    path = copy / module
    before = path.read_text()
    path.write_text(before.replace("from __future__ import annotations\n", f"import {imported}\n", 1))
    try:
        code, said = lint(copy)
    finally:
        path.write_text(before)
    broken = [line for line in said.splitlines() if " BROKEN" in line]
    assert code == 1, said
    assert any(contract in line for line in broken), said
