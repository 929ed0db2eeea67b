"""What a plan says of each fault before it is done."""

from __future__ import annotations

import pytest

from breakeven.planning.plan import make_plan
from breakeven.workload.read import parse_suite
from cli import main

TRIO, PAIR, SINGLE = "rabbitmq-quorum-trio", "rabbitmq-mirrored-pair", "rabbitmq-single"
SYNCED = "no loss of confirmed messages is expected, if all replicas are in sync then, as "


def notes(
    target: str, kind: str = "kill", for_s: float = 3.0, at_s: float = 3.0, **settings: object
) -> list[str]:
    fault = {"at_s": at_s, "kind": kind, "node": "leader", "for_s": for_s}
    scenario = {"threads": [1, 2], "message_size": "16B", "measure_s": 10, "faults": [fault], **settings}
    document = {"suite": "s", "title": "S", "targets": [target], "instrument": False}
    suite = parse_suite({**document, "scenarios": {"p": scenario}}, "s.yaml")
    return make_plan(suite, run_id="run-1", environment="local").fault_notes


@pytest.mark.parametrize(
    ("target", "settings", "said"),
    [
        (TRIO, {}, SYNCED + "most of its queue's members had each message before it was confirmed."),
        (PAIR, {}, SYNCED + "all mirrors had each message before it was confirmed."),
        (SINGLE, {"persistent": False}, "loss is possible, as messages that are not persistent and still in"),
        (SINGLE, {}, "of confirmed messages is expected, as the queue's only node keeps"),
        (TRIO, {"group_size": 1}, "of confirmed messages is expected, as the queue's only node keeps"),
        (PAIR, {"group_size": 1}, "of confirmed messages is expected, as the queue's only node keeps"),
        (PAIR, {"group_size": 2}, SYNCED + "all mirrors had each message before it was confirmed."),
        (PAIR, {"confirms": False}, "loss is neither expected nor excluded, as without confirms nothing is"),
        (PAIR, {"kind": "disk-alarm"}, "no loss of confirmed messages is expected, as nodes keep what they"),
        (PAIR, {"kind": "cut-clients"}, "no loss of confirmed messages is expected, as nodes keep what they"),
        (PAIR, {"kind": "pause", "for_s": 40.0}, "loss is neither expected nor excluded, as mirrored nodes"),
    ],
)
def test_expected_loss_is_said_before_it_is_done(target, settings, said):
    note, *_ = notes(target, **settings)
    assert said in note


def test_a_line_names_target_and_fault_once_for_all_cells():
    (note,) = notes(TRIO)
    assert note.startswith("RabbitMQ quorum trio, kill the leader's node at 3 s for 3 s: ")


def test_one_that_comes_before_a_rate_is_known_is_told_of():
    (_, note) = notes(TRIO, at_s=2.9)
    assert note == (
        "RabbitMQ quorum trio, kill the leader's node at 2.9 s for 3 s: no time to recover will be known, as "
        "fewer than 3 s are measured before it; begin it at 3 s or later."
    )


def test_one_that_outlasts_the_measured_stage_is_told_of():
    (_, note) = notes(TRIO, at_s=5.0, for_s=200.0)
    assert note == (
        "RabbitMQ quorum trio, kill the leader's node at 5 s for 200 s: how rates recover once it is over "
        "will not be known, as it lasts until 205 s, and the measured stage ends after 10 s; begin it "
        "earlier, shorten it, or measure for longer."
    )


def test_a_cut_between_peers_that_they_may_notice_is_told_of():
    assert len(notes(TRIO, kind="cut-peers", for_s=25.0, measure_s=60)) == 1
    (_, note) = notes(TRIO, kind="cut-peers", for_s=26.0, measure_s=60)
    assert "its peers may give the node up, although they do so after 45 s at the earliest: TCP" in note
    assert len(notes(TRIO, kind="pause", for_s=44.0, measure_s=60)) == 1, "it hears its peers at its end"


def test_the_terminal_has_them_and_a_suite_without_faults_has_none(capsys):
    assert main.main(["plan", "faults", "--environment", "local"]) == 0
    assert capsys.readouterr().out.count("no loss of confirmed messages is expected") == 11
    assert main.main(["plan", "quick", "--environment", "local"]) == 0
    assert "expected, as" not in capsys.readouterr().out
