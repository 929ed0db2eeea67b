"""A capacity that no cluster has is refused, before it is priced in millions of clusters."""

from __future__ import annotations

import pytest

from cli.main import main


@pytest.mark.parametrize("option", ["--capacity", "--amazon-mq-capacity"])
def test_below_a_message_a_second_it_is_refused(capsys: pytest.CaptureFixture[str], option: str) -> None:
    remedy = "give messages a second that one cluster carries, at least 1"
    for given in ("1e-09", "0.99"):
        assert main(["crossover", option, given]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        (line,) = err.splitlines()
        assert f"{option}: '{given}': {remedy}" in line


def test_one_message_a_second_is_priced(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["crossover", "--capacity", "1", "--amazon-mq-capacity", "1", "--rate", "1"]) == 0
    assert "is cheaper" in capsys.readouterr().out
