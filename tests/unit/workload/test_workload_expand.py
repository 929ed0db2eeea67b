"""From a suite to its cases: matrices, variants, scale, ids and tags, and what cannot run."""

import re

import pytest

from breakeven.errors import InputError
from breakeven.planning.expand import expand
from breakeven.planning.workload_settings import scaled
from breakeven.workload.read import load_suite, parse_suite

SQS, RABBITMQ = "sqs-standard", "rabbitmq-mirrored-pair"
SOURCE_A_CELLS = [
    ("load-unload", "threads=5", 5, 5, 1, 1024),
    ("parallel", "threads=1", 1, 1, 1, 1024),
    ("parallel", "threads=5", 5, 5, 1, 1024),
    ("parallel", "threads=10", 10, 10, 1, 1024),
    ("parallel", "threads=40", 40, 40, 1, 1024),
    ("queues", "threads=5 queues=5", 5, 5, 5, 1024),
    ("queues", "threads=10 queues=5", 10, 10, 5, 1024),
    ("asymmetric", "producers=10 consumers=1", 10, 1, 1, 1024),
    ("asymmetric", "producers=1 consumers=10", 1, 10, 1, 1024),
    ("size", "size=16B", 5, 5, 1, 16),
    ("size", "size=1KiB", 5, 5, 1, 1024),
    ("size", "size=64KiB", 5, 5, 1, 65536),
]


def suite(scenarios, **changes):
    base = {"suite": "mine", "title": "A suite", "targets": [SQS, RABBITMQ], "scenarios": scenarios}
    return parse_suite({**base, **changes}, "mine.yaml")


def cases(scenarios, *, run_id="run-1", variant=None, scale=1.0, environment="aws", **changes):
    return expand(
        suite(scenarios, **changes), run_id=run_id, variant=variant, scale=scale, environment=environment
    )


def fault(scenarios, **changes):
    with pytest.raises(InputError) as caught:
        cases(scenarios, **changes)
    return caught.value


@pytest.mark.parametrize("name", ["sqs-vs-rabbitmq-2012", "quick"])
@pytest.mark.parametrize("target", [SQS, RABBITMQ])
def test_the_shipped_suites_hold_every_cell_of_source_a(name, target):
    found = [case for case in expand(load_suite(name), run_id="run-1") if case.target == target]
    assert sorted(
        (
            case.scenario,
            case.cell,
            case.workload.producers,
            case.workload.consumers,
            case.workload.queues,
            case.workload.message_bytes,
        )
        for case in found
        if case.scenario != "latency"  # today's question
    ) == sorted(SOURCE_A_CELLS)


def test_the_suite_of_2012_has_its_stages_and_messages():
    found = expand(load_suite("sqs-vs-rabbitmq-2012"), run_id="run-1")
    assert {(c.workload.warmup_s, c.workload.measure_s) for c in found if c.scenario != "load-unload"} == {
        (2, 15)
    }
    assert {c.workload.messages for c in found} == {1_000_000, None}
    assert {(c.workload.consume, c.workload.wait_s, c.workload.prefetch) for c in found} == {("get", 0, 1)}


def test_the_quick_suite_keeps_its_least_stages():
    found = expand(load_suite("quick"), run_id="run-1", environment="local")
    timed = [case.workload for case in found if case.workload.mode == "parallel"]
    assert min(workload.warmup_s for workload in timed) >= 1
    assert min(workload.measure_s for workload in timed) >= 3
    assert {case.workload.messages for case in found if case.scenario == "load-unload"} == {10_000}


@pytest.mark.parametrize("name", ["sqs-vs-rabbitmq-2012", "quick"])
def test_as_published_turns_confirms_off_on_rabbitmq_only(name):
    found = expand(load_suite(name), run_id="run-1", variant="as-published")
    of_2012 = [c for c in found if c.target in (SQS, RABBITMQ)]
    assert {(c.target, c.variant, c.workload.confirms, c.workload.mandatory) for c in of_2012} == {
        (SQS, "as-published", True, True),
        (RABBITMQ, "as-published", False, False),
    }


def test_equal_guarantees_is_the_default():
    found = expand(load_suite("quick"), run_id="run-1")
    assert {(c.variant, c.workload.confirms, c.workload.mandatory, c.workload.persistent) for c in found} == {
        ("equal-guarantees", True, True, True)
    }


def test_a_variant_that_the_suite_does_not_have_is_refused():
    error = fault({"p": {"threads": 1}}, variant="as-published")
    assert (error.where, error.field, error.value) == ("mine.yaml", "variant", "as-published")
    assert "this suite has equal-guarantees" in error.remedy


