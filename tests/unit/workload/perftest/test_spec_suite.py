"""Suites from PerfTest's spec files: what is carried out, what is noted, and what is refused."""

import json

import pytest

from breakeven.errors import InputError
from breakeven.planning.expand import expand
from breakeven.workload.perftest.spec_keys import KEYS
from breakeven.workload.perftest.spec_suite import FACTORS, Wishes, spec_suite
from breakeven.workload.read import scenarios

HERE = Wishes("local")


def of_params(wishes=HERE, **params):
    """The suite of one scenario with these parameters, and its notes."""
    params = {key.replace("_", "-"): value for key, value in params.items()}
    given = {"queue-names": ["q"], "time-limit": 30, **params}
    scenario = {"name": "one", "type": "simple", "params": [given]}
    return spec_suite(json.dumps([scenario]).encode(), "spec.js", wishes)


def workload(wishes=HERE, **params):
    (case,) = expand(of_params(wishes, **params)[0], run_id="r", environment="local")
    return case.workload


def refusal(**params):
    with pytest.raises(InputError) as raised:
        workload(**params)
    return raised.value


def test_the_published_step_of_a_ladder_is_accepted_unchanged():
    raw = (scenarios() / "perftest" / "ladder-step.js").read_bytes()
    suite, notes = spec_suite(raw, "spec-file1_1.js", HERE)
    (case,) = expand(suite, run_id="r", environment="local")
    found = case.workload
    assert (found.producers, found.consumers, found.rate, found.message_bytes) == (1, 1, 1000.0, 64)
    assert (found.measure_s, found.confirms, found.acks, found.persistent) == (60.0, False, True, False)
    assert (found.consume, found.prefetch, case.target) == ("push", 0, "rabbitmq-single")
    assert not any("password" in note for note in notes)


def test_the_published_mixed_file_is_accepted_unchanged():
    raw = (scenarios() / "perftest" / "mixed.js").read_bytes()
    suite, notes = spec_suite(raw, "mixed.js", HERE)
    cases = expand(suite, run_id="r", environment="local")
    by_scenario = {name: [case for case in cases if case.scenario == name] for name in suite.scenarios}
    assert {name: len(found) for name, found in by_scenario.items()} == {
        "no-ack": 1,
        "message-sizes-and-producers": 50,
        "message-sizes-large": 6,
        "rate-vs-latency-unlimited": 1,
        "rate-vs-latency": len(FACTORS),
    }
    sizes = {
        (each.workload.producers, each.workload.message_bytes)
        for each in by_scenario["message-sizes-and-producers"]
    }
    assert sizes == {(count, size) for count in range(1, 11) for size in (16, 64, 128, 1024, 1024000)}
    assert all(each.workload.consumers == 0 for each in by_scenario["message-sizes-and-producers"])
    rates = [each.workload.rate for each in by_scenario["rate-vs-latency"]]
    assert rates == [int(factor * 1500) for factor in FACTORS]
    assert any("shares of 1500 messages a second" in note for note in notes)


