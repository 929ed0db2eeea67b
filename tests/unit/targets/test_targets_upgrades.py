"""Ways from one release of RabbitMQ to another, as upstream's table has them."""

from __future__ import annotations

from typing import get_args

import pytest

from breakeven.targets.rabbitmq_upgrades import SERIES_OF, known_series, way
from breakeven.terms import Debian


@pytest.mark.parametrize(
    ("old", "new", "by"),
    [
        ("4.2", "4.3", ["4.3"]),
        ("4.0", "4.2", ["4.2"]),
        ("4.0", "4.3", ["4.2", "4.3"]),
        ("3.13", "4.3", ["4.2", "4.3"]),
        ("3.10", "4.3", ["3.11", "3.12", "3.13", "4.2", "4.3"]),
        ("4.0", "4.0", None),
        ("4.3", "4.2", None),
        ("4.0", "5.0", None),
    ],
)
def test_the_way_has_as_few_releases_as_upstream_allows(old, new, by):
    assert way(old, new) == by


def test_every_release_that_nodes_run_is_in_the_table():
    assert set(SERIES_OF) == set(get_args(Debian))
    assert set(SERIES_OF.values()) <= set(known_series())
