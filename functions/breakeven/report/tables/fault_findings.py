"""Findings on faults in words: what was done, how rates and backlog took it, and what was lost."""

from __future__ import annotations

from dataclasses import dataclass

from breakeven import words
from breakeven.report.contract.fault_model import FaultReport


@dataclass(frozen=True, slots=True)
class Deed:
    """What a kind of fault does to a node, in words: done, due and not done, undone, and not undone."""

    done: str
    due: str
    omitted: str
    undone: str = "ran again"
    lasting: str = "it did not run again"

    @classmethod
    def suffered(cls, done: str) -> Deed:
        """By the node's process."""
        return cls(f"was {done}", f"was to be {done}", "was not")

    @classmethod
    def alarm(cls, resource: str) -> Deed:
        what = f"its {resource} alarm"
        return cls(f"raised {what}", f"was to raise {what}", "did not", "cleared it", "it was not cleared")

    @classmethod
    def network(cls, done: str, due: str) -> Deed:
        return cls(done, due, "was not", "had its network restored", "it was not restored")


DEEDS = {
    "kill": Deed.suffered("killed"),
    "stop": Deed.suffered("stopped in good order"),
    "pause": Deed.suffered("paused"),
    "partition": Deed(
        "was cut off from its peers",
        "was to be cut off from its peers",
        "was not",
        "was restarted to join them",
        "it did not join them again",
    ),
    "rolling-restart": Deed.suffered("stopped in good order, in its turn of a rolling restart,"),
    "reboot": Deed.suffered("rebooted by the service"),
    "cut-clients": Deed.network("was cut off from its clients", "was to be cut off from its clients"),
    "slow-clients": Deed.network("had a slow network to its clients", "was to have a slow network to them"),
    "cut-peers": Deed.network("was cut off from its peers", "was to be cut off from its peers"),
    "slow-peers": Deed.network("had a slow network to its peers", "was to have a slow network to them"),
    "memory-alarm": Deed.alarm("memory"),
    "disk-alarm": Deed.alarm("disk"),
}
AIMED_AT = {"leader": "the leader's node", "other": "a node without the leader", "broker": "all its nodes"}
#: of calls: what was done to those that met it
DONE_TO_CALLS = {
    "throttle": "were denied as too many (RequestThrottled)",
    "error": "were answered by an error of the service",
    "delay": "were passed on late",
    "reset": "had their connection reset",
    "duplicate": "were handed out once more",
}
#: a recovery begins where the last low second ended; sums of fractions of seconds may differ by less
WHOLE_S = 0.5
#: so much after it was due is said, seconds
LATE_S = 1.0
EXPECTED = {
    "none": "No loss of confirmed messages was expected",
    "possible": "Loss was possible",
    None: "Loss was neither expected nor excluded",
}


def finding(fault: FaultReport) -> str:
    """The sentences on one fault."""
    if not fault.was_done:
        why = f": {fault.error}" if fault.error else ""
        if fault.is_of_calls:
            due = f"A {fault.kind} of {fault.aimed_at} was due at {_seconds(fault.due_s)}"
            return f"{due} and was not done{why}."
        deed = _deed(fault)
        return f"{_aimed(fault)} {deed.due} at {_seconds(fault.due_s)} and {deed.omitted}{why}."
    parts = (
        _done_to_calls(fault) if fault.is_of_calls else _done(fault),
        _publishing(fault),
        _consuming(fault),
        _backlog(fault),
        f"{words.plural(fault.errors, 'call')} failed." if fault.errors else "",
        _ledger(fault) if fault.is_of_calls else "",
        f"{EXPECTED[fault.expected_loss]}, as {fault.expected_because}; {fault.finding}.",
    )
    return " ".join(part for part in parts if part)


def _done(fault: FaultReport) -> str:
    deed, extent = _deed(fault), f" ({fault.extent})" if fault.extent else ""
    if fault.done_s is None:
        return f"{_aimed(fault)} {deed.done}{extent}."
    late = f" (due at {_seconds(fault.due_s)})" if fault.done_s - fault.due_s >= LATE_S else ""
    back = "" if fault.back_s is None else f" and {deed.undone} at {_seconds(fault.back_s)}"
    why = f": {fault.error}" if fault.error else ""
    remark = f"; {fault.error}" if fault.error else ""
    gone = remark if fault.back_s is not None else f"; {deed.lasting}{why}"
    return f"{_aimed(fault)} {deed.done}{extent} at {_seconds(fault.done_s)}{late}{back}{gone}."


