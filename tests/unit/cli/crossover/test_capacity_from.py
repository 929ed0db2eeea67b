"""``breakeven crossover --capacity-from``: what a run measured, and never without saying so."""

from __future__ import annotations

import json
from typing import Any

import pytest

from breakeven.pricing.bill.inputs import ask
from breakeven.pricing.bill.uncertainty import uncertain
from breakeven.report.building.verdict import detail
from breakeven.report.money.measured_capacity import measured_capacities
from breakeven.report.render.report_files import render_all
from cli.main import main
from tests.fixtures.report import sample
from tests.support.loaders.probes import reported as probe
from tests.support.money.searched_cases import ask_of_run, report, searched


@pytest.fixture
def crossover(tmp_path, capsys):
    """Of a pair, which is what the sample has measured, unless a test's options say otherwise."""

    def ask(made, *options):
        form = () if "--deployment" in options else ("--deployment", "pair")
        return ask_of_run(tmp_path, capsys, made, *form, *options)

    return ask


def test_the_mean_of_the_repeats_is_priced_and_the_run_is_named(crossover):
    made = report(searched(1000, 1100, 1150), searched(1200, 1300, 1350, repeat=2))
    code, out, err = crossover(made, "--rate", "5000")
    assert (code, err) == (0, "")
    assert "What clusters are priced to carry: 1,200 msg/s of a pair with messages of 1024 B, " in out
    assert "measured in run r1 on 2026" in out
    assert "ON ONE MACHINE THAT LOADER AND BROKERS SHARE" in out
    assert "NOT ON EC2" in out
    said = " ".join(out.split())
    interval = "1,100 to 1,350 msg/s (the range of 2 repeats, which has the median with 50% probability)"
    assert f"the mean of 2 repeats, interval {interval}, all nodes up (not searched with one down" in said
    assert "is what is priced), 99 of 100 messages within 50 ms" in said
    assert f"capacity {interval}" in said.partition("Intervals: ")[2], "that of the crossing is made from it"
    assert "lower bound" not in out
    _, out, _ = crossover(made, "--rate", "5000", "--json")
    reported = json.loads(out)
    assert reported["question"]["capacity_msg_per_s"] == 1200
    assert reported["capacity"]["measured"]["rates"] == [1100, 1300]
    assert reported["capacity"]["measured"]["environment"] == "local"
    assert "NOT ON EC2" in reported["capacity"]["from"] == reported["capacity"]["said"]
    # 5,000 a second, three times that at the peak, over 0.7 of 1,200
    (cluster,) = [one for one in reported["options"] if one["option"] == "rabbitmq"]
    assert {line["clusters"] for line in cluster["lines"]} == {18}


def test_what_was_searched_with_one_node_down_is_what_is_priced(crossover):
    made = report(
        searched(2000, 2100, cell="nodes_down=0", parameters={"nodes_down": 0}),
        searched(900, 950, cell="nodes_down=1", parameters={"nodes_down": 1}),
    )
    code, out, _ = crossover(made, "--rate", "5000", "--json")
    reported = json.loads(out)["capacity"]
    assert code == 0
    assert (reported["measured"]["nodes_down"], reported["measured"]["rates"]) == (1, [900])
    assert (
        "the search's own resolution, 5.6%), 1 node down, 99 of 100 messages within 50 ms" in reported["said"]
    )


@pytest.mark.parametrize(
    ("repeats", "ends"),
    [
        ([searched(406, 420), searched(1851, 1920, repeat=2)], (406, 1920)),
        ([searched(1000, 1043)], (1000, 1043)),
        ([searched(1000, 1043, flags=["loader_saturated"])], (1000, None)),
    ],
)
def test_a_crossing_has_the_ends_of_the_interval_that_was_measured(crossover, repeats, ends):
    options = ("--empty-receives", "0", "--hours", "0")
    _, out, _ = crossover(report(*repeats), *options, "--json")
    question = json.loads(out)["question"]
    assert (question["capacity_low_msg_per_s"], question["capacity_high_msg_per_s"]) == ends
    assert [change["capacity_msg_per_s"] for change in uncertain(ask(**question))["capacity"]] == list(ends)


def test_its_origin_is_explained(crossover):
    _, out, _ = crossover(report(searched(1000, 1150)), "--explain", "capacity")
    assert out.count("NOT ON EC2") >= 3


@pytest.mark.parametrize(
    "case",
    [
        searched(1000, 1150, flags=["shared_host", "loader_saturated"]),
        searched(1150).model_copy(update={"probes": [probe(1000, held=True)]}),
    ],
)
def test_a_lower_bound_is_called_one(crossover, case):
    _, out, _ = crossover(report(case))
    assert "at least 1,000 msg/s" in out
    assert "a lower bound, as a loader or the search was the limit" in out


def test_of_sizes_the_smallest_that_is_no_smaller_and_of_those_the_highest(crossover):
    made = report(
        searched(5000, 5100, cell="a", parameters={"message_bytes": 16}),
        searched(1000, 1100, cell="b"),
        searched(2000, 2100, cell="c"),
        searched(300, 400, cell="d", parameters={"message_bytes": 65536}),
    )
    for size, rate in (("16B", 5000), ("17B", 2000), ("1KiB", 2000), ("2KiB", 300)):
        _, out, _ = crossover(made, "--size", size, "--json")
        assert json.loads(out)["question"]["capacity_msg_per_s"] == rate