def test_each_target_gets_its_client():
    assert {(c.target, c.workload.client) for c in cases({"p": {"threads": 1}})} == {
        (SQS, "native"),
        (RABBITMQ, "native"),
    }


def test_what_a_target_does_anyway_is_not_up_to_the_suite():
    by_target = {
        case.target: case.workload
        for case in cases({"p": {"threads": 1, "confirms": False, "persistent": False, "wait_s": 5}})
    }
    assert (by_target[SQS].confirms, by_target[SQS].persistent, by_target[SQS].wait_s) == (True, True, 5)
    assert (by_target[RABBITMQ].confirms, by_target[RABBITMQ].persistent) == (False, False)
    assert by_target[RABBITMQ].wait_s == 0


def test_lists_multiply_and_repeats_come_in_rounds():
    found = cases({"p": {"threads": [2, 4], "queues": [1, 2]}}, repeats=2)
    assert len(found) == 4 * 2 * 2
    assert [case.cell for case in found[:8:2]] == [
        "threads=2 queues=1",
        "threads=2 queues=2",
        "threads=4 queues=1",
        "threads=4 queues=2",
    ]
    assert [case.repeat for case in found] == [1] * 8 + [2] * 8


def test_the_nearest_layer_says_how_many_workers_there_are():
    found = cases({"p": {"producers": 7}, "q": {}}, defaults={"threads": 3}, targets=[SQS])
    assert [(c.workload.producers, c.workload.consumers) for c in found] == [(7, 3), (3, 3)]


def test_ids_are_readable_url_safe_and_stay_when_the_matrix_grows():
    few = {case.case_id for case in cases({"p": {"threads": [1, 40]}})}
    more = {case.case_id for case in cases({"p": {"threads": [1, 5, 40]}, "q": {"threads": 2}}, repeats=3)}
    assert "p.threads-40.sqs-standard.r1" in few
    assert few < more
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+", case_id) for case_id in more)


def test_tags_tell_the_cases_of_a_run_apart_and_are_the_same_again():
    scenarios = {"p": {"threads": list(range(1, 51))}}
    first = cases(scenarios, repeats=10)
    tags = [case.tag for case in first]
    assert len(set(tags)) == len(tags) == 1000
    assert tags == [case.tag for case in cases(scenarios, repeats=10)]
    assert tags != [case.tag for case in cases(scenarios, repeats=10, run_id="run-2")]


def test_scale_shrinks_message_counts_and_nothing_else():
    scenarios = {"l": {"mode": "load-unload", "messages": 1000, "threads": 5}, "p": {"threads": 5}}
    full, small = cases(scenarios), cases(scenarios, scale=0.29)
    assert [case.workload.messages for case in small if case.scenario == "l"] == [290, 290]
    assert [c.workload for c in small if c.scenario == "p"] == [c.workload for c in full if c.scenario == "p"]
    assert [case.case_id for case in small] == [case.case_id for case in full]


@pytest.mark.parametrize(
    ("messages", "scale", "expected"),
    [(1_000_000, 0.57, 570_000), (10, 0.001, 1), (7, 1.0, 7), (100, 0.29, 29)],
)
def test_scaled_counts_are_exact_and_at_least_one(messages, scale, expected):
    assert scaled(messages, scale) == expected


@pytest.mark.parametrize("scale", [0, -1, 1e-300, 1.01, float("nan")])
def test_a_scale_out_of_range_is_refused(scale):
    error = fault({"p": {"threads": 1}}, scale=scale)
    assert error.field == "scale"
    assert "must be from 0.000001 to 1" in error.remedy


IMPOSSIBLE = [
    ({"p": {}}, {}, "scenarios.p.threads", None, "threads, or producers and consumers"),
    ({"p": {"producers": 5}}, {}, "scenarios.p.consumers", None, "is required"),
    ({"p": {"threads": 3, "queues": 5}}, {}, "scenarios.p.queues", 5, "at most 3"),
    ({"p": {"threads": 3}}, {"defaults": {"queues": 5}}, "defaults.queues", 5, "3 producers"),
    (
        {"p": {"cells": [{"producers": 10, "consumers": 1, "queues": 2}]}},
        {},
        "scenarios.p.cells",
        2,
        "1 consumer would leave a queue without one",
    ),
    ({"p": {"threads": 1, "message_size": "2MiB"}}, {}, "scenarios.p.message_size", "2MiB", "at most 1MiB"),
    (
        {"p": {"threads": 1, "consume": "push"}},
        {},
        "scenarios.p.consume",
        "push",
        "Amazon SQS does not push",
    ),
    (
        {"p": {"cells": [{"threads": 5}, {"producers": 5, "consumers": 5}]}},
        {},
        "scenarios.p.cells",
        "producers=5 consumers=5",
        "the same workload as 'threads=5'",
    ),
    (
        {"p": {"threads": list(range(1, 41)), "message_size": list(range(16, 56))}},
        {},
        "scenarios",
        3200,
        "at most 1000 cases",
    ),
]


