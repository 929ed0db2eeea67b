"""A view of a run that shows it on the live page, too: what the terminal's view is given, as a document."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from breakeven import words
from breakeven.workload.case import Case
from cli.running.live.live_server import LiveServer
from cli.running.live.settled_figures import settled_figures
from cli.running.progress import Snapshot, TerminalView, snapshot

#: what was said last, and moments of the chart (one each two seconds) that are kept
LINES, MOMENTS = 8, 900


class LivePageView:
    """Passes everything on to the terminal's view."""

    def __init__(
        self, terminal: TerminalView, server: LiveServer, cases: Sequence[Case], folder: Path
    ) -> None:
        """:param folder: of the run, where settled cases are"""
        self._terminal, self._server, self._cases, self._folder = terminal, server, cases, folder
        self._began_s = time.monotonic()
        self._lines: deque[str] = deque(maxlen=LINES)
        self._moments: deque[dict[str, Any]] = deque(maxlen=MOMENTS)
        self._figures: dict[str, dict[str, Any]] = {}
        self._now = snapshot({}, cases)
        self._publish()

    def say(self, text: str) -> None:
        self._terminal.say(text)
        self._lines.append(text)
        self._publish()

    def show(self, now: Snapshot) -> None:
        self._terminal.show(now)
        self._now = now
        running = now.running
        self._moments.append(
            {
                "at_s": round(time.monotonic() - self._began_s, 1),
                "case": running.case_id if running else None,
                "sent_per_s": running.produce_per_s if running else None,
                "received_per_s": running.consume_per_s if running else None,
            }
        )
        for case_id in now.ended.keys() - self._figures.keys():
            self._figures[case_id] = settled_figures(self._folder, case_id)
        self._publish()

    def end(self, outcome: str) -> None:
        """Tell pages how the run ended, and where its report is."""
        folder = self._folder / "report"
        report = folder if outcome != "interrupted" and (folder / "index.html").exists() else None
        self._server.end(self._document(outcome), report)

    def close(self) -> None:
        self._terminal.close()

    def _publish(self) -> None:
        self._server.show(self._document("running"))

    def _document(self, outcome: str) -> dict[str, Any]:
        """What ``web/src/live.ts`` reads; rates in messages a second, times in seconds."""
        now = self._now
        return {
            "outcome": outcome,
            "folder": str(self._folder),
            "elapsed_s": round(time.monotonic() - self._began_s),
            "left_s": round(now.seconds_left),
            "lines": list(self._lines),
            "lanes": {words.target_name(target): status for target, status in sorted(now.lanes.items())},
            "stage": now.running.stage if now.running else None,
            "cases": [self._case(case) for case in self._cases],
            "moments": list(self._moments),
            "report": None,
        }

    def _case(self, case: Case) -> dict[str, Any]:
        running = self._now.running
        under_way = running is not None and running.case_id == case.case_id
        status, reason = self._now.ended.get(case.case_id, ("running" if under_way else "to come", None))
        figures = self._figures.get(case.case_id, {})
        emulated = figures.get("emulated") or case.target in self._now.emulated
        provenance = "emulated" if emulated else "measured"
        return {
            "id": case.case_id,
            "proves": case.case_id in self._now.proving,
            "name": words.case_name(case),
            "target": words.labelled_target(case.target, provenance),
            "status": status,
            "reason": reason,
            "rates": figures.get("rates", {}),
            "latencies": figures.get("latencies", {}),
        }
