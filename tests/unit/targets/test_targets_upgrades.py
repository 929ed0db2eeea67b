"""Ways from one release of RabbitMQ to another, as upstream's table has them."""

from __future__ import annotations

from typing import get_args

import pytest

from breakeven.targets.rabbitmq.rabbitmq_upgrades import (
    FIRST_PATCHES,
    SERIES_OF,
    UPGRADES,
    known_series,
    stopover,
    way,
)
from breakeven.terms import Debian


@pytest.mark.parametrize(
    ("old", "new", "by"),
    [
        ("4.2", "4.3", ["4.3"]),
        ("4.0", "4.2", ["4.2"]),
        ("4.0", "4.3", ["4.2", "4.3"]),
        ("3.13", "4.3", ["4.2", "4.3"]),
        ("3.10", "4.3", ["3.11", "3.12", "3.13", "4.2", "4.3"]),
        ("3.7", "3.10", ["3.8", "3.9", "3.10"]),
        ("4.0", "4.0", None),
        ("3.10", "3.9", None),
        ("4.3", "4.2", None),
        ("4.0", "5.0", None),
    ],
)
def test_the_way_has_as_few_releases_as_upstream_allows(old, new, by):
    assert way(old, new) == by


def test_every_release_that_nodes_run_is_in_the_table():
    assert set(SERIES_OF) == set(get_args(Debian))
    assert set(SERIES_OF.values()) <= set(known_series())


def test_every_series_but_the_newest_leads_to_it():
    newest = known_series()[-1]
    assert [series for series in known_series() if way(series, newest) is None] == [newest]


def test_a_stopover_says_from_which_patch_it_leads_on():
    assert (stopover("3.11"), stopover("3.12")) == ("3.11 (3.11.18 or newer)", "3.12")
    assert FIRST_PATCHES.keys() <= UPGRADES.keys()
