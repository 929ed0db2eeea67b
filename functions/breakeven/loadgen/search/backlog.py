"""Does a backlog grow? (Rule 10 of the design.)"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

#: samples are averaged in so many blocks: neighbours are alike, and would make the bound too narrow
BLOCKS = 20
#: the 0.95 quantile of Student's t with BLOCKS - 2 degrees of freedom
T_95 = 1.734


@dataclass(frozen=True, slots=True)
class Slope:
    """Messages a second by which a backlog grew: the estimate, and its upper 95% bound (one-sided)."""

    estimate: float
    high: float


def slope(samples: Sequence[tuple[float, int]]) -> Slope | None:
    """By least squares through the means of blocks of samples (seconds, messages), taken evenly in time.

    None where there are fewer samples than blocks.
    """
    if len(samples) < BLOCKS:
        return None
    blocks = [np.mean(block, axis=0) for block in np.array_split(np.array(samples, dtype=np.float64), BLOCKS)]
    seconds, messages = np.stack(blocks, axis=1)
    spread = seconds - seconds.mean()
    squares = float(spread @ spread)
    estimate = float(spread @ (messages - messages.mean())) / squares
    residuals = messages - messages.mean() - estimate * spread
    error = sqrt(float(residuals @ residuals) / (BLOCKS - 2) / squares)
    return Slope(estimate, estimate + T_95 * error)
