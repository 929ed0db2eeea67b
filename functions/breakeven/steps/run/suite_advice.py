"""Advice of a run for the next plan of its suite: which cases a loader limited, and which none did."""

from __future__ import annotations

from botocore.exceptions import BotoCoreError, ClientError

from breakeven.loadgen.case_figures import Limit
from breakeven.planning.loaders.advice import LoaderAdvice, Place, Seen, read_advice
from breakeven.results import layout
from breakeven.results.items import CASES, RUN, case_item
from breakeven.steps.run.run_input import Surroundings
from breakeven.steps.services import Services
from breakeven.targets.catalog import is_compared
from breakeven.workload.case import Case


def known_advice(services: Services, suite: str) -> tuple[LoaderAdvice, list[str]]:
    """What the suite's runs left so far, and what is to be said of it: of a damaged document, its key."""
    key = layout.loader_advice_key(suite)
    return read_advice(services.store.find_bytes(key), suite, key)


def keep_advice(services: Services, run_id: str) -> None:
    """Add what the run found. It never fails the run, of which all is measured and written by now.

    A case that failed says nothing of its loaders. What could not be kept is in ``advice_not_kept`` of
    the run's state.
    """
    try:
        _keep(services, run_id)
    except (ClientError, BotoCoreError, ValueError) as error:
        services.state(run_id).update(RUN, advice_not_kept=str(error))


def _keep(services: Services, run_id: str) -> None:
    state = services.state(run_id)
    run = state.get(RUN)
    if "suite" not in run:
        return  # it was refused before anything was planned
    plan = services.store.get_json(layout.plan_key(run_id))
    items = state.items(CASES)
    seen = [
        _seen(case, items[case_item(case.case_id)])
        for case in map(Case.model_validate, plan["plan"]["cases"])
        if is_compared(case.target) and items.get(case_item(case.case_id), {}).get("status") == "ok"
    ]
    where = Surroundings.model_validate(plan["input"]["surroundings"])
    place = Place.of(where.name, where.hardware)
    known, damaged = known_advice(services, run["suite"])
    learned = known.learned(seen, place, run_id, str(run.get("started_at", ""))[:10])
    if damaged or learned != known:
        key = layout.loader_advice_key(run["suite"])
        services.store.put_bytes(key, learned.model_dump_json(indent=1).encode(), "application/json")


def _seen(case: Case, item: dict[str, object]) -> Seen:
    limit = item.get("loader_limit")
    return Seen(case, Limit.model_validate(limit) if limit else None)
