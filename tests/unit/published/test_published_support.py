"""What support a release has on a day."""

from __future__ import annotations

from datetime import date

import pytest

from breakeven.published.support import DEBIANS, MAKERS, support_of

PAIRS, TRIOS = "RabbitMQ 3.10.8, Erlang 25.2.3", "RabbitMQ 4.0.5, Erlang 27.3.4"


@pytest.mark.parametrize(
    ("server", "on", "words"),
    [
        (PAIRS, "2023-07-31", "supported by its makers until 2023-07-31, by Debian 12 until 2026-07-11"),
        (
            PAIRS,
            "2026-11-23",
            "not supported by its makers since 2023-07-31, in Debian 12's long-term support until 2028-06-30",
        ),
        (
            PAIRS,
            "2028-07-01",
            "not supported by its makers since 2023-07-31, not by Debian 12 since 2028-06-30",
        ),
        (
            TRIOS,
            "2026-11-23",
            "not supported by its makers since 2025-04-15, by Debian 13 until 2028-08-09",
        ),
        ("RabbitMQ 4.0.9", "2025-04-15", "supported by its makers until 2025-04-15"),
        ("RabbitMQ 4.3.6, Erlang 29.1", "2026-11-23", "supported by its makers"),
        ("RabbitMQ 5.0.0", "2026-11-23", "whether its makers support it is not known"),
        ("ElasticMQ 1.7.1", "2026-11-23", ""),
    ],
)
def test_the_support_of_a_release_follows_from_the_day(server, on, words):
    assert support_of(server, date.fromisoformat(on)) == words


def test_only_the_newest_series_has_no_last_day():
    assert [series for series, until in MAKERS.items() if until is None] == [list(MAKERS)[-1]]


def test_a_debians_long_term_support_follows_its_security_support():
    assert all(debian.security < debian.long_term for debian in DEBIANS.values())
