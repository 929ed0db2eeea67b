"""Expected duration of a case, from the rates that are assumed of its target."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, isfinite

from breakeven.planning.budget.planning_assumptions import OVERHEADS
from breakeven.targets.catalog import record_of
from breakeven.terms import Environment, TargetName
from breakeven.workload.case import CLEAR_S, CLOSING_S, SCOUT_S, LoaderKind, Workload
from breakeven.workload.node_faults import NodeFault
from breakeven.workload.rate_profile import rate_profile

#: a Lambda function ends after 900 s; a loader stops itself a minute earlier and saves what it has
LOADER_LIMIT_S = 840.0
#: how long loaders wait for one another before the start, seconds. On one machine each takes a core for two
#: seconds or so to import its client, and brokers want the cores, too
START_DEADLINE_S = 60.0
START_DEADLINE_EACH_S: dict[Environment, float] = {"aws": 0.0, "local": 5.0}
#: the same of tasks: each gets a network interface and its image first, most within a minute or so, and a
#: hundred of them at the rate at which ECS starts tasks, with retries
TASK_START_DEADLINE_S = 300.0
#: how much longer than expected a loader may take where what it does has no length of its own: rates are
#: assumed, and the money's are fast ones
SLACK = 1.5
#: of a capacity search by short probes only: from a first rate that is off by a factor of four, 5% at the
#: end, and the rate that bounds it tried again; and so many leave open whether their rate is held, so that a
#: longer one follows
SHORT_PROBES, OPEN_PROBES = 9, 2
#: of one that scouts with short probes: of these, 19% at the end, and the bound tried again; then of full
#: length, on average of four and six: from where they led, steps beside it, 5% at the end, the bound again
SCOUTS, DECISIVE_PROBES = 7, 5
#: of a capacity search before its first probe, seconds
SETTLING_S = 8.0
#: seconds to connect, to finish what was due and to empty the queues; and what several loaders take beyond
#: that to begin together and to hand in what they saw
BETWEEN_PROBES_S, MEETING_S = 2.5, 2.5


@dataclass(frozen=True, slots=True)
class Expected:
    """What is expected of a case: messages, and seconds from its gate to the end of its drain."""

    messages: float
    stages_s: float


def expected(workload: Workload, target: TargetName, environment: Environment, loaders: int = 1) -> Expected:
    """Messages and seconds of a case's stages. Only a search's depend on how many loaders it has."""
    if workload.mode == "capacity":
        return _search(workload, target, environment, loaders)
    produce = produce_rate(workload, target, environment)
    consume = consume_rate(workload, target, environment)
    if workload.messages is not None:
        return Expected(workload.messages, workload.messages / produce + workload.messages / consume)
    loaded, sending_s = workload.prefill, workload.warmup_s + workload.measure_s
    if workload.is_open:
        produce = rate_profile(workload).integral(sending_s) / sending_s  # what is offered, held or not
    backlog = max(0.0, loaded + (produce - consume) * sending_s)
    everyone = workload.model_copy(update={"consumers": workload.producers + workload.consumers})
    drain_s = min(backlog / consume_rate(everyone, target, environment), workload.drain_s)
    loading_s = prefill_seconds(workload, target, environment)
    return Expected(loaded + produce * sending_s, loading_s + sending_s + drain_s)


def prefill_seconds(workload: Workload, target: TargetName, environment: Environment) -> float:
    """Seconds that loading the queues is expected to take, before the first stage."""
    if not workload.prefill:
        return 0.0
    loading = workload.model_copy(update={"producers": workload.senders})
    return workload.prefill / produce_rate(loading, target, environment)


def _search(workload: Workload, target: TargetName, environment: Environment, loaders: int) -> Expected:
    """Of a capacity search: probes around the rate that is assumed of the target."""
    most = record_of(target).rates[environment].produce_most
    between_s = BETWEEN_PROBES_S + (loaders > 1) * MEETING_S
    holds = probe_holds(workload)
    sending_s = sum(holds) + len(holds) * workload.warmup_s
    return Expected(most * sending_s, SETTLING_S + sending_s + len(holds) * between_s)


def probe_holds(workload: Workload) -> list[float]:
    """For how long each probe that is expected of a capacity search holds its rate, seconds."""
    if workload.measure_s < CLEAR_S:
        holds = [workload.measure_s] * SHORT_PROBES + [CLEAR_S] * OPEN_PROBES
    else:
        holds = [SCOUT_S] * SCOUTS + [workload.measure_s] * DECISIVE_PROBES
    return [*holds, workload.confirm_s] if workload.confirm_s else holds


def produce_rate(workload: Workload, target: TargetName, environment: Environment) -> float:
    """Messages sent a second, all producers together."""
    rates = record_of(target).rates[environment]
    most = rates.produce_most if workload.confirms or rates.unconfirmed is None else rates.unconfirmed
    each = rates.produce_each if workload.confirms else most
    calls = min(workload.producers * each, most)
    return _bounded(workload, calls * workload.send_batch, rates.bytes_per_s)


def consume_rate(workload: Workload, target: TargetName, environment: Environment) -> float:
    """Messages received and settled a second, all consumers together, each with its calls or deliveries
    at once.
    """
    rates = record_of(target).rates[environment]
    at_once = workload.most_in_hand if workload.consume == "push" else workload.in_flight
    rate = min(workload.consumers * at_once * rates.consume_each, rates.consume_most)
    calls = (1 / workload.receive_batch + 1 / workload.delete_batch) / 2  # for one of each, a message
    return _bounded(workload, rate / calls, rates.bytes_per_s)


def _bounded(workload: Workload, rate: float, bytes_per_s: float | None) -> float:
    return rate if bytes_per_s is None else min(rate, bytes_per_s / workload.message_bytes)


def loader_kind(workload: Workload, target: TargetName, environment: Environment) -> LoaderKind:
    """What the case's loaders run as, unless the suite says: functions, as long as they are long enough."""
    return "fargate" if too_long_by(workload, target, environment) > 0 else "lambda"


