"""Scales of a suite's own: what of it is otherwise in less time, and what such a scale cannot say."""

import pytest

from breakeven.errors import InputError
from breakeven.planning.expand import expand
from breakeven.planning.plan import make_plan
from breakeven.workload.read import at_scale, load_suite, parse_suite, shipped_suites

SCALED = [name for name in shipped_suites() if load_suite(name).scale]
SINGLE = "rabbitmq-single"


def document(local, **changes):
    base = {
        "suite": "mine",
        "title": "Mine",
        "targets": [SINGLE, "rabbitmq-mirrored-pair"],
        "repeats": 3,
        "defaults": {"measure_s": 30, "message_size": "1KiB"},
        "scale": {"local": local},
        "scenarios": {
            "one": {"producers": [1, 8], "consumers": 1},
            "two": {"threads": 4, "queues": [1, 4], "measure_s": 60},
        },
    }
    return {**base, **changes}


def local(changes, **others):
    return at_scale(parse_suite(document(changes, **others), "mine.yaml"), "local")


def cells(suite):
    return [(case.scenario, case.cell, case.target) for case in expand(suite, run_id="run-1")]


def test_a_scale_replaces_fields_one_by_one_and_leaves_the_others():
    scaled = local(
        {
            "repeats": 1,
            "warm_up": 0,
            "targets": [SINGLE],
            "defaults": {"measure_s": 5},
            "scenarios": {"one": {"producers": [1, 2]}},
        }
    )
    assert cells(scaled) == [
        ("one", "producers=1 consumers=1", SINGLE),
        ("one", "producers=2 consumers=1", SINGLE),
        ("two", "threads=4 queues=1", SINGLE),
        ("two", "threads=4 queues=4", SINGLE),
    ]
    found = {case.scenario: case.workload for case in expand(scaled, run_id="run-1")}
    assert (found["one"].measure_s, found["two"].measure_s) == (5, 60)
    assert found["one"].message_bytes == 1024
    assert (scaled.repeats, scaled.warm_up) == (1, 0)


def test_the_suite_at_a_scale_says_so_and_has_no_scales():
    scaled = local({"repeats": 1})
    assert (scaled.suite, scaled.title) == ("mine", "Mine, scale local")
    assert scaled.scale == {}
    assert scaled.where == "mine.yaml, scale.local"
    assert scaled.source == parse_suite(document({}), "mine.yaml").source


def test_scenarios_are_left_out_by_name():
    assert {name for name, _, _ in cells(local({"leave_out": ["two"]}))} == {"one"}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"threads": 2}, ["threads=2"]),
        ({"cells": [{"producers": 1, "consumers": 3}]}, ["producers=1 consumers=3"]),
    ],
)
def test_what_takes_the_place_of_other_fields_needs_no_word_about_them(changes, expected):
    scaled = local({"scenarios": {"one": changes}, "leave_out": ["two"], "targets": [SINGLE], "repeats": 1})
    assert [cell for _, cell, _ in cells(scaled)] == expected


def test_a_length_takes_the_place_of_a_profile():
    steps = [{"rate": 100, "for_s": 60}, {"rate": 200, "for_s": 60}]
    scenarios = {"one": {"threads": 1, "rate": 100, "profile": steps}}
    assert (
        local({"scenarios": {"one": {"measure_s": 5}}}, scenarios=scenarios).scenarios["one"].profile is None
    )
    shorter = [{"rate": 100, "for_s": 2}]
    kept = local({"scenarios": {"one": {"profile": shorter}}}, scenarios=scenarios)
    assert [step.for_s for step in kept.scenarios["one"].profile] == [2]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"leave_out": ["three"]},
            "scale.local.leave_out: 'three': is no scenario of the suite; there are one, two",
        ),
        ({"scenarios": {"three": {}}}, "scale.local.scenarios: 'three': is no scenario"),
        (
            {"leave_out": ["two"], "scenarios": {"two": {"threads": 1}}},
            "scale.local.scenarios.two: 'given': is left out of this scale, too",
        ),
        (
            {"scenarios": {"one": {"thread": 1}}},
            "mine.yaml, scale.local: scenarios.one.thread: 1: no such field; did you mean 'threads'?",
        ),
        ({"defaults": {"measure_s": 0}}, "mine.yaml, scale.local: defaults.measure_s: 0: must be"),
        ({"repeats": 0}, "mine.yaml: scale.local.repeats: 0: must be a whole number from 1 to 100"),
        (
            {"leave_out": ["one", "two"]},
            "mine.yaml: scale.local.leave_out: '[one, two]': leaves no scenario of the suite",
        ),
    ],
)
def test_a_scale_that_is_wrong_is_refused_with_the_suite(changes, words):
    with pytest.raises(InputError) as caught:
        parse_suite(document(changes), "mine.yaml")
    assert words in str(caught.value)


def test_an_unknown_scale_is_named_with_those_there_are():
    suite = parse_suite(document({}), "mine.yaml")
    with pytest.raises(
        InputError, match="no such scale of mine: it has local; give a number, or leave it out"
    ):
        at_scale(suite, "seconds")
    with pytest.raises(InputError, match="no such scale of quick: it has none of its own"):
        at_scale(load_suite("quick"), "local")
    other = document({}, scale={"hours": {}})
    with pytest.raises(InputError, match="one of local, seconds"):
        parse_suite(other, "mine.yaml")


@pytest.mark.parametrize("name", SCALED)
def test_a_shipped_suite_has_every_scale_each_shorter_than_the_one_before(name):
    suite = load_suite(name)
    lengths = [
        make_plan(each, run_id="run-1", environment="local").estimate.seconds
        for each in (suite, at_scale(suite, "local"), at_scale(suite, "seconds"))
    ]
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[2] < 4 * 60


@pytest.mark.parametrize("name", SCALED)
@pytest.mark.parametrize("scale", ["local", "seconds"])
def test_a_shipped_suite_can_run_on_one_machine_at_each_of_its_scales(name, scale):
    made = make_plan(at_scale(load_suite(name), scale), run_id="run-1", environment="local")
    assert made.refusals == []


@pytest.mark.parametrize("scale", ["local", "seconds"])
def test_on_one_machine_a_broker_is_killed_in_the_middle_of_each_level_of_intensity(scale):
    levels = [
        case.workload
        for case in expand(at_scale(load_suite("cluster-sizing"), scale), run_id="run-1", environment="local")
        if case.scenario == "rising"
    ]
    assert levels
    for level in levels:
        (fault,) = level.faults
        assert (fault.kind, fault.node) == ("kill", "leader")
        assert 0.25 <= fault.at_s / level.measure_s <= 0.5, "and time is left for what is killed to come back"
    if scale == "local":
        assert {level.rate for level in levels} == {200, 600}


def test_all_suites_at_their_local_scale_take_an_hour_at_most():
    plans = [
        make_plan(at_scale(load_suite(name), "local"), run_id="run-1", environment="local") for name in SCALED
    ]
    assert sum(plan.estimate.seconds for plan in plans) <= 3600
