"""The interpreter's garbage collector, which a large report is made without."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collector() -> Iterator[None]:
    """Leave garbage lying for as long as the block, or the function that this decorates, lasts.

    The collector walks all objects again each time that a quarter as many have been made: of the values of a
    report it finds none to free. It also walks what was made meanwhile once it is back, so what makes a
    report out of several of such blocks is one itself.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
