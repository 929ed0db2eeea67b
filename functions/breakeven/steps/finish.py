"""The end of a run: its record."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from breakeven.results.items import RUN
from breakeven.steps.loader_advice import keep_advice
from breakeven.steps.look import note_good_run
from breakeven.steps.reasons import reason_of
from breakeven.steps.services import Services


def finish_run(services: Services, run_id: str, failed: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    """Record how the run ended: ``ok``, ``partial`` (a case failed) or ``failed`` (a state of the run did).

    Answers ``ok`` false only for the last, so that the execution is then seen as failed.
    """
    state = services.state(run_id)
    fields: dict[str, Any] = {"finished_at": datetime.now(UTC).isoformat(timespec="seconds")}
    if failed:
        where, reason = reason_of(failed)
        fields |= {"status": "failed", "failed_at": where, "reason": reason, "failed": dict(failed)}
    else:
        well = sum(1 for case in state.items("case#").values() if case.get("status") == "ok")
        fields["status"] = "ok" if well == state.get(RUN).get("cases") else "partial"
    state.update(RUN, **fields)
    if fields["status"] == "ok":
        note_good_run(services.table, run_id)
    keep_advice(services, run_id)
    return {"ok": not failed, "status": fields["status"]}
