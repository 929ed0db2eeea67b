"""Commas in the traffic that is asked for: between thousands, and nowhere else."""

from __future__ import annotations

import pytest

from cli.exit_codes import BAD_INPUT
from cli.main import main


@pytest.mark.parametrize(
    ("option", "text", "remedy"),
    [
        ("--per-month", "3,5", "give messages a month, 0 to"),
        ("--per-month", "3,00,000", "give messages a month, 0 to"),
        ("--sqs-bill", "4,5", "give US dollars a month above 0"),
    ],
)
def test_one_that_is_somewhere_else_is_refused(capsys, option, text, remedy):
    assert main(["crossover", option, text]) == BAD_INPUT
    assert f"{option}: '{text}': {remedy}" in capsys.readouterr().err