def _done_to_calls(fault: FaultReport) -> str:
    what, of = DONE_TO_CALLS[fault.kind], "messages" if fault.kind == "duplicate" else "calls"
    when = "" if fault.done_s is None else f" from {_seconds(fault.done_s)}"
    until = "" if fault.back_s is None else f" to {_seconds(fault.back_s)}"
    if fault.injected is None or fault.calls_seen is None:
        return f"Of {of} some {what}{when}{until}; how many is not known: {fault.error or 'nobody counted'}."
    kinds = {"sends": fault.injected_sends, "receives": fault.injected_receives}
    each = {**kinds, "deletes": fault.injected_deletes}
    parts = ", ".join(f"{count:,} {name}" for name, count in each.items() if count)
    by_kind = f": {parts}" if parts and fault.kind != "duplicate" else ""
    return f"{fault.injected:,} of {fault.calls_seen:,} {of}{when}{until} {what}{by_kind}."


def _ledger(fault: FaultReport) -> str:
    """Of the whole case, which may have other faults."""
    if None in (fault.duplicates, fault.missing, fault.unknown):
        return ""
    copies, unknown = words.plural(fault.duplicates or 0, "duplicate"), f"{fault.unknown or 0:,} unknown"
    return f"The case's ledger has {copies}, {unknown} outcomes and {fault.missing or 0:,} missing."


def _aimed(fault: FaultReport) -> str:
    where = AIMED_AT.get(fault.aimed_at, f"node {fault.aimed_at}")
    return f"{fault.node or 'A node'} ({where})"


def _deed(fault: FaultReport) -> Deed:
    return DEEDS.get(fault.kind) or Deed.suffered(fault.kind)


def _publishing(fault: FaultReport) -> str:
    before, lowest = fault.produced_before_per_s, fault.produced_lowest_per_s
    if before is None or lowest is None:
        return f"Publishing: not known, as {fault.produce_unrecovered}."
    times = (fault.produce_recovery_s, fault.produce_low_until_s, fault.produce_unrecovered)
    return _rate("Publishing", before, lowest, *times)


def _consuming(fault: FaultReport) -> str:
    before, lowest = fault.consumed_before_per_s, fault.consumed_lowest_per_s
    if before is None or lowest is None:
        return f"Consuming: not known, as {fault.consume_unrecovered}."
    times = (fault.consume_recovery_s, fault.consume_low_until_s, fault.consume_unrecovered)
    return _rate("Consuming", before, lowest, *times)


def _rate(
    name: str,
    before: float,
    lowest: float,
    recovery_s: float | None,
    low_until_s: float | None,
    why: str | None,
) -> str:
    if not before:
        return ""
    if low_until_s is None:
        low = f"its lowest second had {words.figure(lowest)}"
        return f"{name} went on at 90% of {words.figure(before)} messages a second or more; {low}."
    last = f"its last second below 90% ended {_seconds(low_until_s)} after the fault"
    if recovery_s is None:
        return f"{name} fell from {_rates(before, lowest)} and did not come back to 90% of it {_until(why)}."
    if not recovery_s:
        return f"{name} went on at first and fell later, from {_rates(before, lowest)}; {last}."
    fell = f"{name} fell from {_rates(before, lowest)} and was back at 90% of it after {_seconds(recovery_s)}"
    return f"{fell}, and fell again: {last}." if low_until_s > recovery_s + WHOLE_S else f"{fell}."


def _rates(before: float, lowest: float) -> str:
    return f"{words.figure(before)} to {words.figure(lowest)} messages a second"


def _backlog(fault: FaultReport) -> str:
    before, peak = fault.backlog_before, fault.backlog_peak
    if before is None or peak is None:
        return f"Backlog: not known, as {fault.backlog_undrained}." if fault.backlog_undrained else ""
    if peak <= before:
        return f"No more messages waited than before, {words.count(before)} at most."
    rose = f"The backlog rose from {words.count(before)} to {words.count(peak)} messages"
    if fault.backlog_drain_s is None:
        return f"{rose} and was not drained {_until(fault.backlog_undrained)}."
    return f"{rose} and was drained {_seconds(fault.backlog_drain_s)} after its peak."


def _until(why: str | None) -> str:
    """'before the measured stage ended', of 'not before …': the only reasons where figures are known."""
    return (why or "").removeprefix("not ")


def _seconds(value: float) -> str:
    """To a tenth: the instants are of processes, and the rates of whole seconds."""
    return f"{value:,.1f} s"
