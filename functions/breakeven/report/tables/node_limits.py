"""Nodes that were the limit of their case, in words, each sentence from its evidence.

What counts are the seconds in which messages went, from the first to the last, and of these those that were
sampled.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from breakeven import words
from breakeven.report.contract.node_model import NodeCourse
from breakeven.report.contract.report_model import CaseReport, Report

#: fewer samples say nothing; of a course, seconds
LEAST_SAMPLES = 5
#: of a host's cores, on average: above it there is none left for what comes in bursts
BUSY_CORES = 0.9
#: of a machine that nodes and loaders share: so little left, and all of its cores are the limit
LEAST_IDLE = 0.05
#: of a disk's time, on average
BUSY_DISK = 0.9
#: of a host's cores, withheld by the hypervisor on average: of a burstable type whose credits are spent
STOLEN = 0.1
#: in a row, without a sample: a single one may have come late
GAP_S = 3


@dataclass(frozen=True, slots=True)
class SharedCores:
    """Of a case whose nodes and loaders have used up the machine that they share. Cores; a share of 1."""

    cores: int
    nodes: int
    used: float
    idle: float

    def describe(self) -> str:
        nodes = "the node" if self.nodes == 1 else f"the {self.nodes} nodes together"
        return (
            f"The machine's {words.plural(self.cores, 'core')} were the limit: {nodes} used {self.used:.2f} "
            f"of them on average, loaders and all else the rest, and {self.idle:.1%} was idle."
        )


def findings(report: Report) -> dict[str, list[str]]:
    """Case id -> the sentences on its nodes, of the cases on which there are any."""
    found = {
        case_id: [said for course in courses for judge in OF_A_NODE.values() if (said := judge(course))]
        for case_id, courses in _courses(report).items()
    }
    return {case_id: sentences for case_id, sentences in found.items() if sentences}


def shared_cores(report: Report) -> dict[str, SharedCores]:
    """By case id, of the cases whose limit were the processors that nodes and loaders share."""
    courses = _courses(report)
    found = {case.case_id: _shared_cores(case, courses.get(case.case_id, [])) for case in report.cases}
    return {case_id: shared for case_id, shared in found.items() if shared}


def _courses(report: Report) -> dict[str, list[NodeCourse]]:
    courses: dict[str, list[NodeCourse]] = {}
    for course in report.nodes:
        courses.setdefault(course.case_id, []).append(course)
    return courses


def _shared_cores(case: CaseReport, courses: Sequence[NodeCourse]) -> SharedCores | None:
    """How much of the machine was idle, the loader itself has measured."""
    idle = case.loaders.known("idle_share")
    used = [mean for course in courses if (mean := _mean(course, course.cpu_cores)) is not None]
    cores = next((course.host_cores for course in courses if course.host_cores), None)
    if case.environment != "local" or not idle or not used or cores is None or min(idle) > LEAST_IDLE:
        return None
    return SharedCores(cores, len(used), sum(used), min(idle))


def _processors(course: NodeCourse) -> str:
    """Of nodes that have their hosts to themselves; others could never reach it."""
    used = _mean(course, course.cpu_cores)
    if used is None or not course.host_cores or used < BUSY_CORES * course.host_cores:
        return ""
    its = "its core" if course.host_cores == 1 else f"its {course.host_cores} cores"
    return f"{course.node} used {used:.2f} of {its} on average: its processor was the limit."


def _disk(course: NodeCourse) -> str:
    busy = _mean(course, course.disk_busy_share)
    if busy is None or busy < BUSY_DISK:
        return ""
    written, read = _mean(course, course.written_bytes_per_s), _mean(course, course.read_bytes_per_s)
    return (
        f"The disk of {course.node} was busy {busy:.0%} of the time, written at {_megabytes(written)} and "
        f"read at {_megabytes(read)}: it was the limit."
    )


def _stolen(course: NodeCourse) -> str:
    stolen = _mean(course, course.steal_cores)
    if stolen is None or not course.host_cores or stolen < STOLEN * course.host_cores:
        return ""
    return (
        f"The hypervisor withheld {stolen:.2f} of {words.plural(course.host_cores, 'core')} from "
        f"{course.node} on average, as from a burstable type whose credits are spent."
    )


def _alarm(raised: Callable[[NodeCourse], Sequence[bool | None]], what: str) -> Callable[[NodeCourse], str]:
    def judge(course: NodeCourse) -> str:
        seconds = [second for second, is_raised in enumerate(raised(course)) if is_raised]
        if not seconds:
            return ""
        span = f"from second {seconds[0]} to {seconds[-1]}" if len(seconds) > 1 else f"in second {seconds[0]}"
        return f"{course.node} had raised its {what} alarm {span}, which blocks whoever publishes."

    return judge


def _gap(course: NodeCourse) -> str:
    """The longest time without a sample of the node's processes, or of what its broker tells."""
    known = [course.cpu_cores, course.resident_bytes, course.depth]
    samples = next((values for values in known if values), [])
    longest, length = range(0), 0
    for second in course.working:
        length = length + 1 if second < len(samples) and samples[second] is None else 0
        if length > len(longest):
            longest = range(second - length + 1, second + 1)
    if len(longest) < GAP_S:
        return ""
    return (
        f"{course.node} has no figures from second {longest[0]} to {longest[-1]}: it was not there, or "
        "nobody looked."
    )


#: what a node's course may say; tests hold that each has its two boundary examples
OF_A_NODE: Mapping[str, Callable[[NodeCourse], str]] = {
    "processors": _processors,
    "disk": _disk,
    "stolen": _stolen,
    "memory alarm": _alarm(lambda course: course.memory_alarm, "memory"),
    "disk alarm": _alarm(lambda course: course.disk_alarm, "disk"),
    "gap": _gap,
}


def _mean(course: NodeCourse, values: Sequence[float | None]) -> float | None:
    """Over the working seconds that were sampled; None where these are too few."""
    known = [value for second in course.working if values and (value := values[second]) is not None]
    return fmean(known) if len(known) >= LEAST_SAMPLES else None


def _megabytes(rate: float | None) -> str:
    return "a rate that is not known" if rate is None else f"{words.figure(rate / words.MEGABYTE)} MB/s"
