"""Progress of a run on the terminal: case n of m, target, stage, the rate now, the time left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from breakeven.planning.plan import Plan
from breakeven.results.items import RUN, case_item
from breakeven.targets.catalog import is_compared
from breakeven.workload.case import Case
from cli.running.time_left import ENDED, Items, seconds_left
from cli.terminal import say


@dataclass(frozen=True, slots=True)
class Running:
    case_id: str
    target: str
    stage: str
    produce_per_s: float
    consume_per_s: float


#: where the number of a case stands, of one that no report counts
SELF_TEST = "self-test"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """``total``: cases of the suite, as its report counts them. ``proving``: ids of the self-test's, besides.

    ``ended``: case id -> (status, reason) of cases with an outcome, of either kind. ``baking``: images under
    way. ``emulated``: targets whose lanes have said that something stands in for the service.
    """

    total: int
    proving: frozenset[str]
    ended: dict[str, tuple[str, str | None]]
    running: Running | None
    lanes: dict[str, str]
    seconds_left: float
    baking: tuple[str, ...] = ()
    emulated: frozenset[str] = frozenset()

    @property
    def settled(self) -> int:
        """Of the total, how many have an outcome."""
        return len(self.ended.keys() - self.proving)


def snapshot(
    items: Items, cases: Sequence[Case], now: datetime | None = None, plan: Plan | None = None
) -> Snapshot:
    """Where a run stands, from its state items; ``now`` is the time unless given.

    :param plan: that the cases are of; without it the time left is that of the cases alone
    """
    now = now or datetime.now(UTC)
    ended: dict[str, tuple[str, str | None]] = {}
    running = None
    for case in cases:
        item = items.get(case_item(case.case_id), {})
        status = item.get("status")
        if status in ENDED:
            ended[case.case_id] = (status, item.get("reason"))
            continue
        if status == "running":
            running = _running(items, case, int(item.get("attempt", 1)))
    lanes = {key.removeprefix("lane#"): item for key, item in items.items() if key.startswith("lane#")}
    proving = frozenset(case.case_id for case in cases if not is_compared(case.target))
    return Snapshot(
        len(cases) - len(proving),
        proving,
        ended,
        running,
        {target: item.get("status", "") for target, item in lanes.items()},
        seconds_left(items, cases, now, plan),
        _baking(items.get(RUN, {})),
        frozenset(target for target, item in lanes.items() if item.get("provenance") == "emulated"),
    )


def _baking(record: Mapping[str, Any]) -> tuple[str, ...]:
    """Architectures whose image of brokers has a builder, and is neither there nor failed."""
    ended = {*record.get("images", {}), *record.get("images_failed", {})}
    return tuple(sorted(set(record.get("builders", {})) - ended))


def _running(items: Items, case: Case, attempt: int) -> Running:
    loaders = [
        item
        for key, item in items.items()
        if key.startswith(f"loader#{case.case_id}#{attempt}#") and "stage" in item
    ]
    return Running(
        case.case_id,
        case.target,
        loaders[0]["stage"] if loaders else "prepare",
        sum(float(item["produce_per_s"]) for item in loaders),
        sum(float(item["consume_per_s"]) for item in loaders),
    )


class PlainView:
    """Lines only: one a case started or ended. For logs and pipes, and with ``--json`` on standard error."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._seen: set[str] = set()
        self._started: set[str] = set()
        self._baking: set[str] = set()

    def say(self, text: str) -> None:
        """A line that stays."""
        say(self._console, text)

    def show(self, now: Snapshot) -> None:
        """The run as it stands."""
        for image in now.baking:
            if image not in self._baking:
                self._baking.add(image)
                self.say(_bakes(image))
        for case_id, (status, reason) in now.ended.items():
            if case_id not in self._seen:
                self._seen.add(case_id)
                place = self._place(now, case_id, len(self._seen - now.proving))
                # what it read is judged with the report, once all is measured
                said = "measured" if case_id in now.proving and status == "ok" else status
                self.say(f"[{place}] {said} {case_id}" + (f": {reason}" if reason else ""))
        if now.running and now.running.case_id not in self._started:
            self._started.add(now.running.case_id)
            left = _clock(now.seconds_left)
            place = self._place(now, now.running.case_id, now.settled + 1)
            self.say(f"[{place}] running {now.running.case_id}, about {left} left in all")

    def _place(self, now: Snapshot, case_id: str, number: int) -> str:
        return SELF_TEST if case_id in now.proving else f"{number}/{now.total}"

    def close(self) -> None:
        return


class LiveView:
    """A bar and a line that change in place, with failures kept above them."""

    def __init__(self, console: Console) -> None:
        self._bar = Progress(
            TextColumn("cases"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), console=console
        )
        self._task = self._bar.add_task("cases", total=None)
        self._line = Text("")
        self._live = Live(Group(self._bar, self._line), console=console, refresh_per_second=4)
        self._live.start()
        self._failed: set[str] = set()

    def say(self, text: str) -> None:
        say(self._live.console, text)

    def show(self, now: Snapshot) -> None:
        self._bar.update(self._task, total=now.total, completed=now.settled)
        for case_id, (status, reason) in now.ended.items():
            if status == "failed" and case_id not in self._failed:
                self._failed.add(case_id)
                self.say(f"failed {case_id}: {reason}")
        self._line.plain = _line(now)

    def close(self) -> None:
        self._live.stop()


def _line(now: Snapshot) -> str:
    if now.running is None:
        busy = [_bakes(image) for image in now.baking]
        busy += [f"{target} {status}" for target, status in sorted(now.lanes.items()) if status != "released"]
        left = [f"about {_clock(now.seconds_left)} left"] if now.seconds_left else []
        return "  " + " · ".join([*(busy or ["planning"]), *left])
    case = now.running
    rates = f"{case.produce_per_s:,.0f} sent/s, {case.consume_per_s:,.0f} received/s"
    number = SELF_TEST if case.case_id in now.proving else f"case {now.settled + 1} of {now.total}"
    return f"  {number} · {case.case_id} · {case.stage} · {rates} · about {_clock(now.seconds_left)} left"


def _bakes(image: str) -> str:
    return f"baking the brokers' image for {image}, once for this deployment: some 10 minutes"


def _clock(seconds: float) -> str:
    whole = round(seconds)
    return f"{whole // 60}:{whole % 60:02d}"


TerminalView = PlainView | LiveView


class View(Protocol):
    """Whatever shows a run."""

    def say(self, text: str) -> None:
        """A line that stays."""

    def show(self, now: Snapshot) -> None:
        """The run as it stands."""

    def close(self) -> None:
        """No more is shown."""


def view_for(console: Console, *, plain: bool) -> TerminalView:
    """A live view on a terminal unless a plain one is asked for, plain lines elsewhere."""
    return LiveView(console) if console.is_terminal and not plain else PlainView(console)
