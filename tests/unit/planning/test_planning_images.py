"""What a plan makes of images of brokers that are missing: minutes, dollars, and events of its history."""

from __future__ import annotations

import pytest

from breakeven.planning import execution_limits
from breakeven.planning.budget import planning_assumptions as assumed
from breakeven.planning.machine_availability import BUILDERS, Account, refusals, to_bake
from breakeven.planning.plan import Plan, make_plan
from breakeven.pricing.prices.book_files import books, load_book
from breakeven.workload.machines import architecture_of
from breakeven.workload.read import parse_suite

PAIR, TRIO = "rabbitmq-mirrored-pair", "rabbitmq-quorum-trio"
SIZES = {"graviton": {}, "intel": {"instance_type": "m7i.large"}}


def planned(baked: dict[str, bool], targets=(PAIR, "sqs-standard"), environment="aws") -> Plan:
    document = {
        "suite": "images",
        "title": "Images",
        "targets": list(targets),
        "instrument": False,
        "scenarios": {"p": {"threads": 1, "message_size": "16B"}},
        **({"machines": {PAIR: SIZES}} if PAIR in targets else {}),
    }
    suite = parse_suite(document, "images.yaml")
    return make_plan(suite, run_id="run-1", environment=environment, account=Account(baked=baked))


def test_a_run_whose_images_are_missing_takes_minutes_more_and_pays_for_their_builders():
    there, missing = planned({"arm64": True, "x86_64": True}), planned({"arm64": False, "x86_64": False})
    longer = missing.estimate.seconds - there.estimate.seconds
    assert longer == pytest.approx(assumed.BUILDER_S + assumed.SNAPSHOT_S), "side by side"
    assert missing.deadline_s > there.deadline_s
    lines = {line.what: line for line in missing.estimate.lines}
    added = {what for what in lines if what not in {line.what for line in there.estimate.lines}}
    assert added == {"image of arm64, baked", "image of x86_64, baked"}
    by_hand = sum(
        load_book("us-east-1").known("ec2", name).usd * assumed.BUILDER_S / 3600 for name in BUILDERS.values()
    )
    assert missing.estimate.usd - there.estimate.usd == pytest.approx(by_hand, rel=0.01)


def test_only_images_that_are_known_to_be_missing_and_that_the_run_needs_are_counted():
    assert to_bake(planned({}).cases, Account()) == [], "not known"
    assert to_bake(planned({}).cases, Account(baked={"arm64": False, "x86_64": True})) == ["arm64"]
    managed = planned({"arm64": False}, targets=("sqs-standard",))
    assert to_bake(managed.cases, Account(baked={"arm64": False})) == []
    assert not [line for line in managed.estimate.lines if "baked" in line.what]


def test_each_target_asks_for_the_image_of_its_own_debian():
    both = planned({}, targets=(TRIO, PAIR)).cases
    names = {case.target.kind: case.machines.image for case in both if case.machines.architecture == "arm64"}
    assert names == {TRIO: "arm64-debian-13", PAIR: "arm64"}
    assert {architecture_of(name) for name in names.values()} == {"arm64"}
    missing = Account(baked={"arm64": True, "x86_64": True, "arm64-debian-13": False})
    assert to_bake(both, missing) == ["arm64-debian-13"]


def test_a_deployment_with_one_image_of_its_own_refuses_the_targets_of_another_debian():
    cases, book = planned({}, targets=(TRIO,)).cases, load_book("us-east-1")
    assert list(refusals(cases, book, Account(images=("arm64", "arm64-debian-13")))) == []
    (refusal,) = refusals(cases, book, Account(images=("arm64",)))
    assert (refusal.field, refusal.value) == (f"targets.{TRIO}", "m7g.large")
    assert "its RabbitMQ is that of Debian 13, and this deployment has no image of that" in refusal.remedy


def test_on_one_machine_nothing_is_baked():
    there, missing = (planned({"arm64": one}, environment="local").estimate for one in (True, False))
    assert there.seconds == missing.seconds


def test_every_price_book_of_a_region_knows_what_builds():
    for name in (name for name in books() if name[-1].isdigit() and name[0].isalpha()):
        for instance_type in BUILDERS.values():
            assert load_book(name).known("ec2", instance_type).usd


def test_a_run_that_may_bake_keeps_room_in_its_history_for_all_looks():
    with_nodes, without = planned({}).cases, planned({}, targets=("sqs-standard",)).cases
    alike = [case.model_copy(update={"machines": None}) for case in with_nodes]
    looks = execution_limits.BAKE_LIMIT_S // execution_limits.LOOKS_EVERY_S
    assert (
        execution_limits.history_events(with_nodes) - execution_limits.history_events(alike)
        == looks * execution_limits.HISTORY_PER_LOOK
    )
    assert execution_limits.history_events(without) < execution_limits.history_events(alike)
