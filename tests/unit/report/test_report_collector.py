"""A large report is made without the garbage collector, which is as it was afterwards."""

from __future__ import annotations

import gc

import pytest

from breakeven.report.collector import without_collector


def test_it_is_off_inside_and_on_again_after_an_error() -> None:
    assert gc.isenabled()
    with pytest.raises(ZeroDivisionError), without_collector():
        1 // int(gc.isenabled())
    assert gc.isenabled()


def test_where_it_was_off_it_stays_off() -> None:
    gc.disable()
    try:
        with without_collector():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_a_function_is_called_without_it_each_time() -> None:
    asked = without_collector()(gc.isenabled)
    assert (asked(), asked(), gc.isenabled()) == (False, False, True)
