"""Bills at a few volumes of a month and sizes of messages, for a reader who has no controls to set."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace

from breakeven.errors import InputError
from breakeven.pricing.bill.inputs import Inputs
from breakeven.pricing.bill.questions import Question, question

#: messages a month
VOLUMES = (3e6, 30e6, 300e6, 3e9, 30e9)
#: bytes of a message, beside the question's own
SIZES = (1024, 40 * 1024)
#: what holds for messages no larger than those that it was measured with
CAPACITIES = (
    *("capacity_msg_per_s", "capacity_low_msg_per_s", "capacity_high_msg_per_s", "capacity_nodes_down"),
    *("amazon_mq_capacity_msg_per_s", "amazon_mq_low_msg_per_s", "amazon_mq_high_msg_per_s"),
)


def by_volume(base: Question, known: Callable[[Inputs], Inputs] = lambda inputs: inputs) -> list[Question]:
    """The question at each volume, with messages of each size, as the page's controls would ask it.

    :param known: what prices a question with the capacity that was measured of its clusters
    """
    return [
        replace(
            question(f"{base.question_id}.volume-{volume:.0f}.{inputs.message_bytes}B", asked, base.book),
            purpose="volume",
            base_id=base.question_id,
            varied="volume",
        )
        for inputs in _of_sizes(base.inputs, known)
        for volume in VOLUMES
        for asked in [inputs.but(msg_per_s=volume / inputs.seconds_per_month)]
    ]


def _of_sizes(inputs: Inputs, known: Callable[[Inputs], Inputs]) -> Iterator[Inputs]:
    """The inputs with messages of each size; one that a call of theirs cannot carry is left out."""
    for size in sorted({inputs.message_bytes, *SIZES}):
        with suppress(InputError):
            if size <= inputs.message_bytes:
                yield inputs.but(message_bytes=size)
            else:
                yield known(inputs.but(message_bytes=size, **dict.fromkeys(CAPACITIES)))
