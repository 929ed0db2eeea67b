"""How a message tells that it was received before: a system attribute that a receive has to ask for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

RECEIVE_COUNT = "ApproximateReceiveCount"


def is_redelivered(message: Mapping[str, Any]) -> bool:
    """Was it received before? Of an answer's message; one without the attribute was not."""
    return int(message.get("Attributes", {}).get(RECEIVE_COUNT, 1)) > 1
