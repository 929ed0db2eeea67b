"""Releases of RabbitMQ that a target is refused on, whoever started the brokers."""

from __future__ import annotations

import pytest

from breakeven.errors import CaseError
from breakeven.targets.catalog import clusters
from breakeven.targets.rabbitmq.rabbitmq_releases import check_release, missing_in

PAIR, TRIO = "rabbitmq-mirrored-pair", "rabbitmq-quorum-trio"


@pytest.mark.parametrize("target", clusters())
@pytest.mark.parametrize("release", ["3.6.16", "3.9.29"])
def test_a_release_that_is_too_old_is_refused_by_name(target: str, release: str) -> None:
    with pytest.raises(CaseError, match=f"{target}: RabbitMQ {release} is too old: run it on 3.10 or newer"):
        check_release(target, release)


@pytest.mark.parametrize("release", ["3.10.0", "3.13.7", "4.0.5", "4.3.6", "10.1.0"])
def test_every_release_since_has_quorum_queues(release: str) -> None:
    assert missing_in(TRIO, release) is None


def test_mirrored_queues_are_in_no_release_from_four_on() -> None:
    assert missing_in(PAIR, "3.13.7") is None
    assert "has no mirrored queues, which left it in 4.0" in (missing_in(PAIR, "4.0.0") or "")
