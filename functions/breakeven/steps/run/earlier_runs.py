"""Earlier runs of a suite: an item of the state table for each, so that nobody lists the whole bucket."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError
from pydantic import ValidationError

from breakeven.report.contract.report_model import Report
from breakeven.report.drift.comparable_runs import SuiteRun, suite_run
from breakeven.report.drift.drift_builder import drift_since_last
from breakeven.results import layout
from breakeven.results.items import suite_runs
from breakeven.results.state import RunState
from breakeven.results.store import Store
from breakeven.steps.services import Services

#: what S3 answers of an object that is not there; the last, who may not list the bucket
GONE = {"NoSuchKey", "AccessDenied"}

REPORT = "report.json"


def with_drift(services: Services, plan: Mapping[str, Any], report: Report) -> Report:
    """The report with its drift since the last comparable run of its suite whose report can be read."""

    def read(run_id: str) -> Report | None:
        """A run has its report whatever becomes of another's."""
        try:
            return stored_report(services.store, run_id)
        except (BotoCoreError, ClientError):
            return None

    known = known_runs(services.state(suite_runs(report.suite)))
    return report.model_copy(update={"drift": drift_since_last(suite_run(plan, report), report, known, read)})


def keep_run(services: Services, plan: Mapping[str, Any], report: Report) -> None:
    """Let later runs find this one, whose report is stored by now. Twice, it does the same again."""
    keep(services.state(suite_runs(report.suite)), suite_run(plan, report))


def keep(state: RunState, run: SuiteRun) -> None:
    """:param state: the partition of its suite"""
    state.update(run.run_id, expires_at=None, **run.model_dump(mode="json", exclude={"run_id"}))


def known_runs(state: RunState) -> list[SuiteRun]:
    """The suite's runs; an item of another version is none.

    :param state: the partition of the suite
    """
    found = []
    for run_id, item in state.items().items():
        fields = {name: item[name] for name in SuiteRun.model_fields if name in item}
        try:
            found.append(SuiteRun.model_validate({**fields, "run_id": run_id}))
        except ValidationError:
            continue
    return found


def stored_report(store: Store, run_id: str) -> Report | None:
    """None where it was deleted, or is of a version that is no longer read.

    It is not listed first: that a run is known says that its report was there. Whoever may not list the
    bucket is refused what is missing, which is an error of the client like any other.
    """
    try:
        return Report.model_validate_json(store.get_bytes(layout.report_key(run_id, REPORT)))
    except ValidationError:
        return None
    except ClientError as error:
        if error.response["Error"]["Code"] not in GONE:
            raise
        return None