AWS: dict[str, Any] = {"environment": "aws"}
ON = {
    "manifest": sample.manifest().model_copy(
        update={"targets": {sample.RABBITMQ: {"instance_type": "m7g.large"}}}
    )
}
OF_FOUR = {"manifest": sample.manifest().model_copy(update={"targets": {sample.RABBITMQ: {"nodes": 4}}})}


def test_a_larger_clusters_capacity_prices_one_of_as_many_nodes(crossover):
    _, out, _ = crossover(report(searched(1000, 1100), **OF_FOUR), "--nodes", "4", "--json")
    found = json.loads(out)
    assert found["question"]["capacity_msg_per_s"] == 1000
    assert (found["capacity"]["measured"]["nodes"], found["capacity"]["measured"]["copies"]) == (4, 4)


@pytest.mark.parametrize(
    ("made", "options", "words"),
    [
        (report(searched(1000, 1100)), ["--capacity", "9"], "give it or --capacity, not both"),
        (report(searched(1000, 1100)), ["--size", "2KiB"], "ask for --size 1024B or less"),
        (
            report(searched(1000, 1100)),
            ["--deployment", "trio"],
            "it measured a pair, not a trio; use --deployment pair",
        ),
        (
            report(searched(1000, 1100), **OF_FOUR),
            [],
            "it measured a mirrored cluster of 4 nodes, not a pair; use --deployment pair --nodes 4",
        ),
        (
            report(searched(1000, 1100)),
            ["--nodes", "4"],
            "it measured a pair, not a mirrored cluster of 4 nodes; use --deployment pair",
        ),
        (report(*sample.report().cases), [], "it found no capacity"),
        (report(searched(1000)), [], "it found no capacity"),
        (report(searched(1000, 1100, status="failed")), [], "it found no capacity"),
        (report(searched(1000, 1100), **AWS), [], "an instance type that its report does not name"),
        (
            report(searched(1000, 1100), **AWS, **ON),
            ["--instance", "m7g.xlarge"],
            "no capacity is carried over",
        ),
    ],
)
def test_what_does_not_hold_for_the_question_is_refused(crossover, made, options, words):
    code, out, err = crossover(made, *options)
    assert (code, out) == (2, "")
    assert words in err


def test_a_pairs_capacity_is_asked_for_by_its_form(tmp_path, capsys):
    """A question that names no form is of the trio."""
    made = report(searched(1000, 1100))
    code, out, err = ask_of_run(tmp_path, capsys, made)
    assert (code, out) == (2, "")
    assert "it measured a pair, not a trio; use --deployment pair, or --capacity" in err


def test_what_was_measured_on_aws_is_its_instances(crossover):
    code, out, _ = crossover(report(searched(1000, 1100), **AWS, **ON))
    assert code == 0
    assert "measured in run r1 on 2026" in out
    assert " on m7g.large: " in out
    assert "EC2" not in out.split("dollars a month")[0]


def test_a_run_that_is_not_there_is_named(tmp_path, capsys):
    assert main(["crossover", "--capacity-from", "r9", "--runs", str(tmp_path)]) == 2
    assert "'r9': no report.json there" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ("aws", "the capacity that this run measured is not used in these figures"),
        ("local", "this run did not measure what a cluster carries on EC2"),
    ],
)
def test_the_report_tells_what_was_measured_from_what_is_priced(environment, words):
    found = report(searched(1000, 1100), environment=environment)
    noted = {one.subject: one.text for one in detail(found)}
    assert words in noted["What a cluster must carry"]


@pytest.mark.usefixtures("undrawn")
def test_the_report_says_that_its_sums_do_without_it():
    made = report(searched(1000, 1100))
    (one,) = measured_capacities(made)
    for name in ("index.html", "report.md"):
        body = render_all(made)[name].decode().replace("&#34;", '"')
        assert "These figures do not use 1,000 msg/s of a pair" in body
        assert "npm run breakeven -- crossover --capacity-from r1 --deployment pair" in body.replace("\\", "")
    assert one.msg_per_s == 1000


def test_of_a_sweep_on_aws_each_type_has_its_own_capacity(crossover):
    """The larger type's is higher, and no answer for the smaller one."""
    sizes = {"large": "m7g.large", "xlarge": "m7g.xlarge"}
    cases = [
        searched(rate, rate + 50, repeat=1, target=f"{sample.RABBITMQ}_{name}", environment="aws", flags=[])
        for name, rate in (("large", 1000), ("xlarge", 2000))
    ]
    manifest = sample.report().manifest
    reported = {f"{sample.RABBITMQ}_{name}": {"instance_type": kind} for name, kind in sizes.items()}
    made = report(*cases, environment="aws", manifest=manifest.model_copy(update={"targets": reported}))
    for name, rate in (("m7g.large", "1,000"), ("m7g.xlarge", "2,000")):
        code, out, err = crossover(made, "--instance", name)
        assert code == 0, err
        assert f"{rate} msg/s of a pair" in " ".join(out.split())