def test_rates_are_shares_of_the_rate_that_is_given():
    scenario = {"name": "r", "type": "rate-vs-latency", "params": [{"time-limit": 5, "queue-names": "q"}]}
    suite, _ = spec_suite(json.dumps([scenario]).encode(), "spec.js", Wishes("aws", full_rate=10_000))
    assert suite.scenarios["r"].rate == [int(factor * 10_000) for factor in FACTORS]


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({"confirm": 50}, {"confirms": True, "window": 50}),
        ({"confirm": 0}, {"confirms": True, "window": 65_535}),
        ({"auto_ack": True}, {"acks": False}),
        ({"multi_ack_every": 10, "consumer_prefetch": 100}, {"ack_every": 10, "prefetch": 100}),
        ({"channel_prefetch": 7, "consumer_prefetch": 9}, {"prefetch": 7}),
        ({"flags": ["persistent", "MANDATORY"]}, {"persistent": True, "mandatory": True}),
        ({"flag_persistent": True}, {"persistent": True, "mandatory": False}),
        ({"rate": 20, "producer_count": 3}, {"rate": 60.0, "producers": 3}),
        ({"producer_count": 2, "producer_channel_count": 3}, {"producers": 6}),
        ({"consumer_rate": 50}, {"processing_ms": 20.0, "prefetch": 200}),
        ({"consumer_latency_in_microseconds": 1500}, {"processing_ms": 1.5}),
        ({"polling": True}, {"consume": "get"}),
        ({"min_msg_size": "1000"}, {"message_bytes": 1000}),
        (
            {"queue_names": [], "queue_pattern": "q-%d", "queue_sequence_from": 1, "queue_sequence_to": 4}
            | {"producer_count": 4, "consumer_count": 4},
            {"queues": 4},
        ),
        ({"queue_arguments": "x-queue-type=quorum,x-quorum-initial-group-size=1"}, {"group_size": 1}),
        ({"queue_arguments": {"x-queue-mode": "lazy"}}, {"queue_mode": "lazy"}),
        ({"queue_arguments": {"x-queue-mode": "default"}}, {"queue_mode": "default"}),
        ({"time_limit": 600}, {"measure_s": 600.0, "drain_s": 300.0}),
        ({"time_limit": 1800}, {"measure_s": 1800.0, "drain_s": 900.0}),
    ],
)
def test_a_parameter_is_carried_out(params, expected):
    found = workload(**params)
    assert {name: getattr(found, name) for name in expected} == expected


def test_rates_that_change_go_round_until_the_time_is_over():
    found = workload(publishing_rates=["10:20", "0:10"], producer_count=2, time_limit=70)
    assert [(step.value, step.for_s, step.ramp) for step in found.profile] == [
        *((20.0, 20.0, False), (0.0, 10.0, False)) * 2,
        (20.0, 10.0, False),
    ]
    assert (found.measure_s, found.rate) == (70.0, 20.0)


def test_processing_that_changes_is_cut_where_the_time_is_over_and_said():
    suite, notes = of_params(consumer_latencies=["1000:20", "5000:60"], time_limit=50, consumer_prefetch=10)
    (case,) = expand(suite, run_id="r", environment="local")
    assert [(step.value, step.for_s) for step in case.workload.processing_profile] == [
        (1.0, 20.0),
        (5.0, 30.0),
    ]
    assert [note for note in notes if "consumer-latencies" in note] == [
        "spec.js: consumer-latencies: 1000:20,5000:60: 80 s in all, of which time-limit lets 50 s pass"
    ]


@pytest.mark.parametrize("key", [key for key, each in KEYS.items() if each.outcome == "noted"])
def test_a_parameter_that_changes_nothing_is_noted_by_key_value_and_reason(key):
    value = {"flag": not KEYS[key].default, "text": "other"}.get(KEYS[key].kind, 17)
    _, notes = of_params(**{key: value})
    shown = str(value).lower()
    assert f"spec.js: {key}: {shown}: {KEYS[key].reason}" in notes


@pytest.mark.parametrize("key", [key for key, each in KEYS.items() if each.outcome == "refused"])
def test_a_parameter_that_would_measure_something_else_is_refused_by_key_value_and_reason(key):
    value = {"flag": True, "text": "x", "names": ["x"], "pairs": "a=1"}.get(KEYS[key].kind, 17)
    error = refusal(**{key: value})
    assert (error.field, error.remedy) == (f"one.{key}", KEYS[key].reason)


#: parameters with a default that can be written down; of the other two, that is their absence
WRITTEN = [
    key for key in sorted(KEYS) if KEYS[key].default is not None and key not in ("queue-names", "time-limit")
]


@pytest.mark.parametrize("key", WRITTEN)
def test_a_parameter_of_its_default_value_is_nothing_to_speak_of(key):
    value = KEYS[key].default
    assert of_params(**{key: list(value) if value == () else value})[1] == of_params()[1]


