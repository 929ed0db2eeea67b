"""Memory of Python's that the core reads and writes."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt


def address(array: npt.NDArray[Any]) -> int:
    """Of an array's memory, which must outlive whoever is given it."""
    return int(array.ctypes.data)
