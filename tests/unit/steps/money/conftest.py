"""The services of a run on AWS that is priced by the shipped price book."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from breakeven.pricing.prices.book_files import load_book
from breakeven.pricing.prices.refresh import Refreshed
from breakeven.steps.run import plan_run as planning
from breakeven.steps.services import Services
from tests.support.aws.moto_results import installed
from tests.support.money.ended_runs import REGION


@pytest.fixture
def services(monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    monkeypatch.setattr(planning, "prices_of", lambda *_: Refreshed(load_book(REGION), ()))
    with installed(monkeypatch) as services:
        yield services
