"""What all tests of commands have."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

from cli.running.run_command import ENDING


@pytest.fixture(autouse=True)
def signals_of_a_terminal() -> Iterator[None]:
    """They end a program: who starts the tests with ``nohup``, or behind a shell, has them ignored."""
    before = {number: signal.getsignal(number) for number in ENDING}
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)
