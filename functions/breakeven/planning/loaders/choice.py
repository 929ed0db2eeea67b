"""The loaders of a plan's cases where earlier runs found one to be the limit, and why, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from breakeven import words
from breakeven.planning.budget.durations import case_seconds, start_deadline_s
from breakeven.planning.loaders.advice import Finding, LoaderAdvice, Place
from breakeven.planning.refusal import Refusal
from breakeven.planning.sizing import most_loaders
from breakeven.terms import Environment
from breakeven.workload.case import Case
from breakeven.workload.suite import Suite


def choose_loaders(
    suite: Suite,
    cases: Sequence[Case],
    advice: LoaderAdvice,
    environment: Environment,
    hardware: Mapping[str, object],
) -> tuple[list[Case], list[str]]:
    """The cases with their loaders, and a sentence for each cell that a finding holds for.

    A count that the suite asks for stands, and the sentence then warns.
    """
    place = Place.of(environment, hardware)
    chosen: list[Case] = []
    notes: dict[str, None] = {}
    for case in cases:
        finding = advice.of(case, place)
        if finding is None:
            chosen.append(case)
            continue
        explicit = suite.loaders_of(case.scenario) is not None
        loaders, why = _choice(case, finding, environment, hardware, explicit=explicit)
        within_s = start_deadline_s(loaders, environment, case.loader)
        took_s = case_seconds(case.workload, case.target, environment, case.loader, loaders)
        sized = {"loaders": loaders, "start_deadline_s": within_s, "expected_s": round(took_s, 1)}
        chosen.append(case.model_copy(update=sized))
        if why:
            notes[f"{case.scenario}, {case.cell} on {case.target}: {why}"] = None
    return chosen, list(notes)


def _choice(
    case: Case, finding: Finding, environment: Environment, hardware: Mapping[str, object], *, explicit: bool
) -> tuple[int, str]:
    """Loaders, and the sentence; empty where the plan's own count is as many as are wanted."""
    most = most_loaders(case.workload, environment, hardware)
    now, wanted = case.loaders, min(finding.wanted, most.loaders)
    if now >= finding.wanted:
        return now, ""
    if explicit:
        without = f"; without it the plan would take {wanted}" if wanted > now else ""
        return (
            now,
            f"{words.plural(now, 'loader')}, as the suite says, although {finding.describe()}{without}.",
        )
    if wanted <= now:
        why = (
            f"although {finding.describe()}. No more, as {most.why}. Its figures may be a lower bound again."
        )
        return now, f"{words.plural(now, 'loader')} as before, {why}"
    short = f". {finding.wanted} would be wanted, but {most.why}" if wanted < finding.wanted else ""
    return wanted, f"{words.plural(wanted, 'loader')} instead of {now}: {finding.describe()}{short}."


def not_more(notes: Sequence[str], why: Refusal) -> str:
    """That earlier runs ask for loaders which a plan cannot have."""
    return (
        f"No more loaders than usual, although earlier runs ask for them in {len(notes)} of its cells: with "
        f"them the plan would be refused ({why.field}: {why.remedy}). Their figures may be lower bounds."
    )
