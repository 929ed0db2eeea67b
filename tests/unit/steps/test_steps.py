"""What steps say in words, and what they refuse."""

from __future__ import annotations

import json

import pytest

from breakeven.errors import InputError
from breakeven.steps.reasons import MAX_REASON, reason_of, with_loaders_words
from breakeven.steps.run.plan_run import check_name, check_run_id
from breakeven.steps.run.run_input import DEFAULT_SUITE, parse_run_input


def test_a_lambda_error_is_reported_by_type_and_message():
    cause = json.dumps({"errorMessage": "no queue", "errorType": "CaseError", "stackTrace": ["..."]})
    failed = {"BrokerPrepareCase": {"Error": "CaseError", "Cause": cause}}
    assert reason_of(failed) == ("BrokerPrepareCase", "BrokerPrepareCase: CaseError: no queue")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        ({"Error": "States.Timeout"}, "Drive: States.Timeout: the state did not end within its time limit"),
        ({"Error": "SNS.NotFound", "Cause": "no topic"}, "Drive: SNS.NotFound: no topic"),
        ({"Error": "X", "Cause": "[1]"}, "Drive: X: [1]"),
        ({}, "Drive: error"),
    ],
)
def test_other_errors_are_reported_as_they_are(error, words):
    assert reason_of({"Drive": error})[1] == words


def test_the_first_failed_state_is_the_reason_and_it_is_bounded():
    failed = {"A": {"Error": "e", "Cause": "x" * 5000}, "B": {"Error": "f"}}
    where, reason = reason_of(failed)
    assert where == "A"
    assert len(reason) == MAX_REASON


MANY = "Drive: States.ExceedToleratedFailureThreshold: The specified tolerated failure threshold was exceeded"


@pytest.mark.parametrize(
    ("reason", "said", "reported"),
    [
        (MANY, [None, "barrier 'start' did not open"], f"{MANY}: barrier 'start' did not open"),
        (MANY, [f"the case was ended while waiting: {MANY}", "no queue"], f"{MANY}: no queue"),
        (MANY, [MANY, None], MANY),
        ("Drive: CaseError: no queue", ["another"], "Drive: CaseError: no queue"),
    ],
)
def test_a_distributed_map_says_no_more_than_that_one_failed_and_its_loaders_do(reason, said, reported):
    assert with_loaders_words(reason, said) == reported


def test_an_empty_input_runs_the_default_suite_on_aws():
    wanted = parse_run_input({})
    assert (wanted.suite, wanted.surroundings.name, wanted.scale) == (DEFAULT_SUITE, "aws", 1.0)


@pytest.mark.parametrize(
    ("document", "field"),
    [
        ({"scale": 0}, "scale"),
        ({"scale": 1.5}, "scale"),
        ({"variant": "best"}, "variant"),
        ({"max_usd": "lots"}, "max_usd"),
        ({"suit": "quick"}, "suit"),
        ([], "input"),
    ],
)
def test_input_that_is_wrong_names_its_field(document, field):
    with pytest.raises(InputError) as error:
        parse_run_input(document)
    assert error.value.field == field


def test_a_new_run_cannot_be_named_as_the_latest_is():
    check_run_id("latest")
    with pytest.raises(InputError, match="name: 'latest': it stands for the newest run; give another name"):
        check_name("latest")


@pytest.mark.parametrize("run_id", ["", "a b", "x'; DROP", "-a", "a" * 81, "é"])
def test_a_run_id_that_is_not_safe_in_keys_and_sql_is_refused(run_id):
    with pytest.raises(InputError):
        check_run_id(run_id)
