"""A suite of our own from PerfTest's spec files, or from its command line."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Final

from breakeven.errors import InputError, printable
from breakeven.targets.catalog import SINGLE, TRIO, compared, record_of
from breakeven.terms import Environment
from breakeven.workload.fields import MAX_NAME
from breakeven.workload.perftest.command_line import CommandLine
from breakeven.workload.perftest.command_options import COMMAND
from breakeven.workload.perftest.spec_faults import in_keys, in_short
from breakeven.workload.perftest.spec_matrix import Group, combinations, parts
from breakeven.workload.perftest.spec_notes import Note, Notes
from breakeven.workload.perftest.spec_scenario import checked
from breakeven.workload.perftest.spec_text import parse_spec
from breakeven.workload.perftest.spec_values import SpecError, values_of
from breakeven.workload.perftest.spec_workload import SpecWorkload, workload_of
from breakeven.workload.problems import did_you_mean, shown
from breakeven.workload.read import decoded, parse_suite
from breakeven.workload.scenario import Cell, Defaults
from breakeven.workload.suite import Suite

#: of the highest rate, at which ``rate-vs-latency`` measures. Source: PerfTest's RateVsLatencyScenario
FACTORS: Final = (
    *(0.01, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 0.96, 0.97, 0.98, 0.99),
    *(1.0, 1.01, 1.02, 1.03, 1.04, 1.05),
)


@dataclass(frozen=True, slots=True)
class Wishes:
    """What PerfTest's files do not say.

    ``targets``: empty: by the type of queue that they ask for. ``full_rate``: messages a second of which
    ``rate-vs-latency`` takes its shares; None: what plans assume of the target in ``environment``.
    """

    environment: Environment
    targets: tuple[str, ...] = ()
    full_rate: float | None = None


def spec_suite(raw: bytes, where: str, wishes: Wishes) -> tuple[Suite, list[str]]:
    """The suite of a spec file, and a line for each thing that is carried out differently.

    :param where: the file's name; the suite is named after it
    :raises InputError: not a spec file, or something in it that cannot be carried out
    """
    scenarios = parse_spec(decoded(raw, where), where)
    if not scenarios:
        remedy = "a spec file has at least one scenario: {'name': …, 'type': 'simple', 'params': [{…}]}"
        raise InputError(where, "scenarios", "none", remedy)
    maker = _SuiteMaker(where, wishes, {})
    for number, scenario in enumerate(scenarios, 1):
        maker.add(checked(scenario, number, where))
    stem = PurePath(where).stem
    return maker.suite(_slug(stem), f"PerfTest's spec file {printable(PurePath(where).name)}")


def options_suite(line: CommandLine, wishes: Wishes) -> tuple[Suite, list[str]]:
    """The suite of one command line, of one case on each target.

    :raises InputError: something that cannot be carried out
    """
    maker = _SuiteMaker(COMMAND, wishes, line.called)
    maker.notes.add(line.name, line.notes)
    maker.add({"name": line.name, "type": "simple", "params": [line.params]}, place="")
    return maker.suite(_slug(line.name), f"PerfTest's command line, {printable(line.name)}")


class _SuiteMaker:
    """Collects scenarios, and what is to be said of them, one spec scenario after another."""

    def __init__(self, where: str, wishes: Wishes, called: Mapping[str, str]) -> None:
        self._where, self._wishes, self._called = where, wishes, called
        self._scenarios: dict[str, dict[str, Any]] = {}
        self._names: list[str] = []
        self.notes = Notes()
        for target in wishes.targets:
            if target not in brokers():
                remedy = f"{did_you_mean(target, brokers())}must be one of {', '.join(brokers())}"
                raise InputError("options", "--target", shown(target), remedy)

    def add(self, spec: Mapping[str, Any], place: str | None = None) -> None:
        """:raises InputError: something that cannot be carried out"""
        name, kind = spec["name"], spec["type"]
        self._names.append(name)
        place = printable(name) if place is None else place
        params: list[Mapping[str, Any]] = spec["params"]
        if len(params) > 1 and kind != "rate-vs-latency":
            remedy = (
                "one list of parameters each; make scenarios of the others, each starting with empty queues"
            )
            raise InputError(self._where, f"{place}.params", f"{len(params)} lists", remedy)
        variables: Sequence[Mapping[str, Any]] = spec.get("variables", ()) if kind == "varying" else ()
        try:
            groups = self._groups(name, params[0], variables)
        except SpecError as error:
            found = error.at(self._where, place, self._called)
            raise (in_short(found) if self._where == COMMAND else found) from None
        self._note_plain(spec, len(params))
        for number, group in enumerate(groups, 1):
            slug = self._free_name(_slug(name) if len(groups) == 1 else _slug(name, f"-{number}"))
            if slug != name and place:
                at = "" if len(groups) == 1 else f": {group.words()}"
                self.notes.add(name, [Note("name", name, f"{slug} in the suite{at}")])
            if kind == "rate-vs-latency":
                self._scenarios[self._free_name(_slug(slug, "-unlimited"))] = group.scenario()
                self._scenarios[slug] = self._at_rates(group)
            else:
                self._scenarios[slug] = group.scenario()

    def suite(self, name: str, title: str) -> tuple[Suite, list[str]]:
        """:raises InputError: values outside the ranges that suites have"""
        targets = list(
            dict.fromkeys(target for each in self._scenarios.values() for target in each["targets"])
        )
        defaults = _common(list(self._scenarios.values()))
        scenarios = {
            name: {key: value for key, value in each.items() if key not in defaults}
            for name, each in self._scenarios.items()
        }
        for each in scenarios.values():
            if each["targets"] == targets:
                del each["targets"]
        document = {
            **{"suite": name, "title": title[:300], "targets": targets},
            **{"defaults": defaults, "scenarios": scenarios},
        }
        lines = self.notes.lines(self._where, self._called, len(self._names))
        try:
            return parse_suite(document, self._where), lines
        except InputError as error:
            raise in_keys(error, self._called) from error

    def _groups(
        self, name: str, params: Mapping[str, Any], variables: Sequence[Mapping[str, Any]]
    ) -> list[Group]:
        """The cells of all combinations of the variables, together where only what cells have differs."""
        if not isinstance(params, Mapping):
            raise SpecError("params", params, "must be a list of objects")
        groups: dict[str, Group] = {}
        for chosen in combinations(variables):
            done = workload_of(values_of({**params, **chosen}))
            self.notes.add(name, done.notes)
            group = Group(done, self._targets(name, done), [], dict(chosen))
            group = groups.setdefault(group.key(), group)
            cell = {key: value for key, value in done.settings.items() if key in Cell.model_fields}
            if cell not in group.cells:
                group.cells.append(cell)
        return [
            Group(group.first, group.targets, cells, group.chosen)
            for group in groups.values()
            for cells in parts(group.cells)
        ]

    def _targets(self, name: str, done: SpecWorkload) -> list[str]:
        if not self._wishes.targets:
            return [TRIO if done.queue_type == "quorum" else SINGLE]
        for target in self._wishes.targets:
            if done.queue_type == "quorum" and record_of(target).group_size is None:
                reason = f"queues of {target} are of another type; leave --target out for quorum queues"
                self.notes.add(name, [Note("queue-arguments", "x-queue-type=quorum", reason)])
            if "group_size" in done.settings and record_of(target).has_mirrors:
                pair = f"x-quorum-initial-group-size={done.settings['group_size']}"
                reason = f"queues of {target} have no group: they are mirrored, with as many copies"
                self.notes.add(name, [Note("queue-arguments", pair, reason)])
        return list(self._wishes.targets)

    def _note_plain(self, spec: Mapping[str, Any], lists: int) -> None:
        """What a scenario has beside its parameters, and what of it has no effect."""
        name, notes = spec["name"], []
        if "uri" in spec:
            # what it says is not repeated: it may hold a password
            reason = "the run has brokers of its own; give --rabbitmq-url to use others"
            notes.append(Note("uri", "(not shown)", reason))
        if spec.get("interval", 1000) != 1000:
            notes.append(Note("interval", f"{spec['interval']:g}", "results are of each second"))
        if lists > 1:
            notes.append(Note("params", f"{lists} lists", "PerfTest's rate-vs-latency takes the first one"))
        if spec["type"] != "varying" and "variables" in spec:
            notes.append(Note("variables", f"{len(spec['variables'])}", "belongs to type varying"))
        self.notes.add(name, notes)

    def _at_rates(self, group: Group) -> dict[str, Any]:
        """The scenario of ``rate-vs-latency`` that offers shares of the highest rate."""
        full = self._wishes.full_rate or self._assumed(group)
        rates = list(dict.fromkeys(max(1.0, float(int(factor * full))) for factor in FACTORS))
        of_what = f"{full:g} messages a second (--full-rate), not of a first run"
        reason = f"its {len(rates)} rates are shares of {of_what}"
        self.notes.add(self._names[-1], [Note("type", "rate-vs-latency", reason)])
        return {**group.scenario(), "rate": rates, "rate_per": "case"}

    def _assumed(self, group: Group) -> float:
        settings = group.first.settings
        most = []
        for target in group.targets:
            rates = record_of(target).rates[self._wishes.environment]
            produce = rates.produce_most if settings["confirms"] else rates.unconfirmed or rates.produce_most
            most.append(min(produce, rates.consume_most))
            if rates.bytes_per_s:
                most.append(rates.bytes_per_s / settings["message_size"])
        return min(most)

    def _free_name(self, slug: str) -> str:
        if slug not in self._scenarios:
            return slug
        names = (_slug(slug, f"-{number}") for number in itertools.count(2))
        return next(name for name in names if name not in self._scenarios)


def _common(scenarios: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What all scenarios say alike, of what a suite may have defaults of."""
    first = scenarios[0]
    return {
        key: value
        for key, value in first.items()
        if key in Defaults.model_fields and all(key in each and each[key] == value for each in scenarios)
    }


def brokers() -> list[str]:
    """Targets that PerfTest could drive, too."""
    return [name for name in compared() if record_of(name).software == "rabbitmq"]


def _slug(text: str, end: str = "") -> str:
    """A name as suites have it, with this at its end."""
    name = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[: MAX_NAME - len(end)].strip("-")
    return (name or "perftest") + end
