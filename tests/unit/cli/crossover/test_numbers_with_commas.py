"""Commas in numbers: between thousands, and nowhere else."""

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
        ("--rate", "1,0", "must be a number"),
        ("--capacity", "20,00", "must be a number"),
    ],
)
def test_one_that_is_somewhere_else_is_refused(capsys, option, text, remedy):
    assert main(["crossover", option, text]) == BAD_INPUT
    assert f"{option}: '{text}': {remedy}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("option", "with_commas", "without"),
    [
        ("--rate", "1,000", "1000"),
        ("--capacity", "20,000", "20000"),
        ("--existing-requests", "5,000,000", "5000000"),
        ("--migration-hours", "1,500.5", "1500.5"),
        ("--volume-gb", "1,000", "1000"),
        ("--per-month", "3,000,000", "3000000"),
        ("--sqs-bill", "4,000", "4000"),
    ],
)
def test_thousands_may_be_parted_wherever_a_number_is_taken(capsys, option, with_commas, without):
    said = []
    for text in (with_commas, without):
        assert main(["crossover", "--amazon-mq", "none", "--json", option, text]) == 0
        said.append(capsys.readouterr().out)
    assert said[0] == said[1]


@pytest.mark.parametrize(("text", "whole"), [("1.5", "2"), ("3,000,000.4", "3000000")])
def test_a_part_of_a_message_a_month_is_refused(capsys, text, whole):
    assert main(["crossover", "--per-month", text]) == BAD_INPUT
    assert f"--per-month: '{text}': there are whole messages only; give {whole}" in capsys.readouterr().err
