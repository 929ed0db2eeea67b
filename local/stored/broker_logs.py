"""Brokers' logs of the cases that failed, or had calls fail: a bounded part, cleaned of secrets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from breakeven.loadgen.record.call_errors import without_secrets

#: in the run's folder
FOLDER = "broker_logs"
#: the last lines of each node that a case keeps
MOST_LINES = 200
#: times of cases are whole seconds, and a broker may tell late of what ended
MARGIN = timedelta(seconds=2)
#: how a line of RabbitMQ begins: 2026-11-20 15:30:00.123456+00:00 [info] …
_TIME = slice(0, 32)


def keep_broker_logs(logs: Path, items: Mapping[str, Mapping[str, Any]], folder: Path) -> None:
    """Write ``broker_logs/<case_id>.log`` in the run's folder for each case that needs it.

    :param logs: ``<target>/<node>.log``; ``items``: the run's state
    """
    for item in items.values():
        if "case_id" not in item or not (item.get("status") == "failed" or item.get("call_errors")):
            continue
        nodes = sorted((logs / item["target"]).glob("*.log"))
        found = [f"== {node.stem}\n{part}" for node in nodes if (part := _during(item, node))]
        if found:
            path = folder / FOLDER / f"{item['case_id']}.log"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("\n".join(found))


def broker_log(folder: Path, case_id: str) -> Path | None:
    """The brokers' log of that case in the run's folder; None where none was kept."""
    path = folder / FOLDER / f"{case_id}.log"
    return path if path.exists() else None


def _during(item: Mapping[str, Any], log: Path) -> str:
    began = _instant(item.get("started_at"))
    if began is None:
        return ""  # it never had queues
    ended = _instant(item.get("ended_at"))
    with log.open(errors="replace") as lines:
        wanted = list(_between(lines, began - MARGIN, ended + MARGIN if ended else None))
    return "".join(f"{without_secrets(line)}\n" for line in wanted[-MOST_LINES:])


def _between(lines: Iterable[str], began: datetime, ended: datetime | None) -> Iterator[str]:
    """Lines of that time; one without a time of its own belongs to the one before."""
    inside = False
    for line in lines:
        at = _instant(line[_TIME])
        if at is not None:
            inside = at >= began and (ended is None or at <= ended)
        if inside:
            yield line.rstrip("\n")


def _instant(text: object) -> datetime | None:
    try:
        at = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return at if at.tzinfo else None
