"""Targets on what really runs here: the tests' own pair of brokers, and the server that stands for SQS."""

from __future__ import annotations

import pytest

from breakeven.brokers.access import Access
from breakeven.targets.target import Target, open_target
from breakeven.terms import TargetName


def opened(request: pytest.FixtureRequest, name: TargetName) -> Target:
    """Started when a test asks for it the first time, and made ready for cases."""
    access: Access | None = None
    if name == "rabbitmq-mirrored-pair":
        access = request.getfixturevalue("rabbitmq_pair")
    else:
        request.getfixturevalue("sqs_environment")
    target = open_target(name, access)
    target.establish()
    return target
