"""What the plan makes of how many functions an account may run at once."""

from __future__ import annotations

import pytest

from breakeven.planning.loaders.quotas import BESIDE
from breakeven.planning.machine_availability import Account
from breakeven.planning.plan import Plan, make_plan
from breakeven.steps.run import account_capacity
from breakeven.workload.read import parse_suite

PAIR = "rabbitmq-mirrored-pair"


def planned(functions: int | None, **scenario) -> Plan:
    """A case of 80 workers on each target: ten loaders, where nothing holds them back."""
    document = {
        "suite": "busy",
        "title": "Busy",
        "targets": ["sqs-standard", PAIR],
        "scenarios": {"p": {"threads": 40, "message_size": "16B", **scenario}},
    }
    suite = parse_suite(document, "busy.yaml")
    return make_plan(suite, run_id="run-1", account=Account(functions=functions))


def loaders(plan: Plan) -> dict[str, int]:
    return {case.target: case.loaders for case in plan.cases if case.target != "instrument"}


@pytest.mark.parametrize("functions", [None, 10 + BESIDE, 1000])
def test_where_there_are_enough_or_it_is_not_known_nothing_changes(functions):
    made = planned(functions)
    assert loaders(made) == {"sqs-standard": 10, PAIR: 10}
    assert (made.refusals, made.loader_notes) == ([], [])


def test_a_new_account_gets_as_many_loaders_as_it_may_run_and_is_reported_so():
    made = planned(10)
    assert loaders(made) == {"sqs-standard": 5, PAIR: 5}
    assert made.refusals == []
    assert made.loader_notes[0] == (
        "p, threads=40 size=16B on sqs-standard: 5 loaders and not 10, as the account may run 10 functions "
        "at once, 5 of which run beside them. Its figures may be lower bounds; ask AWS for more of quota "
        "L-B99A9384 of Lambda in Service Quotas."
    )
    assert len(made.loader_notes) == 2
    refs = [ref for legs in made.rounds for leg in legs if leg.target == PAIR for ref in leg.cases]
    assert [len(ref.loaders) for ref in refs] == [5]


def test_a_count_of_the_suites_own_stands_and_is_refused_where_it_can_never_run():
    assert loaders(planned(25, loaders=20)) == {"sqs-standard": 20, PAIR: 20}
    assert planned(25, loaders=20).refusals == []
    refused = planned(24, loaders=20).refusals
    assert {(each.field, each.value) for each in refused} == {("scenarios.p.loaders", 20)}
    assert "may run 24 functions at once, 5 of which run beside them: 19 loaders fit, or ask AWS" in (
        refused[0].remedy
    )


def test_an_account_with_too_few_for_one_loader_is_refused():
    (reason, *_) = planned(5).refusals
    assert "too few for any case" in reason.remedy


@pytest.mark.parametrize(("functions", "lanes"), [(None, 2), (1000, 2), (26, 2), (25, 1), (15, 1)])
def test_lanes_are_up_together_as_far_as_their_loaders_and_watches_may_run(functions, lanes):
    """Two lanes of ten loaders and a watch each, and four functions that belong to neither."""
    assert planned(functions).lanes_at_once == lanes


class Settings:
    def __init__(self, limit: int | None) -> None:
        self._limit = limit

    def get_account_settings(self):
        if self._limit is None:
            raise account_capacity.ResponseParserError("not AWS")
        return {"AccountLimit": {"UnreservedConcurrentExecutions": self._limit}}


@pytest.mark.parametrize("limit", [None, 10])
def test_the_account_is_asked(limit, monkeypatch):
    monkeypatch.setattr(account_capacity.boto3, "client", lambda name, **_: {"lambda": Settings(limit)}[name])
    assert account_capacity.account_of([]).functions == limit