@pytest.mark.parametrize(("scenarios", "changes", "field", "value", "remedy"), IMPOSSIBLE)
def test_a_matrix_that_cannot_run_is_refused(scenarios, changes, field, value, remedy):
    error = fault(scenarios, **changes)
    assert (error.where, error.field, error.value) == ("mine.yaml", field, value)
    assert remedy in error.remedy


def test_a_size_over_one_targets_limit_is_fine_on_the_other():
    found = cases({"p": {"threads": 1, "message_size": "2MiB"}}, targets=[RABBITMQ])
    assert [case.workload.message_bytes for case in found] == [2 * 1024**2]


def test_sqs_takes_a_message_of_exactly_its_limit():
    found = cases({"p": {"threads": 1, "message_size": "1MiB"}}, targets=[SQS])
    assert [case.workload.message_bytes for case in found] == [1024**2]


def test_push_is_for_the_target_that_a_variant_names():
    variants = {"equal-guarantees": {RABBITMQ: {"consume": "push", "prefetch": 50}}}
    found = cases({"p": {"threads": 1}}, variants=variants)
    assert {(c.target, c.workload.consume, c.workload.prefetch) for c in found} == {
        (SQS, "get", 1),
        (RABBITMQ, "push", 50),
    }


def test_an_impossible_override_is_blamed_on_the_variant():
    error = fault({"p": {"threads": 1}}, variants={"equal-guarantees": {SQS: {"consume": "push"}}})
    assert error.field == "variants.equal-guarantees.sqs-standard.consume"


def test_the_native_client_drives_a_queue_unless_an_ordinary_one_is_asked_for():
    def clients(**scenario):
        return {case.target: case.workload.client for case in cases({"p": {"threads": 1, **scenario}})}

    assert clients() == clients(client="native") == {SQS: "native", RABBITMQ: "native"}
    assert clients(client="ordinary") == {SQS: "boto3", RABBITMQ: "pika"}


def test_a_client_that_does_not_speak_to_a_target_is_refused():
    error = fault({"p": {"threads": 1, "client": "pika"}})
    assert (error.field, error.value) == ("scenarios.p.client", "pika")
    assert "sqs-standard is driven by native, or by boto3" in error.remedy


def test_the_same_fault_of_many_cells_is_said_once():
    error = fault({"p": {"threads": [1, 2, 3, 4], "queues": 9}})
    assert len(str(error).splitlines()) == 1


def test_a_scenario_has_targets_of_its_own():
    scenarios = {"both": {"threads": 1}, "one": {"threads": [1, 2], "targets": [RABBITMQ]}}
    found = [(case.scenario, case.target) for case in cases(scenarios)]
    assert found == [("both", SQS), ("both", RABBITMQ), ("one", RABBITMQ), ("one", RABBITMQ)]


def test_a_search_for_a_capacity_stands_in_a_suite_with_sqs():
    search = {"mode": "capacity", "rate": 100, "threads": 1}
    assert len(cases({"p": {"threads": 1}, "c": {**search, "targets": [RABBITMQ]}})) == 3
    assert "give this scenario targets without it" in fault({"c": search}).remedy


def test_a_scenario_s_targets_are_the_suite_s():
    found = fault({"p": {"threads": 1}, "q": {"threads": 1, "targets": ["rabbitmq-single"]}})
    assert (found.field, found.value) == ("scenarios.q.targets", "rabbitmq-single")
    assert "add it there" in found.remedy


def test_a_target_that_no_scenario_is_measured_on_is_refused():
    found = fault({"p": {"threads": 1, "targets": [SQS]}})
    assert (found.field, found.value) == ("targets", RABBITMQ)


def test_cases_are_counted_on_the_targets_that_each_scenario_has():
    many = {"threads": list(range(1, 51)), "queues": 1}
    scenarios = {f"s{n}": {**many, "targets": [SQS]} for n in range(19)} | {"both": {**many, "threads": 1}}
    assert len(cases(scenarios)) == 952
    scenarios["s19"] = {**many, "targets": [SQS, RABBITMQ]}
    assert fault(scenarios).value == 1052
