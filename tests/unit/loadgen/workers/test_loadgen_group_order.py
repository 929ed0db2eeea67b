"""Whether groups kept their order is judged over all consumers of a loader, by the clock that they share."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from breakeven.loadgen.ledger.group_order import GroupOrder
from breakeven.loadgen.ledger.ledger import Receipts

Taken = tuple[int, int, int]  # producer, sequence, in_hand_ns


def took(order: GroupOrder, *taken: Taken, new: Sequence[bool] = (), again: Sequence[bool] = ()) -> None:
    producer, sequence, in_hand_ns = zip(*taken, strict=True)
    everyone = [True] * len(taken)
    receipts = Receipts(everyone, producer, sequence, new or everyone)
    order.took(receipts, again or [False] * len(taken), in_hand_ns)


def test_nothing_taken_is_nothing_out_of_order() -> None:
    assert GroupOrder().out_of_order() == 0


def test_two_consumers_that_take_turns_keep_the_order_whoever_tells_first() -> None:
    order = GroupOrder()
    took(order, (0, 1, 20), (0, 3, 40))
    took(order, (0, 0, 10), (0, 2, 30))
    assert order.out_of_order() == 0


def test_a_message_in_hand_after_a_later_one_of_another_consumer_is_out_of_order() -> None:
    order = GroupOrder()
    took(order, (0, 1, 10), (0, 2, 30))
    took(order, (0, 0, 20))
    assert order.out_of_order() == 1


def test_groups_have_nothing_to_do_with_one_another() -> None:
    order = GroupOrder()
    took(order, (0, 5, 10), (1, 0, 20), (0, 6, 30), (2, 0, 40), (1, 1, 50))
    assert order.out_of_order() == 0


def test_messages_of_one_answer_are_in_the_answers_order() -> None:
    order = GroupOrder()
    took(order, (0, 0, 10), (0, 1, 10), (1, 0, 10), (0, 2, 10))
    assert order.out_of_order() == 0
    took(order, (0, 4, 20), (0, 3, 20))
    assert order.out_of_order() == 1


def test_copies_and_what_came_back_have_no_place_in_the_order() -> None:
    order = GroupOrder()
    took(order, (0, 2, 10), (0, 1, 20), (0, 0, 30), new=[True, False, True], again=[False, False, True])
    assert order.out_of_order() == 0


@pytest.mark.parametrize("seed", range(5))
def test_as_a_loop_over_all_messages_by_time_counts(seed: int) -> None:
    dice = np.random.default_rng(seed)
    taken = [(int(dice.integers(3)), int(dice.integers(50)), at) for at in range(200)]
    order = GroupOrder()
    for consumer in range(4):
        took(order, *taken[consumer::4])
    highest, late = dict[int, int](), 0
    for producer, sequence, _ in taken:
        late += sequence < highest.get(producer, -1)
        highest[producer] = max(sequence, highest.get(producer, -1))
    assert order.out_of_order() == late > 0
