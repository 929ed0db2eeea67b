"""One list of PerfTest's parameters as settings of our own scenarios, with everything that differs noted."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from breakeven.workload.case import MOST_UNLIMITED
from breakeven.workload.fields import MAX_STEPS, MIN_MESSAGE_BYTES
from breakeven.workload.perftest.spec_arguments import GROUP_SIZE, argument_remedy
from breakeven.workload.perftest.spec_keys import KEYS, QUEUE_ARGUMENTS
from breakeven.workload.perftest.spec_notes import Note
from breakeven.workload.perftest.spec_values import SpecError, durations_of

#: PerfTest's totals leave out its first three samples, of a second each
WARM_UP_S: Final = 3
#: messages that a producer has under way, where confirms do not limit them
UNCONFIRMED_WINDOW: Final = 1000
#: of a consumer that takes time for each message, where PerfTest would let it hold all there are
LIMITED_PREFETCH: Final = 200
#: emptying queues may take half as long as the measured stage, and at least this; seconds, as suites have it
LEAST_DRAIN_S: Final = 300

QueueType = Literal["classic", "quorum"]


@dataclass(frozen=True, slots=True)
class SpecWorkload:
    """Settings by the names of a suite's fields, one value each."""

    settings: Mapping[str, Any]
    queue_type: QueueType
    notes: tuple[Note, ...]


def workload_of(values: Mapping[str, Any]) -> SpecWorkload:
    """What a suite's scenario says for these parameters.

    :param values: of every key, as ``spec_values.values_of`` has them
    :raises SpecError: a parameter that would change what is measured and cannot be carried out
    """
    return _Translation(values).done()


