"""A run of this machine that was killed in the middle."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from breakeven.results import layout
from breakeven.results.items import case_item
from breakeven.steps.services import Services
from breakeven.workload.read import parse_suite, parse_yaml
from local.stored.settled_cases import SettledCases
from tests.support.aws.moto_results import installed
from tests.support.workflow.settled_run import RUN_ID, SUITE, keep, plan, settle


@pytest.fixture
def services(monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    with installed(monkeypatch) as found:
        yield found


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    return tmp_path / "runs"


@pytest.fixture
def cases(services: Services) -> list[str]:
    """Ids of a run's cases; none has begun."""
    suite = parse_suite(parse_yaml(SUITE.encode(), "test"), "test").document()
    return plan(services, RUN_ID, suite=suite)


@pytest.fixture
def killed(services: Services, cases: list[str], runs: Path) -> list[str]:
    """The cases of a run that was killed when one was ok, one had failed, and one was under way."""
    settled = SettledCases(services.store, RUN_ID, runs)
    keep(services, settled)
    settle(services, cases[0])
    keep(services, settled)
    settle(services, cases[1], "no")
    keep(services, settled)
    services.store.put_bytes(layout.row_key("windows", RUN_ID, cases[2]), b"of a case that is not settled")
    services.state(RUN_ID).update(case_item(cases[2]), status="running", attempt=1)
    keep(services, settled)
    settled.close()
    return cases
