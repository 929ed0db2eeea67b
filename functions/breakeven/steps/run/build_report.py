"""Write a run's report from what its queries answered."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any, Protocol

from breakeven.published.support import support_of
from breakeven.report.building.query_answers import Answers, RunRecord
from breakeven.report.building.report_builder import build_report
from breakeven.report.collector import without_collector
from breakeven.report.contract.node_model import SurveyedNode
from breakeven.report.contract.report_model import Manifest, Report
from breakeven.report.money.measured_capacity import INSTANCE
from breakeven.report.render.report_files import render_all
from breakeven.results import layout
from breakeven.results.items import RUN, lane_item
from breakeven.steps.lane.warm_up_record import WarmUp
from breakeven.steps.reasons import reason_of
from breakeven.steps.run.earlier_runs import keep_run, with_drift
from breakeven.steps.run.publish_report import content_type, publish
from breakeven.steps.run.read_metrics import READ_AT, UNANSWERED
from breakeven.steps.run.software import versions
from breakeven.steps.services import Services
from breakeven.targets.catalog import record_of
from breakeven.version import VERSION
from breakeven.workload.case import Case

Rows = Sequence[Mapping[str, Any]]
#: of a plan of an earlier version
NOT_ITS_OWN = (
    "Versions are those of the machine on which this report was made anew: the run kept none of its own."
)
SUBJECT_LIMIT = 100  # of SNS


class Records(Protocol):
    """The records of a run, by item."""

    def get(self, item: str) -> Mapping[str, Any]:
        """The item's fields; empty when there is none."""


@without_collector()
def report_run(
    services: Services,
    run_id: str,
    rows: Mapping[str, Rows],
    failed: Mapping[str, Mapping[str, str]],
    site: str | None = None,
    unread: Mapping[str, Mapping[str, str]] | None = None,
) -> dict[str, Any]:
    """Build, store and publish the report; answers what the notification says.

    :param rows: by query name
    :param unread: what the run did without, by the state that failed: metrics of services
    :param site: where published reports are served to readers without an account, if they are
    """
    plan = services.store.get_json(layout.plan_key(run_id))
    if unread:
        services.state(run_id).update(RUN, metrics_unread=reason_of(unread)[1])
    report = with_drift(services, plan, assemble(run_id, plan, services.state(run_id), rows, failed))
    files = render_all(report)
    for name, body in files.items():
        services.store.put_bytes(layout.report_key(run_id, name), body, content_type(name))
    keep_run(services, plan, report)
    failures = sum(1 for case in report.cases if case.status == "failed")
    publish(services.store, run_id, report.started_at, files, good=failures < len(report.cases))
    services.state(run_id).update(RUN, verdict=report.verdict, failed_cases=failures)
    message = _message(services, run_id, report, site)
    return {"subject": _subject(report.suite, len(report.cases), failures), "message": message}


def _subject(suite: str, cases: int, failures: int) -> str:
    """Of the mail: whether the run failed, as ``finish_run`` has it, and how many cases did."""
    failed = "FAILED, " if failures == cases else ""
    return f"Queue Breakeven {suite}: {failed}{cases - failures} of {cases} cases ok"[:SUBJECT_LIMIT]


def _message(services: Services, run_id: str, report: Report, site: str | None = None) -> str:
    """The answer, the drift, the rest of the verdict, where the report is, and the execution's address."""
    answer, *rest = report.verdict.split("\n\n")
    drift = [report.drift.summary] if report.drift else []
    page = layout.published_key(run_id, "index.html")
    address = f"Report: {f'{site}/{page}' if site else services.store.uri(page)}"
    lines = ["\n\n".join([answer, *drift, *rest, address])]
    execution = str(services.state(run_id).get(RUN).get("execution", ""))
    if execution.startswith("arn:"):
        region = execution.split(":")[3]
        place = f"https://{region}.console.aws.amazon.com/states/home?region={region}"
        lines.append(f"Console: {place}#/v2/executions/details/{execution}")
    return "\n".join(lines)


def assemble(
    run_id: str,
    plan: Mapping[str, Any],
    state: Records,
    rows: Mapping[str, Rows],
    failed: Mapping[str, Mapping[str, str]],
    *,
    ended: bool = True,
) -> Report:
    """The report of a run from its plan, its state and its queries' rows.

    :param ended: False: of what is settled so far
    """
    run, now = state.get(RUN), datetime.now(UTC).isoformat(timespec="seconds")
    surroundings = plan["input"]["surroundings"]
    record = RunRecord(
        run_id=run_id,
        suite=plan["suite"]["name"],
        title=plan["suite"]["title"],
        variant=plan["plan"]["variant"],
        started_at=run.get("started_at", ""),
        # by its record where that says so: a report may be made anew long after
        finished_at=str(run.get("finished_at", now)) if ended else "",
        made_at=now,
        environment=surroundings["name"],
        planned=tuple(Case.model_validate(case) for case in plan["plan"]["cases"]),
        ended=ended,
        surveys=tuple(_surveys(plan, state)),
        metrics_read_at=run.get(READ_AT),
        metrics_unread=run.get("metrics_unread") or run.get(UNANSWERED),
        settled_in=plan.get("resumed", {}).get("settled_in", {}),
    )
    answers = Answers(**rows, cost=plan["cost"])
    return build_report(record, _manifest(plan, state, failed), answers)


