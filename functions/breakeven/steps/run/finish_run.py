"""The end of a run: its record, and when a run last went well."""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from breakeven.results.items import CASES, NO_CASE_OK, RUN
from breakeven.steps.reasons import MAX_REASON, reason_of
from breakeven.steps.run.suite_advice import keep_advice
from breakeven.steps.services import Services
from breakeven.targets.catalog import is_compared

#: the partition of what is known of the installation; no run's id begins like this
HEALTH, GOOD_RUN = "#health", "good_run"
DAY_S = 86_400.0


def finish_run(services: Services, run_id: str, failed: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    """Record how the run ended: ``ok``, ``partial`` (a case failed) or ``failed``.

    A run has failed where a state of it did, and where none of its cases is ok: it answers nothing, however
    well the instrument's own cases went. Answers ``ok`` false only for these, so that the execution is then
    seen as failed.
    """
    state = services.state(run_id)
    fields: dict[str, Any] = {"finished_at": datetime.now(UTC).isoformat(timespec="seconds")}
    if failed:
        where, reason = reason_of(failed)
        fields |= {"status": "failed", "failed_at": where, "reason": reason, "failed": dict(failed)}
    else:
        fields |= _outcome(list(state.items(CASES).values()), state.get(RUN).get("cases"))
    state.update(RUN, **fields)
    if fields["status"] == "ok":
        # kept for good, unlike what is known of a run
        services.state(HEALTH).update(GOOD_RUN, expires_at=None, at=round(time.time()), run_of=run_id)
    keep_advice(services, run_id)
    return {"ok": fields["status"] != "failed", "status": fields["status"]}


def days_since_good_run(services: Services) -> float:
    """Days since a run last went well; before there was any, since this was first asked."""
    health = services.state(HEALTH)
    item = health.get(GOOD_RUN) or health.update(GOOD_RUN, expires_at=None, at=round(time.time()))
    return float(max(0.0, (time.time() - item["at"]) / DAY_S))


def _outcome(cases: list[dict[str, Any]], planned: int | None) -> dict[str, str]:
    """The run's status, and why it failed where no case is ok; ``cases`` are those that have a record."""
    asked = [case for case in cases if is_compared(str(case.get("target")))]
    if not any(case.get("status") == "ok" for case in asked):
        return {"status": "failed", "failed_at": NO_CASE_OK, "reason": _why(asked)}
    well = sum(1 for case in cases if case.get("status") == "ok")
    return {"status": "ok" if well == planned else "partial"}


def _why(cases: list[dict[str, Any]]) -> str:
    said = next((f": {case['case_id']}: {case['reason']}" for case in cases if case.get("reason")), "")
    return f"no case of the run is ok{said}"[:MAX_REASON]
