"""Several sizes of one kind in one suite: names, cases, and machines that cannot be."""

from __future__ import annotations

import pytest

from breakeven.errors import InputError
from breakeven.planning.expand import expand
from breakeven.report.charts import marks
from breakeven.targets.catalog import record_of
from breakeven.targets.records.rabbitmq_records import RABBITMQ_LOOK
from breakeven.targets.target import open_target
from breakeven.terms import TargetName
from breakeven.words import target_name
from breakeven.workload.read import parse_suite

PAIR = "rabbitmq-mirrored-pair"
LARGE, XLARGE = f"{PAIR}_large", f"{PAIR}_xlarge"


def suite(machines, targets=("sqs-standard", PAIR)):
    document = {"suite": "sizes", "title": "Sizes", "targets": list(targets), "machines": machines}
    return parse_suite({**document, "scenarios": {"p": {"threads": 1}}}, "sizes.yaml")


def test_each_size_is_a_target_of_its_own_with_its_machines():
    sizes = {"large": {}, "xlarge": {"instance_type": "m7i.xlarge", "volume_gb": 50, "nodes": 2}}
    cases = expand(suite({PAIR: sizes}), run_id="run-1")
    assert [case.case_id for case in cases] == [
        "p.threads-1.sqs-standard.r1",
        f"p.threads-1.{LARGE}.r1",
        f"p.threads-1.{XLARGE}.r1",
    ]
    machines = [case.machines for case in cases]
    assert machines[0] is None
    assert machines[1].model_dump(exclude_none=True) == {
        "instance_type": "m7g.large",
        "service": "ec2",
        "architecture": "arm64",
        "vcpu": 2,
        "volume_gb": 20,
        "volume_type": "gp3",
        "nodes": 2,
        "zones": (),
        "debian": "12",
    }
    assert (machines[2].instance_type, machines[2].architecture) == ("m7i.xlarge", "x86_64")
    assert (machines[2].volume_gb, machines[2].vcpu) == (50, 4)
    assert len({case.tag for case in cases}) == 3


def test_without_any_there_is_one_target_a_kind_on_the_deployments_machines():
    (case,) = expand(suite({}, [PAIR]), run_id="run-1")
    assert (case.target, case.machines.instance_type) == (PAIR, "m7g.large")


def test_a_size_is_of_its_kind_wherever_it_is_looked_up():
    name = TargetName(XLARGE)
    assert (name.kind, name.size) == (PAIR, "xlarge")
    assert name == TargetName.of(PAIR, "xlarge")
    assert (TargetName(PAIR).kind, TargetName(PAIR).size) == (PAIR, "")
    assert record_of(XLARGE).node_count == 2
    assert target_name(XLARGE) == "RabbitMQ mirrored pair, xlarge"
    with pytest.raises(Exception, match="no broker node is known"):
        open_target(XLARGE, None)
    with pytest.raises(KeyError):
        record_of("rabbitmq-mirrored-pairs_xlarge")


def test_sizes_differ_in_charts():
    plain, large, xlarge = (marks.series(target, "measured") for target in (PAIR, LARGE, XLARGE))
    assert plain["color"] == RABBITMQ_LOOK.colour
    assert len({(each["color"], each["marker"]) for each in (plain, large, xlarge)}) == 3
    assert xlarge["label"] == "RabbitMQ mirrored pair, xlarge (measured)"


#: machines, the field at fault, its value, what its remedy says
BAD = [
    ({"sqs-standard": {"a": {}}}, "machines.sqs-standard", "a", "no brokers whose machines could be chosen"),
    ({PAIR: {"a": {"nodes": 1}}}, f"machines.{PAIR}.a.nodes", 1, "has 2 to 9 nodes"),
    (
        {PAIR: {"a": {"instance_type": "m7g.lrge"}}},
        f"machines.{PAIR}.a.instance_type",
        "m7g.lrge",
        "did you mean m7g.large",
    ),
    (
        {PAIR: {"a": {"instance_type": "m7g.large", "architecture": "x86_64"}}},
        f"machines.{PAIR}.a.architecture",
        "x86_64",
        "m7g.large is arm64",
    ),
    ({PAIR: {"a": {"instance_type": "large"}}}, f"machines.{PAIR}.a.instance_type", "large", "such as m7g"),
    ({PAIR: {"a": {"volume_gb": 4}}}, f"machines.{PAIR}.a.volume_gb", 4, "from 8 to 65536"),
    ({PAIR: {"a": {"disk": 4}}}, f"machines.{PAIR}.a.disk", 4, "there are instance_type, volume_gb"),
    ({PAIR: {"A_b": {}}}, f"machines.{PAIR}.A_b", "A_b", "small letters, digits and single hyphens"),
    (
        {"rabbit": {"a": {}}},
        "machines.rabbit",
        "rabbit",
        "one of sqs-standard, sqs-fifo, rabbitmq-quorum-trio",
    ),
]


@pytest.mark.parametrize(("machines", "field", "value", "remedy"), BAD)
def test_machines_that_cannot_be_are_named_with_the_remedy(machines, field, value, remedy):
    with pytest.raises(InputError) as caught:
        expand(suite(machines), run_id="run-1")
    assert (caught.value.field, caught.value.value) == (field, value)
    assert remedy in caught.value.remedy


def test_machines_of_what_is_no_target_are_refused():
    with pytest.raises(InputError, match="is not among the targets"):
        expand(suite({PAIR: {"a": {}}}, ["sqs-standard"]), run_id="run-1")
