"""Conditions under which the terminal's prices stand: discounts, and what one cluster must carry."""

from __future__ import annotations

import pytest

from cli.main import main


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What is printed, as one line."""
    assert main(["crossover", *arguments]) == 0
    return " ".join(capsys.readouterr().out.split())


def test_prices_below_the_lists_are_named(capsys):
    assert "of the list price" not in answer(capsys)
    said = answer(capsys, "--sqs-discount", "10", "--amazon-mq-discount", "30")
    assert ", with SQS at 90% of the list price and Amazon MQ at 70% of the list price; " in said


def test_a_single_node_is_not_sized_for_one_that_is_down(capsys):
    assert "with one node down: a peak" in answer(capsys, "--deployment", "trio")
    said = answer(capsys, "--deployment", "single", "--amazon-mq", "none")
    assert "One cluster needs at least" in said
    assert "with one node down: a peak" not in said
