"""A run's questions of money, asked again once its lanes have ended: with what it measured."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from statistics import fmean
from typing import Any

from pydantic import TypeAdapter, ValidationError

from breakeven import words
from breakeven.loadgen.case_figures import ProbeReport
from breakeven.loadgen.search.probe import bound, confirmed_s, held_rate
from breakeven.pricing.bill.questions import price_books
from breakeven.pricing.bill.run_capacities import Capacities, RunCapacity
from breakeven.pricing.prices.book import PriceBook
from breakeven.report.money.capacity_interval import interval_of
from breakeven.results import layout
from breakeven.results.items import RUN, lane_item
from breakeven.results.store import Store
from breakeven.steps.run.costs import ask_about
from breakeven.steps.run.measured_batches import measured_batches
from breakeven.steps.run.plan_run import usual_message_bytes
from breakeven.steps.run.resume_run import QUESTIONS
from breakeven.steps.services import Services
from breakeven.targets.catalog import record_of
from breakeven.workload.case import Case

#: a cell's of earlier runs that are kept, the latest of each: far more than there are sizes and releases
KEPT = 500
ROWS = TypeAdapter(tuple[RunCapacity, ...])


@dataclass(frozen=True, slots=True)
class Search:
    """A case that searched for a capacity to its end, as its rows have it."""

    case: Case
    probes: tuple[ProbeReport, ...]
    saturated: bool

    @property
    def held_rate(self) -> float | None:
        return held_rate(self.probes)

    @property
    def confirmed_s(self) -> float | None:
        return confirmed_s(self.probes)

    @property
    def is_lower_bound(self) -> bool:
        return self.saturated or bound(self.probes) is None


def price_run(services: Services, run_id: str) -> None:
    """Ask the run's questions with the capacities that it measured, which are kept for later runs, and with
    how full its calls of SQS in batches were.

    What the plan asked stands where this fails, and on one machine, whose capacity is no EC2 instance's and
    whose SQS is an emulator (rule 11 of docs/rules.md): there nothing is asked again. Twice, it does the same
    again.
    """
    plan = services.store.get_json(layout.plan_key(run_id))
    if plan["input"]["surroundings"]["name"] != "aws":
        return
    cases = [Case.model_validate(case) for case in plan["plan"]["cases"]]
    capacities = _capacities(services, run_id, cases)
    book = PriceBook.model_validate(services.store.get_json(layout.price_book_key(run_id)))
    batches = measured_batches(services.store, run_id, cases)
    asked = ask_about(cases, usual_message_bytes(cases), book, capacities, batches)
    for table, rows in asked.rows().items():
        services.store.put_rows(table, run_id, QUESTIONS, rows)
    plan |= {"cost": asked.to_json(), "price_books": price_books(asked.questions)}
    services.store.put_json(layout.plan_key(run_id), plan)
    _keep(services.store, capacities)


def _capacities(services: Services, run_id: str, cases: Sequence[Case]) -> Capacities:
    state = services.state(run_id)
    targets = dict.fromkeys(case.target for case in cases if record_of(case.target).has_brokers)
    servers = {target: state.get(lane_item(target)).get("server") for target in targets}
    began = str(state.get(RUN).get("started_at", ""))[:10]
    today = date.fromisoformat(began) if began else datetime.now(UTC).date()
    cells: dict[tuple[str, str, str], list[Search]] = {}
    for search in filter(None, (_search(services.store, run_id, case) for case in cases)):
        of = search.case
        cells.setdefault((of.scenario, of.cell, of.target), []).append(search)
    own = [_of_cell(repeats, run_id, today, servers) for repeats in cells.values()]
    stored = [one for one in kept_capacities(services.store) if one.run_id != run_id]
    releases = {target.kind: str(server) for target, server in servers.items() if server}
    return Capacities(today, tuple(own), tuple(stored), releases)


def _search(store: Store, run_id: str, case: Case) -> Search | None:
    """None: the case searched for no capacity, held no rate, failed, or gave weaker guarantees.

    Guarantees are equal by rule 8 of docs/rules.md.
    """
    workload = case.workload
    if workload.mode != "capacity" or not record_of(case.target).has_brokers or not case.machines:
        return None
    if not (workload.confirms and workload.persistent):
        return None
    rows = store.rows("cases", run_id, case.case_id)
    if not rows or rows[0]["status"] != "ok":
        return None
    probes = tuple(
        ProbeReport.model_validate({name: row[name] for name in ProbeReport.model_fields})
        for row in store.rows("probes", run_id, case.case_id)
    )
    found = Search(case, probes, saturated="loader_saturated" in json.loads(rows[0]["flags"]))
    return found if found.held_rate else None


def _of_cell(repeats: Sequence[Search], run_id: str, today: date, servers: Mapping[Any, Any]) -> RunCapacity:
    first, workload = repeats[0].case, repeats[0].case.workload
    deployment = record_of(first.target).deployment
    assert deployment
    assert first.machines
    interval = interval_of(repeats)
    return RunCapacity(
        target=first.target.kind,
        deployment=deployment,
        cluster_nodes=first.machines.nodes,
        group_size=workload.group_size,
        instance=first.machines.instance_type,
        release=servers.get(first.target),
        message_bytes=workload.message_bytes,
        nodes_down=workload.nodes_down,
        objective_ms=workload.objective_ms,
        msg_per_s=fmean(search.held_rate or 0.0 for search in repeats),
        low_msg_per_s=interval.low,
        high_msg_per_s=interval.high,
        repeats=len(repeats),
        confirmed_s=_least_confirmed(repeats),
        cell=words.place(first.scenario, first.cell),
        run_id=run_id,
        date=today.isoformat(),
    )


def _least_confirmed(repeats: Sequence[Search]) -> float | None:
    """None where a repeat's was not."""
    known = [search.confirmed_s for search in repeats if search.confirmed_s is not None]
    return min(known) if len(known) == len(repeats) else None


def kept_capacities(store: Store) -> tuple[RunCapacity, ...]:
    """What earlier runs found; none where the document is damaged, of which nothing depends."""
    body = store.find_bytes(layout.capacities_key())
    try:
        return ROWS.validate_json(body) if body else ()
    except ValidationError:
        return ()


def _keep(store: Store, capacities: Capacities) -> None:
    """Those of this run in the place of earlier ones of the same; the run has the lock meanwhile."""
    known = {one.same: one for one in (*capacities.stored, *capacities.own)}
    latest = sorted(known.values(), key=lambda one: one.date)[-KEPT:]
    if capacities.own:
        store.put_bytes(layout.capacities_key(), ROWS.dump_json(tuple(latest)), "application/json")