class _Translation:
    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values
        self._notes: list[Note] = []
        self._queue_type: QueueType = "classic"

    def done(self) -> SpecWorkload:
        self._check_plain_keys()
        settings: dict[str, Any] = {"consume": "get" if self._values["polling"] else "push"}
        for part in (self._queues, self._workers, self._size, self._flags, self._handover, self._times):
            settings |= part()
        return SpecWorkload(settings, self._queue_type, tuple(self._notes))

    def _check_plain_keys(self) -> None:
        """Keys that no code here looks at any further."""
        for key, known in KEYS.items():
            value = self._values[key]
            if value == known.default or known.outcome == "carried":
                continue
            if known.outcome == "refused":
                raise SpecError(key, _words(value), known.reason)
            if key == "confirm-timeout" and value < 0:  # none, as here
                continue
            self._note(key, known.reason)

    def _workers(self) -> dict[str, Any]:
        counts = {}
        for side in ("producer", "consumer"):
            count, channels = self._values[f"{side}-count"], self._values[f"{side}-channel-count"]
            if channels < 1:
                raise SpecError(f"{side}-channel-count", channels, "must be at least 1")
            if channels > 1:
                reason = f"each channel is a {side} with a connection of its own"
                self._note(f"{side}-channel-count", reason)
            counts[f"{side}s"] = count * channels
        if not counts["producers"]:
            remedy = "a case's queues are fresh, so that there is nothing to consume; at least 1"
            raise SpecError("producer-count", 0, remedy)
        return counts

    def _queues(self) -> dict[str, Any]:
        names, pattern = self._values["queue-names"], self._values["queue-pattern"]
        if self._values["exchange-type"] != "direct":
            remedy = "messages go to one queue each, as through a direct exchange; leave it out"
            raise SpecError("exchange-type", self._values["exchange-type"], remedy)
        arguments = self._arguments()
        bounds = [self._values[f"queue-sequence-{end}"] for end in ("from", "to")]
        if pattern is not None or max(bounds) >= 0:
            if names:
                self._note("queue-names", "queue-pattern takes its place")
            return arguments | self._pattern(pattern, *bounds)
        if len(names) > 1 and not self._values["queues-in-sequence"]:
            remedy = (
                "each message would go to every queue; a case's go to one: give queue-pattern, or one name"
            )
            raise SpecError("queue-names", _words(names), remedy)
        if names:
            self._note("queue-names", "queues are fresh ones of each case, with names of their own")
        elif self._values["consumer-count"] == 0:
            reason = (
                "without a queue messages would be dropped; they are queued, and received after the stage"
            )
            self._notes.append(Note("queue-names", "none", reason))
        elif (consumers := self._values["consumer-count"] * self._values["consumer-channel-count"]) > 1:
            remedy = (
                f"each of the {consumers} consumers would have a queue of its own with every message; a "
                "case's go to one: give a name, which they then share"
            )
            raise SpecError("queue-names", "none", remedy)
        return arguments | ({"queues": len(names)} if len(names) > 1 else {})

    def _pattern(self, pattern: str | None, first: int, last: int) -> dict[str, Any]:
        if pattern is None:
            key, value = ("queue-sequence-to", last) if last >= 0 else ("queue-sequence-from", first)
            raise SpecError(key, value, "belongs to queue-pattern; give that, too, or leave it out")
        if not 0 <= first <= last:
            given = f"{pattern} from {first if first >= 0 else 'none'} to {last if last >= 0 else 'none'}"
            remedy = (
                "needs queue-sequence-from and queue-sequence-to, 0 or more, the latter not below the former"
            )
            raise SpecError("queue-pattern", given, remedy)
        self._note("queue-pattern", f"{last - first + 1} fresh queues of each case, with names of their own")
        return {"queues": last - first + 1}

    def _arguments(self) -> dict[str, Any]:
        settings: dict[str, Any] = {}
        for name, value in (self._values["queue-arguments"] or {}).items():
            pair = f"{name}={value}"
            if remedy := argument_remedy(name, value):
                raise SpecError("queue-arguments", pair, remedy)
            if name == "x-queue-type":
                self._queue_type = "quorum" if value == "quorum" else "classic"
            elif name == "x-queue-mode":
                settings |= {"queue_mode": value} if value == "lazy" else {}
            elif name == GROUP_SIZE:
                settings["group_size"] = int(value)
            elif name in QUEUE_ARGUMENTS:
                self._notes.append(Note("queue-arguments", pair, QUEUE_ARGUMENTS[name]))
            else:
                remedy = "would change what is measured, and queues here do not have it; leave it out"
                raise SpecError("queue-arguments", pair, remedy)
        return settings

    def _size(self) -> dict[str, Any]:
        size = self._values["min-msg-size"]
        if size < MIN_MESSAGE_BYTES:
            self._note(
                "min-msg-size", f"{MIN_MESSAGE_BYTES} bytes, the ledger's stamp; PerfTest sends at least 12"
            )
        return {"message_size": max(size, MIN_MESSAGE_BYTES)}

    def _flags(self) -> dict[str, Any]:
        flags = {flag.lower() for flag in self._values["flags"]}
        if "immediate" in flags:
            raise SpecError("flags", "immediate", "left RabbitMQ in 3.0; leave it out")
        if others := sorted(flags - {"persistent", "mandatory"}):
            raise SpecError("flags", others[0], "must be persistent or mandatory")
        return {name: name in flags or self._values[f"flag-{name}"] for name in ("persistent", "mandatory")}

    def _handover(self) -> dict[str, Any]:
        confirm, every = self._values["confirm"], self._values["multi-ack-every"]
        # PerfTest's 0 lets a producer wait for any number of confirms
        window = confirm if confirm > 0 else MOST_UNLIMITED if confirm == 0 else UNCONFIRMED_WINDOW
        settings: dict[str, Any] = {"confirms": confirm >= 0, "window": window}
        if not self._values["auto-ack"]:
            settings |= {"acks": True, **({"ack_every": every} if every > 1 else {})}
        else:
            settings["acks"] = False
            if every > 1:
                raise SpecError("multi-ack-every", every, "with auto-ack nothing is acknowledged; remove one")
        limits = {key: self._values[key] for key in ("consumer-prefetch", "channel-prefetch")}
        limits = {key: limit for key, limit in limits.items() if limit > 0}
        if self._values["polling"]:
            for key in limits:
                self._note(key, "a consumer that polls holds one message")
            return settings
        prefetch = min(limits.values(), default=0)
        if not prefetch and settings["acks"] and self._takes_time():
            reason = (
                f"{LIMITED_PREFETCH}: one that takes time would hold all messages until RabbitMQ's time-out"
            )
            self._note("consumer-prefetch", reason)
            prefetch = max(LIMITED_PREFETCH, every)
        return {**settings, "prefetch": prefetch}

    def _takes_time(self) -> bool:
        keys = ("consumer-latency-in-microseconds", "consumer-rate-limit")
        return bool(self._values["consumer-latencies"]) or any(self._values[key] > 0 for key in keys)

    def _times(self) -> dict[str, Any]:
        """Rates, processing times and the length of the measured stage."""
        rates = list(durations_of("publishing-rates", self._values["publishing-rates"]))
        latencies = list(durations_of("consumer-latencies", self._values["consumer-latencies"]))
        self._note_replaced(bool(rates), bool(latencies))
        length_s = self._length_s(rates, latencies)
        settings: dict[str, Any] = {"warmup_s": WARM_UP_S, **({} if latencies else self._processing())}
        if latencies:
            steps = self._steps("consumer-latencies", latencies, length_s)
            settings["processing_profile"] = [{"ms": us / 1e3, "for_s": for_s} for us, for_s in steps]
            settings["processing_ms"] = latencies[0][0] / 1e3
        if rates:
            steps = self._steps("publishing-rates", rates, length_s)
            settings["profile"] = [{"rate": rate, "for_s": for_s} for rate, for_s in steps]
            settings |= {"rate": self._first_rate(rates), "rate_per": "producer"}
        elif length_s is not None:
            settings["measure_s"] = length_s
        limit = self._values["producer-rate-limit"]
        if not rates and limit == 0:
            raise SpecError("producer-rate-limit", 0, "sends nothing; above 0, or leave it out for no limit")
        if not rates and limit > 0:
            settings |= {"rate": limit, "rate_per": "producer"}
        if length_s is not None and length_s > 2 * LEAST_DRAIN_S:
            settings["drain_s"] = length_s / 2
        return settings

    def _note_replaced(self, has_rates: bool, has_latencies: bool) -> None:
        """Values that hold still, where others that change take their place."""
        if has_rates and self._values["producer-rate-limit"] >= 0:
            self._note("producer-rate-limit", "publishing-rates take its place")
        if has_latencies:
            for key in ("consumer-latency-in-microseconds", "consumer-rate-limit"):
                if self._values[key] > 0:
                    self._note(key, "consumer-latencies take its place")

    def _length_s(self, *changing: list[tuple[float, float]]) -> int | None:
        """Seconds of the measured stage; None: as long as suites have it."""
        length_s: int = self._values["time-limit"]
        for key in ("producer-msg-count", "consumer-msg-count", "msg-count"):
            if self._values[key] > 0:
                if not length_s:
                    remedy = "a case has a length, not a number of messages; give time-limit, in seconds"
                    raise SpecError(key, self._values[key], remedy)
                self._note(key, f"a case has a length, not a number of messages: {length_s} s by time-limit")
        if length_s > 0:
            return length_s
        cycle_s = max((int(sum(for_s for _, for_s in steps)) for steps in changing), default=0)
        reason = "a case has an end, and measures for 15 s unless this is given"
        if cycle_s:
            reason = f"for as long as the values are given, {cycle_s} s"
        self._notes.append(Note("time-limit", "none", reason))
        return cycle_s or None

    def _processing(self) -> dict[str, Any]:
        latency_us, limit = (
            self._values["consumer-latency-in-microseconds"],
            self._values["consumer-rate-limit"],
        )
        if limit == 0:
            raise SpecError(
                "consumer-rate-limit", 0, "receives nothing; above 0, or leave it out for no limit"
            )
        if limit < 0:
            return {"processing_ms": latency_us / 1e3} if latency_us else {}
        self._note("consumer-rate-limit", f"each message is worked on for {1e3 / limit:g} ms")
        return {"processing_ms": max(latency_us / 1e3, 1e3 / limit)}

    def _first_rate(self, rates: list[tuple[float, float]]) -> float:
        """Of the warm-up, which needs one."""
        first = next((rate for rate, _ in rates if rate), None)
        if first is None:
            raise SpecError(
                "publishing-rates", _words(self._values["publishing-rates"]), "sends nothing at all"
            )
        return first

    def _steps(
        self, key: str, given: list[tuple[float, float]], length_s: int | None
    ) -> list[tuple[float, float]]:
        """The values one after another, again and again, for the length of the stage."""
        assert length_s is not None  # where values change, they have a length
        cycle_s = sum(for_s for _, for_s in given)
        if cycle_s > length_s:
            self._note(key, f"{cycle_s:g} s in all, of which time-limit lets {length_s} s pass")
        steps: list[tuple[float, float]] = []
        left = float(length_s)
        for value, for_s in itertools.cycle(given):
            held_s = min(for_s, left)
            if steps and steps[-1][0] == value:
                steps[-1] = (value, steps[-1][1] + held_s)
            else:
                steps.append((value, held_s))
            left -= held_s
            if not left:
                return steps
            if len(steps) > MAX_STEPS:
                remedy = f"more than {MAX_STEPS} values in a row; give a smaller time-limit, or longer values"
                raise SpecError(key, _words(self._values[key]), remedy)
        raise AssertionError("a cycle has no end")

    def _note(self, key: str, reason: str) -> None:
        self._notes.append(Note(key, _words(self._values[key]), reason))


def _words(value: object) -> str:
    """A value as one would write it."""
    if isinstance(value, dict):
        return ",".join(f"{name}={each}" for name, each in value.items())
    if isinstance(value, tuple):
        return ",".join(value)
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)