def _surveys(plan: Mapping[str, Any], state: Records) -> Iterator[SurveyedNode]:
    """What each lane's nodes registered with."""
    for target in dict.fromkeys(case["target"] for case in plan["plan"]["cases"]):
        for survey in json.loads(state.get(lane_item(target)).get("surveys", "[]")):
            yield SurveyedNode(target=target, **survey)


def _manifest(plan: Mapping[str, Any], state: Records, failed: Mapping[str, Mapping[str, str]]) -> Manifest:
    surroundings = plan["input"]["surroundings"]
    targets = dict.fromkeys(case["target"] for case in plan["plan"]["cases"])
    lanes = {target: state.get(lane_item(target)) for target in targets}
    day = _day(state.get(RUN))
    machines = {case["target"]: case.get("machines") for case in plan["plan"]["cases"]}
    notes = [
        *surroundings["notes"],
        *plan["plan"].get("machine_notes", []),
        *plan.get("price_notes", []),
        *plan.get("loader_warnings", []),
    ]
    if resumed := plan.get("resumed"):
        notes.append(_resumed(resumed))
    if failed:
        notes.append(f"The run did not go through: {reason_of(failed)[1]}")
    if "versions" not in plan:
        notes.append(NOT_ITS_OWN)
    return Manifest(
        project_version=plan.get("version", VERSION),
        scenario_sha256=plan["suite"]["sha256"],
        seed=plan["plan"]["seed"],
        rabbitmq=_server(lanes, "rabbitmq"),
        sqs=_server(lanes, "sqs"),
        versions=plan.get("versions") or versions(),
        hardware=surroundings["hardware"],
        price_books=plan["price_books"],
        notes=notes,
        loaders=plan["plan"].get("loader_notes", []),
        targets={
            target: _described(lane, day)
            | _instance(machines[target], lane, surroundings["name"])
            | (
                {"warm_up": WarmUp.model_validate_json(warm_up).words()}
                if (warm_up := lane.get("warm_up"))
                else {}
            )
            for target, lane in lanes.items()
        },
    )


def _resumed(resumed: Mapping[str, Any]) -> str:
    which = f"{resumed['settled']} of the {resumed['cases']} cases were settled there and not run again"
    return f"This run resumes run {resumed['run_id']}, which did not finish: {which}."


def _instance(
    machines: Mapping[str, Any] | None, lane: Mapping[str, Any], environment: str
) -> dict[str, str | int]:
    """What its nodes were launched as, and with what on them; on one machine they are no instances."""
    if not machines or environment != "aws":
        return {}
    packages = lane.get("packages", {})
    found = {
        INSTANCE: machines["instance_type"],
        "architecture": machines["architecture"],
        "vcpu": machines.get("vcpu"),
        "volume_gb": machines["volume_gb"],
        "volume_type": machines.get("volume_type"),
        "volume_iops": machines.get("volume_iops"),
        "zones": ", ".join(lane.get("zones", [])),
        "image": lane.get("image"),
        "packages": ", ".join(f"{name} {version}" for name, version in packages.items()),
    }
    return {name: value for name, value in found.items() if value}


def _day(run: Mapping[str, Any]) -> date:
    """On which the run started, by its record; where that does not say, today."""
    started = run.get("started_at")
    return datetime.fromisoformat(started).astimezone(UTC).date() if started else datetime.now(UTC).date()


def _described(lane: Mapping[str, Any], day: date) -> dict[str, Any]:
    """What its target said of itself, and who supported it on that day."""
    found = dict(lane.get("parameters", {}))
    if server := lane.get("server"):
        found |= {"server": server}
        if support := support_of(server, day):
            found |= {"support": support}
    return found


def _server(lanes: Mapping[str, Mapping[str, Any]], software: str) -> str | None:
    """The servers as their lanes described them, marked when they stand in for the service."""
    found = [
        f"{lane['server']}{' (emulated)' if lane.get('provenance') == 'emulated' else ''}"
        for target, lane in lanes.items()
        if record_of(target).software == software and "server" in lane
    ]
    return "; ".join(dict.fromkeys(found)) or None
