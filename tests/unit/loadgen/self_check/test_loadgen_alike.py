"""Sentences that differ in nothing but their figures."""

from __future__ import annotations

import pytest

from breakeven.loadgen.self_check.alike import greatest, shape, together

FIRST, LATER = "2026-11-20T15:30:00.000+00:00", "2026-11-20T15:31:00.000+00:00"


@pytest.mark.parametrize(
    ("sentences", "said"),
    [
        (
            ["withheld 20.4%, and 2% is the limit", "withheld 3.9%, and 2% is the limit"],
            "withheld 3.9 to 20.4%",
        ),
        (["989 of the 1,000 due", "10,500 of the 11,000 due"], "989 to 10,500 of the 1,000 to 11,000 due"),
        (["withheld 3.9 to 5.0%", "withheld 4.1%", "withheld 6 to 7%"], "withheld 3.9 to 7%"),
        ([f"Throttled 1 ({FIRST})", f"Throttled 3 ({LATER})"], f"Throttled 1 to 3 ({FIRST} to {LATER})"),
        (["sent 900 to 640 msg/s"], "sent 900 to 640 msg/s"),
        (["sent 900 to 640 msg/s", "sent 900 to 640 msg/s"], "sent 900 to 640 msg/s"),
        (["the same in 2 cases", "the same in 2 cases"], "the same in 2 cases"),
    ],
)
def test_figures_that_differ_have_their_range(sentences: list[str], said: str) -> None:
    assert len({shape(sentence) for sentence in sentences}) == 1
    assert together(sentences).startswith(said)


@pytest.mark.parametrize(
    ("one", "another"),
    [
        ("q0 had 1 mirror", "q1 had 1 mirror"),
        ("probe-1 ended", "probe-2 ended"),
        ("p99 is missing", "p95 is missing"),
        ("RabbitMQ 3.10.8", "RabbitMQ 3.12.1"),
        ("1 call failed: slow down", "1 call failed: reset"),
    ],
)
def test_other_names_and_words_are_another_shape(one: str, another: str) -> None:
    assert shape(one) != shape(another)


def test_the_greatest_is_told_where_just_one_figure_differs() -> None:
    assert greatest(["withheld 3.9%", "withheld 20.4%", "withheld 5 to 6%"]) == 1
    assert greatest(["withheld 3.9%", "withheld 3.9%"]) is None
    assert greatest(["9 of 10", "8 of 11"]) is None
