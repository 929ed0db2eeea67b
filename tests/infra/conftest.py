"""Stacks that several files of tests look at, each synthesized once a session."""

from __future__ import annotations

import pytest

from tests.support.aws.stacks import BESIDE, GROWN, Built, shared


@pytest.fixture(scope="session")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """No context at all."""
    return shared(tmp_path_factory, "plain", {})


@pytest.fixture(scope="session")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return shared(tmp_path_factory, "grown", GROWN)


@pytest.fixture(scope="session")
def beside(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return shared(tmp_path_factory, "beside", BESIDE)