def limit_s(workload: Workload, target: TargetName, environment: Environment, loader: LoaderKind) -> float:
    """Seconds that a loader may take in all, from its own start.

    A function's are the service's. A task's are what the case can take, in whole minutes, and never fewer.
    """
    if loader == "lambda":
        return LOADER_LIMIT_S
    search = SLACK if workload.mode == "capacity" else 1.0
    needed = seconds_needed(workload, target, environment) * search
    whole = ceil((needed + TASK_START_DEADLINE_S + CLOSING_S) / 60) * 60.0
    return max(LOADER_LIMIT_S, whole)


def loader_seconds(
    workload: Workload, target: TargetName, environment: Environment, loaders: int = 1
) -> float:
    """Seconds that each of the case's loaders is expected to run."""
    return OVERHEADS[environment].gate + expected(workload, target, environment, loaders).stages_s


def case_seconds(
    workload: Workload,
    target: TargetName,
    environment: Environment,
    loader: LoaderKind = "lambda",
    loaders: int = 1,
) -> float:
    """Seconds of the whole case: prepare, loaders, settle, nodes stopped before and started after, and those
    that a fault has taken awaited.
    """
    overheads = OVERHEADS[environment]
    around = overheads.before_case + overheads.after_case + (workload.nodes_down > 0) * overheads.nodes_down
    around += bool(workload.node_faults) * overheads.faults
    around += (loader == "fargate") * overheads.task_start
    return around + watch_seconds(workload, target, environment, loaders)


def watch_seconds(
    workload: Workload, target: TargetName, environment: Environment, loaders: int = 1
) -> float:
    """Seconds of the case's watch: as long as its loaders, and until its last fault is over."""
    of_loaders_s = loader_seconds(workload, target, environment, loaders)
    return max(of_loaders_s, faults_seconds(workload, target, environment))


def faults_seconds(workload: Workload, target: TargetName, environment: Environment) -> float:
    """Seconds until the last fault is over, which the watch awaits; a service may take all it is given."""
    ends = [fault.end_s for fault in workload.faults]
    ends += [fault.at_s + fault.most_s for fault in workload.reboots]
    if not ends:
        return 0.0
    loading_s = prefill_seconds(workload, target, environment)
    return OVERHEADS[environment].gate + loading_s + workload.warmup_s + max(ends)


def seconds_needed(workload: Workload, target: TargetName, environment: Environment) -> float:
    """Seconds that a loader must be allowed: more than is expected, or for a timed case all it may take.

    A search ends within its loader's time, whatever that is.
    """
    if workload.messages is not None:
        stages_s = SLACK * expected(workload, target, environment).stages_s
        return OVERHEADS[environment].gate + stages_s + _in_hand_s(workload)
    if workload.mode == "capacity":
        return loader_seconds(workload, target, environment)
    loading_s = SLACK * prefill_seconds(workload, target, environment)
    stages_s = workload.measure_s + workload.drain_s
    # the watch, which is with the loaders to their end, waits for nodes that are not back by then
    back = (_last_s(fault, stages_s) + fault.most_s - fault.for_s for fault in workload.node_faults)
    back_s = max(back, default=0.0)
    stages_s += _in_hand_s(workload)
    return OVERHEADS[environment].gate + loading_s + workload.warmup_s + max(stages_s, back_s)


def _in_hand_s(workload: Workload) -> float:
    """Seconds that consumers may work on what they have in hand when the last message is received."""
    return workload.in_hand_s if isfinite(workload.in_hand_s) else 0.0  # the plan refuses it, or nobody works


def _last_s(fault: NodeFault, stages_s: float) -> float:
    """When a fault's last node is started again at the latest: a rolling restart takes nodes to their end."""
    return stages_s + fault.for_s if fault.is_rolling else fault.end_s


def start_deadline_s(loaders: int, environment: Environment, loader: LoaderKind = "lambda") -> float:
    """Seconds within which all of a case's loaders must be ready."""
    least = TASK_START_DEADLINE_S if loader == "fargate" else START_DEADLINE_S
    return max(least, loaders * START_DEADLINE_EACH_S[environment])


def too_long_by(workload: Workload, target: TargetName, environment: Environment) -> float:
    """Seconds over what a loader has; zero or less when the case fits."""
    return seconds_needed(workload, target, environment) - (LOADER_LIMIT_S - CLOSING_S)
