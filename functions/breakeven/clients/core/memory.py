"""Memory of Python's that the core reads and writes."""

from __future__ import annotations

from ctypes import c_uint8
from typing import Any

import numpy as np
import numpy.typing as npt

Int64s = npt.NDArray[np.int64]


def address(array: npt.NDArray[Any]) -> int:
    """Of an array's memory, which must outlive whoever is given it."""
    return int(array.ctypes.data)


def characters(into: Any, text: bytes) -> None:
    """Put text into an array of a struct."""
    for at, character in enumerate(text):
        into[at] = c_uint8(character).value
