"""Stacks that several files of tests look at, each synthesized once a session."""

from __future__ import annotations

import pytest

from tests.infra.stacks import BESIDE, GROWN, Built, of


@pytest.fixture(scope="session")
def plain() -> Built:
    """No context at all."""
    return of({})


@pytest.fixture(scope="session")
def grown() -> Built:
    return of(GROWN)


@pytest.fixture(scope="session")
def beside() -> Built:
    return of(BESIDE)