@pytest.mark.parametrize(
    ("params", "field", "remedy"),
    [
        ({"producer_cont": 2}, "one.producer-cont", "did you mean 'producer-count'?"),
        ({"producer_count": "two"}, "one.producer-count", "must be a whole number"),
        ({"producer_count": 1.5}, "one.producer-count", "must be a whole number"),
        ({"producer_count": 0}, "one.producer-count", "nothing to consume"),
        ({"producer_count": 900}, "one.producer-count", "to 800"),
        ({"producer_channel_count": 0}, "one.producer-channel-count", "at least 1"),
        ({"rate": 5, "producer_rate_limit": 6}, "one.producer-rate-limit", "is there, too"),
        ({"producer_rate_limit": 0}, "one.producer-rate-limit", "sends nothing"),
        ({"rate": 1e300}, "one.producer-rate-limit", "must be a number"),
        ({"auto_ack": "yes"}, "one.auto-ack", "true or false"),
        ({"flags": ["immediate"]}, "one.flags", "left RabbitMQ in 3.0"),
        ({"flags": ["persist"]}, "one.flags", "must be persistent or mandatory"),
        ({"queue_names": ["a", "b"]}, "one.queue-names", "every queue"),
        ({"queue_names": [], "consumer_count": 2}, "one.queue-names", "each of the 2 consumers would"),
        ({"queue_names": [], "queue_pattern": "q-%d"}, "one.queue-pattern", "needs queue-sequence-from"),
        ({"queue_arguments": "x-max-length=5"}, "one.queue-arguments", "would change what is measured"),
        (
            {"queue_arguments": "x-queue-type=stream"},
            "one.queue-arguments",
            "must be x-queue-type=classic or",
        ),
        ({"queue_arguments": "quorum"}, "one.queue-arguments", "names and values"),
        ({"exchange_type": "fanout"}, "one.exchange-type", "one queue each"),
        ({"publishing_rates": ["100"]}, "one.publishing-rates", "a value and its seconds"),
        ({"publishing_rates": ["-1:5"]}, "one.publishing-rates", "at least 0"),
        ({"publishing_rates": ["0:5"]}, "one.publishing-rates", "sends nothing at all"),
        (
            {"publishing_rates": ["1:1", "2:1"], "time_limit": 300},
            "one.publishing-rates",
            "more than 100 values in a row",
        ),
        ({"msg_count": 5, "time_limit": 0}, "one.msg-count", "give time-limit"),
        ({"multi_ack_every": 5, "auto_ack": True}, "one.multi-ack-every", "nothing is acknowledged"),
        ({"time_limit": 20_000}, "one.time-limit", "10800"),
        ({"time_limit": -5}, "one.time-limit", "must be at least 0"),
        ({"producer_rate_limit": -2.5}, "one.producer-rate-limit", "must be at least 0, or -1 for none"),
        ({"shutdown_timeout": -2}, "one.shutdown-timeout", "must be at least 0"),
    ],
)
def test_a_bad_value_is_refused_by_its_key(params, field, remedy):
    error = refusal(**params)
    assert error.where == "spec.js"
    assert error.field.removeprefix("one.") == field.removeprefix("one.")
    assert remedy in error.remedy


@pytest.mark.parametrize(
    ("text", "field", "remedy"),
    [
        ("", "scenarios", "at least one scenario"),
        ("[]", "scenarios", "at least one scenario"),
        ("['a']", "scenario 1", "must be an object"),
        ("[{'name': 'a', 'type': 'simple'}]", "scenario 1.params", "is required"),
        ("[{'name': 'a', 'type': 'simpel', 'params': [{}]}]", "scenario 1.type", "did you mean 'simple'?"),
        ("[{'name': 'a', 'typ': 'simple'}]", "scenario 1.typ", "did you mean 'type'?"),
        ("[{'name': 5}]", "scenario 1.name", "must be text"),
        ("[{'name': 'a', 'type': 'simple', 'params': [5]}]", "a.params", "a list of objects"),
        ("[{'name': 'a', 'type': 'simple', 'params': [{}, {}]}]", "a.params", "one list of parameters"),
        ("[{'name': 'a', 'type': 'varying', 'params': [{}]}]", "scenario 1.variables", "is required"),
        (
            "[{'name': 'a', 'type': 'varying', 'params': [{}], 'variables': [{'name': 'rate'}]}]",
            "a.variables",
            "a list of values",
        ),
    ],
)
def test_a_bad_scenario_is_refused(text, field, remedy):
    with pytest.raises(InputError) as raised:
        spec_suite(text.encode(), "spec.js", HERE)
    assert raised.value.field == field
    assert remedy in raised.value.remedy


