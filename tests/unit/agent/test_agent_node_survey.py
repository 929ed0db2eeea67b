"""What a node's survey gives from what the node answers, and where it answers otherwise."""

from __future__ import annotations

import json
import sys

import pytest

from breakeven.agent import node_survey
from breakeven.agent.node_survey import Link, NodeSurvey, Times, surveyed
from breakeven.brokers.access import Node
from breakeven.errors import BreakevenError

SYNC = Times(812, 0.4091, 1.25)


def answering(said: str, asked: list[str] | None = None):
    def evaluate(node: str, expression: str, within_s: float) -> str:
        assert node == "rabbit@a"
        if asked is not None:
            asked.append(expression)
        return said

    return evaluate


@pytest.mark.parametrize(
    ("said", "links"),
    [
        ("{{812,409100,1250000},[]}", ()),
        (
            # as rabbitmqctl writes what is longer than a line
            "{{812,409100,1250000},\n [{'rabbit@ip-10-0-0-4',{300,70602,166620},988712722},\n"
            "  {rabbit2@localhost,{1,5,\n   6},7}]}",
            (
                Link("rabbit@ip-10-0-0-4", Times(300, 0.070602, 0.16662), 988712722.0),
                Link("rabbit2@localhost", Times(1, 5e-6, 6e-6), 7.0),
            ),
        ),
    ],
)
def test_times_of_the_volume_and_of_each_connection_are_read(said, links):
    assert surveyed(answering(said), "rabbit@a") == NodeSurvey(sync=SYNC, links=links)


@pytest.mark.parametrize(("peers", "to"), [(True, "lists:sort(nodes())"), (False, "[]")])
def test_a_node_measures_connections_where_it_is_to(peers, to):
    asked: list[str] = []
    surveyed(answering("{{1,2,3},[]}", asked), "rabbit@a", peers=peers)
    assert asked[0].startswith(f"Peers = {to}, ")


@pytest.mark.parametrize("said", ["", "{error,enospc}", "{{1,2},[]}", "{x,{1,2,3},[]}"])
def test_an_answer_that_is_none_is_said(said):
    assert surveyed(answering(said), "rabbit@a") == NodeSurvey(error=f"it answers {said!r}")


def test_a_node_that_does_not_answer_has_the_reason_for_a_survey():
    def refuse(*_: object) -> str:
        raise BreakevenError("rabbitmqctl eval: no answer in 60 s")

    assert surveyed(refuse, "rabbit@a") == NodeSurvey(error="rabbitmqctl eval: no answer in 60 s")


@pytest.mark.parametrize(("word", "peers"), [("peers", True), ("volume", False)])
def test_a_registration_takes_what_is_printed(monkeypatch, capsys, word, peers):
    found = NodeSurvey(sync=SYNC, links=(Link("rabbit@b", SYNC, 1e9),))
    asked: list[bool] = []

    def survey(evaluate: object, node: str, *, peers: bool) -> NodeSurvey:
        asked.append(peers)
        return found

    monkeypatch.setattr(node_survey, "surveyed", survey)
    monkeypatch.setattr(sys, "argv", ["node_survey", "rabbit@a", word])
    node_survey.main()
    printed = capsys.readouterr().out
    assert printed.count("\n") == 1
    where = {"name": "rabbit@a", "host": "10.0.0.4", "amqp_port": 5671, "management_port": 15671}
    assert Node.model_validate_json(json.dumps(where | {"survey": json.loads(printed)})).survey == found
    assert Node.model_validate_json(json.dumps(where | {"survey": None})).survey is None
    assert asked == [peers]
