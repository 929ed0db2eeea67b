"""The report of a run with many rows, whose charts another process helps to draw."""

from __future__ import annotations

import multiprocessing
import re
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from breakeven.report.charts import artist
from cli.main import main
from local.stored import answers
from tests.support.workflow.settled_run import RUN_ID, ended


def pictures(folder: Path) -> list[str]:
    return re.findall("<svg.*?</svg>", (folder / "report" / "index.html").read_text(), re.DOTALL)


@pytest.mark.usefixtures("killed")
def test_the_charts_of_a_run_with_many_rows_are_the_same(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ended(runs)
    folder = runs / RUN_ID
    assert main(["report", str(folder)]) == 0
    before = pictures(folder)
    (folder / "report" / "report.json").unlink()
    drawn, receive = list[artist.Answer](), artist._receive

    def noted(connection: Connection) -> artist.Answer:
        drawn.append(receive(connection))
        return drawn[-1]

    monkeypatch.setattr(artist, "_receive", noted)
    monkeypatch.setattr(answers, "MOST_IN_MEMORY", 0)
    assert main(["report", str(folder)]) == 0
    assert pictures(folder) == before
    assert drawn
    assert all(drawn)
    assert not multiprocessing.active_children()