def varying(**variables):
    listed = [{"name": name.replace("_", "-"), "values": values} for name, values in variables.items()]
    scenario = {"name": "v", "type": "varying", "params": [{"time-limit": 5, "queue-names": ["q"]}]}
    return spec_suite(json.dumps([{**scenario, "variables": listed}]).encode(), "spec.js", HERE)


def test_what_cells_cannot_vary_becomes_scenarios_of_their_own_which_are_named():
    suite, notes = varying(auto_ack=[False, True], producer_count=[1, 2])
    cases = expand(suite, run_id="r", environment="local")
    found = {(case.scenario, case.workload.acks, case.workload.producers) for case in cases}
    assert found == {("v-1", True, 1), ("v-1", True, 2), ("v-2", False, 1), ("v-2", False, 2)}
    assert any("v-2 in the suite: auto-ack=True" in note for note in notes)


def test_values_that_are_one_value_here_are_one_cell():
    suite, _ = varying(min_msg_size=[0, 12, 64])
    sizes = [case.workload.message_bytes for case in expand(suite, run_id="r", environment="local")]
    assert sizes == [16, 64]


def test_more_cells_than_a_scenario_holds_are_several_scenarios():
    suite, _ = varying(producer_count=list(range(1, 61)))
    assert len(expand(suite, run_id="r", environment="local")) == 60


def test_too_many_combinations_are_refused_before_they_are_made():
    with pytest.raises(InputError, match="at most 1000"):
        varying(producer_count=list(range(1, 500)), consumer_count=list(range(1, 500)))


def test_the_queues_type_chooses_the_target_and_a_target_that_is_given_comes_first():
    quorum = {"queue_arguments": "x-queue-type=quorum"}
    assert of_params(**quorum)[0].targets == ["rabbitmq-quorum-trio"]
    assert of_params()[0].targets == ["rabbitmq-single"]
    suite, notes = of_params(Wishes("local", targets=("rabbitmq-mirrored-pair",)), **quorum)
    assert suite.targets == ["rabbitmq-mirrored-pair"]
    assert any("x-queue-type=quorum" in note for note in notes)


def test_members_of_a_group_are_noted_to_be_copies_where_queues_are_mirrored():
    mirrored = Wishes("local", targets=("rabbitmq-mirrored-pair",))
    arguments = "x-queue-type=quorum,x-quorum-initial-group-size=2"
    assert workload(mirrored, queue_arguments=arguments).group_size == 2
    _, notes = of_params(mirrored, queue_arguments=arguments)
    assert any(
        "x-quorum-initial-group-size=2: queues of rabbitmq-mirrored-pair have no group: they are mirrored, "
        "with as many copies" in note
        for note in notes
    )


def test_a_target_that_is_no_rabbitmq_is_refused():
    with pytest.raises(InputError, match="--target: 'sqs-standard': must be one of rabbitmq-"):
        of_params(Wishes("local", targets=("sqs-standard",)))


def test_names_are_those_of_suites_and_told_apart():
    names = [
        "A name that is longer than forty letters-and-ends there",
        "é",
        "A NAME that is longer than forty letters-and-ends here",
    ]
    made = [
        {"name": name, "type": "rate-vs-latency", "params": [{"time-limit": 5, "queue-names": "q"}]}
        for name in names
    ]
    suite, notes = spec_suite(json.dumps(made).encode(), "folder/My spec.js", HERE)
    assert suite.suite == "my-spec"
    assert len(suite.scenarios) == 6
    assert sum(": name: " in note for note in notes) == 3
