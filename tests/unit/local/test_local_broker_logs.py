"""A case that failed, or whose calls did, keeps its part of the brokers' log; the others keep none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from local.stored.broker_logs import MOST_LINES, broker_log, keep_broker_logs

STARTED, ENDED = "2026-11-20T15:30:10+00:00", "2026-11-20T15:30:20+00:00"


def line(second: int, said: str) -> str:
    return f"2026-11-20 15:30:{second:02}.500000+00:00 [info] <0.7.0> {said}\n"


def item(**changed: Any) -> dict[str, Any]:
    given = {"case_id": "c", "target": "pair", "status": "ok", "started_at": STARTED, "ended_at": ENDED}
    return {**given, "call_errors": False, **changed}


def kept(root: Path, *items: dict[str, Any], text: str) -> Path:
    log = root / "logs" / "pair" / "rabbit1@localhost.log"
    log.parent.mkdir(parents=True)
    log.write_text(text)
    state = {f"case#{each['case_id']}": each for each in items}
    keep_broker_logs(root / "logs", {"run": {"status": "ok"}, **state}, root / "run")
    return root / "run"


@pytest.mark.parametrize("erring", [{"status": "failed"}, {"call_errors": True}])
def test_what_the_broker_wrote_during_the_case_is_kept(tmp_path: Path, erring: dict[str, Any]) -> None:
    text = (
        line(1, "before") + line(12, "closing: password=hunter2") + "  a further line\n" + line(40, "after")
    )
    path = broker_log(kept(tmp_path, item(**erring), text=text), "c")
    assert path
    assert path.read_text() == (
        "== rabbit1@localhost\n"
        "2026-11-20 15:30:12.500000+00:00 [info] <0.7.0> closing: password=***\n"
        "  a further line\n"
    )


def test_a_case_without_errors_keeps_none(tmp_path: Path) -> None:
    folder = kept(
        tmp_path, item(), item(case_id="d", status="failed", started_at=None), text=line(12, "well")
    )
    assert not folder.exists()
    assert broker_log(folder, "c") is None


def test_no_more_than_the_last_lines_are_kept(tmp_path: Path) -> None:
    text = "".join(line(12, f"line {number}") for number in range(MOST_LINES + 50))
    path = broker_log(kept(tmp_path, item(status="failed", ended_at=None), text=text), "c")
    assert path
    lines = path.read_text().splitlines()
    assert len(lines) == MOST_LINES + 1
    assert lines[1].endswith("line 50")
