"""A run that goes on with another: what it may be given, and what it takes over.

The settled cases' rows, documents and records are copied under the new run's id, object by object under the
same names: every query, which names one run, sees each case once, and doing it again changes nothing. The
other run stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from breakeven.errors import InputError, SelfTestFailedError, first_fault, printable
from breakeven.planning.budget.allowance import Allowance
from breakeven.planning.loaders.advice import Place
from breakeven.planning.machine_availability import ANY_ACCOUNT, Account
from breakeven.planning.plan import Plan, to_run
from breakeven.pricing.prices.book import PriceBook
from breakeven.report.tables.instrument_findings import is_warning
from breakeven.results import layout
from breakeven.results.items import NO_CASE_OK, RUN, case_item, lane_item
from breakeven.results.schemas import SERVICE_MINUTES, TABLES
from breakeven.steps.run.run_input import RunInput, parse_run_input, suite_of
from breakeven.steps.run.software import versions
from breakeven.steps.services import Services
from breakeven.targets.catalog import is_compared
from breakeven.version import RUN_FORMAT, VERSION
from breakeven.words import plural

WHERE, FIELD = "execution input", "resume_run_id"
#: objects are small, and planning has a minute
AT_ONCE = 16
#: name of the row objects that hold what the run's plan asked of the prices
QUESTIONS = "questions"
#: of a lane's record: what the report says of its target
DESCRIPTION = ("server", "provenance", "parameters", "image", "packages", "warm_up")

Items = Mapping[str, Mapping[str, Any]]


def is_settled(item: Mapping[str, Any]) -> bool:
    """Is the case's outcome a result that stands? ``item`` is its record in the run's state.

    ``ok`` is, and so is ``failed`` after an attempt: to run it until it passes would hide that it fails.
    What failed without one (its lane broke before, or the deadline passed) says nothing of its target.
    """
    status = item.get("status")
    return status == "ok" or (status == "failed" and int(item.get("attempt", 0)) > 0)


@dataclass(frozen=True)
class Earlier:
    """The run that is gone on with. ``document`` is its plan's, ``items`` its state's.

    ``metrics_of``: ids of the cases of which it has read what CloudWatch knows; an aborted run has read none.
    """

    run_id: str
    document: Mapping[str, Any]
    items: Items
    plan: Plan
    wanted: RunInput
    metrics_of: frozenset[str] = frozenset()

    @property
    def settled(self) -> dict[str, Mapping[str, Any]]:
        """Case id -> its record, of the cases whose outcome stands."""
        found = {case.case_id: self.items.get(case_item(case.case_id), {}) for case in self.plan.cases}
        return {case_id: item for case_id, item in found.items() if is_settled(item)}

    def to_json(self) -> dict[str, Any]:
        """For the plan's document: the suite's own cases, as reports count them."""
        own = {case.case_id for case in self.plan.cases if is_compared(case.target)}
        return {"run_id": self.run_id, "settled": len(own & self.settled.keys()), "cases": len(own)}

    def origin(self, item: Mapping[str, Any]) -> str:
        """Id of the run that measured the case with this record: this one, or one that it resumed."""
        return str(item.get("settled_in", self.run_id))


def read_earlier(run_id: str, document: Any, items: Items, place: str) -> Earlier:
    """
    :param document: of the run's plan; None where there is none
    :param place: where runs were looked for
    :raises InputError: there is no such run, or it cannot be gone on with by this version
    """
    if document is None:
        raise refused(run_id, f"no run of that name was planned in {place}; name one that was")
    if RUN not in items:
        raise refused(run_id, "its state is gone, which is kept for 90 days; start a new run")
    version = document.get("version")
    if version != VERSION:
        planned = f"version {version}" if version else "an earlier version"
        raise refused(run_id, f"it was planned by {planned}, this is {VERSION}; start a new run")
    if (written := document.get("format", "none")) != RUN_FORMAT:
        formats = f"its files are of format {written}, those of this version of {RUN_FORMAT}"
        raise refused(run_id, f"{formats}; start a new run, or go on with the code that began it")
    try:
        plan, wanted = Plan.model_validate(document["plan"]), parse_run_input(document["input"])
        str(document["suite"]["name"] + document["suite"]["sha256"])
    except ValidationError as error:
        field, first, wrong = first_fault(error, "plan")
        more = f", and {plural(error.error_count() - 1, 'more fault')}" if error.error_count() > 1 else ""
        found = "" if isinstance(first["input"], dict | list) else f"{printable(repr(first['input']))}: "
        why = f"{field}: {found}{wrong}{more}"
        raise refused(
            run_id, f"its plan cannot be read ({why}); undo the change, or start a new run"
        ) from None
    except InputError as error:
        why = f"{error.field}: {error.value!r}: {error.remedy}"
        raise refused(run_id, f"its own input is damaged ({why}); start a new run") from None
    except (KeyError, TypeError) as error:
        raise refused(run_id, f"its plan's document is damaged ({error}); start a new run") from None
    return Earlier(run_id, document, items, plan, wanted)


def refused(run_id: str, remedy: str) -> InputError:
    return InputError(WHERE, FIELD, run_id, remedy)


def plan_resumed(
    earlier: Earlier,
    wanted: RunInput,
    run_id: str,
    allowance: Allowance,
    account: Account = ANY_ACCOUNT,
    book: PriceBook | None = None,
) -> Plan:
    """The plan of what is left of it.

    :param book: that the earlier run is priced with; the shipped one of its region, unless given

    :raises InputError: nothing is, or it cannot run, or the input asks for another run than that one
    :raises SelfTestFailedError: nothing is left of it, and its self-test failed
    """
    _check_same(earlier, wanted)
    suite = suite_of(earlier.wanted)
    if suite.sha256 != earlier.document["suite"]["sha256"]:
        raise refused(earlier.run_id, f"suite {suite.suite} has changed since; start a new run")
    if earlier.wanted.surroundings.name == "aws":
        allowance.check_suite(earlier.wanted.suite)
    record = earlier.items[RUN]
    status, no_case_ok = record.get("status"), record.get("failed_at") == NO_CASE_OK
    if (status in {"ok", "partial"} or no_case_ok) and len(earlier.settled) == len(earlier.plan.cases):
        raise _complete(earlier.run_id, record)
    # all of its cases, and rounds of those not settled: time, dollars and refusals are of what is left to run
    cases = [case.model_copy(update={"run_id": run_id}) for case in earlier.plan.cases]
    ours = {"run_id": run_id, "cases": cases, "max_usd": wanted.max_usd}
    settled = earlier.settled
    left = [case for case in cases if case.case_id not in settled]
    unread = [case for case in cases if case.case_id in settled and case.case_id not in earlier.metrics_of]
    plan = to_run(earlier.plan.model_copy(update=ours), left, suite, allowance, account, book, unread)
    plan.raise_if_refused()
    return plan


def _complete(run_id: str, record: Mapping[str, Any]) -> InputError:
    status, verdict = record.get("status"), str(record.get("verdict", ""))
    # a run of which no case is ok has failed, whatever its self-test came to
    if status != "failed" and any(map(is_warning, verdict.split("\n\n"))):
        remedy = (
            f"it is complete ({status}) and its self-test failed: do not rely on its measured figures; "
            "start a new run, on an idle machine"
        )
        return SelfTestFailedError(WHERE, FIELD, run_id, remedy)
    return refused(run_id, f"it is complete ({status}): nothing is left to run; start a new run")


def _check_same(earlier: Earlier, wanted: RunInput) -> None:
    """:raises InputError: a field is given that would make it another run"""
    for field, value, theirs in _given(earlier, wanted):
        if value != theirs:
            remedy = f"run {earlier.run_id} has {theirs!r} and keeps its plan; leave {field} out"
            if field.startswith("surroundings"):
                remedy = (
                    f"run {earlier.run_id} was started on {theirs!r}; resume it there, or start a new run"
                )
            raise InputError(WHERE, field, value, remedy)


def _given(earlier: Earlier, wanted: RunInput) -> Iterator[tuple[str, Any, Any]]:
    """Field, what the input gives for it, and what the earlier run has."""
    given, plan = wanted.model_fields_set, earlier.plan
    if "suite" in given:
        suite, name = suite_of(wanted), earlier.document["suite"]["name"]
        same = suite.sha256 == earlier.document["suite"]["sha256"]
        yield "suite", name if same else f"{suite.suite}, sha256 {suite.sha256[:12]}", name
    for field in ("variant", "scale", "seed", "region"):
        if field in given and getattr(wanted, field) is not None:
            yield field, getattr(wanted, field), getattr(plan, field)
    here, there = wanted.surroundings, earlier.wanted.surroundings
    yield "surroundings.name", here.name, there.name
    machine = Place.of(here.name, here.hardware).machine
    yield "surroundings.hardware", machine, Place.of(there.name, there.hardware).machine


def earlier_run(services: Services, run_id: str, is_running: Callable[[str], bool]) -> Earlier:
    """The run of that id, from where the runs of this installation are.

    :param is_running: tells of an execution's ARN whether it is under way
    :raises InputError: it is not known, or still runs
    """
    items = services.state(run_id).items()
    execution = items.get(RUN, {}).get("execution")
    if execution and is_running(str(execution)):
        stop = f"aws stepfunctions stop-execution --execution-arn {execution}"
        raise refused(run_id, f"it still runs; wait for its end, or stop it: {stop}")
    document = services.store.find_json(layout.plan_key(run_id))
    found = read_earlier(run_id, document, items, "this installation's bucket")
    table = SERVICE_MINUTES.name
    keys = set(services.store.keys(layout.rows_prefix(table, run_id)))
    names = (case.case_id for case in found.plan.cases)
    read = frozenset(name for name in names if layout.row_key(table, run_id, name) in keys)
    return replace(found, metrics_of=read)


def take_over(services: Services, earlier: Earlier, plan: Plan, notes: Sequence[str] = ()) -> None:
    """Copy what is settled, and write the plan of the run that goes on. Twice, it does the same again.

    :param notes: what the reader must know of where it goes on
    """
    run_id, settled = plan.run_id, earlier.settled
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(lambda copied: services.store.copy(*copied), _objects(services, earlier, run_id)))
    for case in plan.cases:
        services.store.put_json(layout.case_key(run_id, case.case_id), case.model_dump(mode="json"))
    state = services.state(run_id)
    for target in dict.fromkeys(case.target for case in plan.cases if case.case_id in settled):
        lane = earlier.items.get(lane_item(target), {})
        if known := {name: lane[name] for name in DESCRIPTION if name in lane}:
            # ``released``: nothing of the earlier run's is there any more
            state.update(lane_item(target), **{"status": "released", **known})
    for case_id, item in settled.items():
        kept = {name: value for name, value in item.items() if name not in {"run_id", "item", "expires_at"}}
        state.update(case_item(case_id), **{**kept, "settled_in": earlier.origin(item), "released": True})
    services.store.put_json(
        layout.plan_key(run_id),
        {
            **earlier.document,
            "versions": versions(),
            "input": _input(earlier, plan, notes),
            "plan": plan.model_dump(mode="json"),
            "resumed": {
                **earlier.to_json(),
                "settled_in": {case_id: earlier.origin(item) for case_id, item in settled.items()},
            },
        },
    )


def _input(earlier: Earlier, plan: Plan, notes: Sequence[str]) -> dict[str, Any]:
    """The earlier run's, with the notes of both."""
    own: dict[str, Any] = earlier.document["input"]
    both = list(dict.fromkeys([*earlier.wanted.surroundings.notes, *notes]))
    noted = {"surroundings": {**own.get("surroundings", {}), "notes": both}} if both else {}
    return {**own, "max_usd": plan.max_usd, **noted}


def _objects(services: Services, earlier: Earlier, run_id: str) -> Iterator[tuple[str, str]]:
    """Key of each object that is taken over, and of its copy."""
    names = {QUESTIONS, *earlier.settled}
    for table in TABLES:
        there = set(services.store.keys(layout.rows_prefix(table.name, earlier.run_id)))
        for name in names:
            key = layout.row_key(table.name, earlier.run_id, name)
            if key in there:
                yield key, layout.row_key(table.name, run_id, name)
    histograms = set(services.store.keys(layout.histograms_prefix(earlier.run_id)))
    for case_id in earlier.settled:
        key = layout.histogram_key(earlier.run_id, case_id)
        if key in histograms:
            yield key, layout.histogram_key(run_id, case_id)
    yield layout.price_book_key(earlier.run_id), layout.price_book_key(run_id)
