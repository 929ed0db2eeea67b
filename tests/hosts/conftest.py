"""The template that the hosts' network is made from."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.aws.stacks import of


@pytest.fixture(scope="session")
def template() -> dict[str, Any]:
    """With no context at all."""
    return of({}).template
