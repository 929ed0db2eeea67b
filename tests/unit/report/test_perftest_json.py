"""A run in the form of PerfTest's results: what its viewer reads is there, with right figures."""

import json
import re

import pytest

from breakeven.report.contract.rate_model import rate_courses
from breakeven.report.render.perftest_json import perftest_json
from cli.main import main
from tests.fixtures.report.courses import rate_row
from tests.fixtures.report.sample import RABBITMQ, planned, report

#: of a result and of its samples, as in html/examples/publish-consume-result.js of PerfTest
RATES = {"send-msg-rate", "send-bytes-rate", "recv-msg-rate", "recv-bytes-rate"}
CELL = "parallel.1.rabbitmq-mirrored-pair.r1"


def results(found):
    return json.loads(perftest_json(found))


def of_rabbitmq(**changed):
    return report(planned((RABBITMQ,)), **changed)


def with_rates(found, *points):
    return found.model_copy(update={"rates": rate_courses(points)})


def points(metric, rates, stage="measure", **latency):
    return [rate_row(CELL, metric, second, rate, stage, **latency) for second, rate in enumerate(rates)]


def test_a_scenario_of_one_case_is_a_simple_result():
    found = of_rabbitmq()
    cases = [case for case in found.cases if case.case_id == CELL]
    one = results(found.model_copy(update={"cases": cases}))
    (case,) = cases
    assert set(one) == {"parallel"}
    assert set(one["parallel"]) == RATES | {"avg-latency", "samples"}
    assert one["parallel"]["send-msg-rate"] == case.produce.msg_per_s
    assert one["parallel"]["recv-bytes-rate"] == case.consume.msg_per_s * 1024
    assert one["parallel"]["avg-latency"] == 450_000  # microseconds


def test_samples_are_of_each_second_of_the_measured_stage():
    found = of_rabbitmq()
    found = found.model_copy(update={"cases": [case for case in found.cases if case.case_id == CELL]})
    found = with_rates(
        found,
        *points("produce", [100.0, 0.0, 50.0]),
        *points("consume", [90.0, 10.0]),
        *points("end_to_end", [90.0], mean_ms=1.5, max_ms=4.0),
        *points("produce", [7.0], stage="warmup"),
    )
    samples = results(found)["parallel"]["samples"]
    assert [sample["elapsed"] for sample in samples] == [1000, 2000, 3000]
    assert [sample["send-msg-rate"] for sample in samples] == [100.0, 0.0, 50.0]
    assert [sample["recv-bytes-rate"] for sample in samples] == [90.0 * 1024, 10.0 * 1024, 0.0]
    assert (samples[0]["avg-latency"], samples[0]["max-latency"]) == (1500, 4000)
    assert set(samples[1]) == RATES | {"elapsed"}  # nothing was received that a latency is known of


def test_cells_that_are_all_combinations_are_a_varying_result():
    found = results(of_rabbitmq())["size"]
    assert found["dimensions"] == ["minMsgSize"]
    assert found["dimension-values"] == {"minMsgSize": ["16.0", "1024.0", "65536.0"]}
    assert set(found["data"]) == {"16.0", "1024.0", "65536.0"}
    assert all(set(each) > RATES for each in found["data"].values())


def grid(*cells):
    """The sample's sizes, as cells of producers and bytes."""
    found = of_rabbitmq()
    sizes = [case for case in found.cases if case.scenario == "size"]
    made = [
        sizes[0].model_copy(
            update={
                "cell": f"producers={producers} size={size}",
                "parameters": {**sizes[0].parameters, "producers": producers, "message_bytes": size},
            }
        )
        for producers, size in cells
    ]
    return results(found.model_copy(update={"cases": made}))


def test_two_dimensions_are_nested_in_their_order():
    found = grid((1, 16), (1, 64), (2, 16), (2, 64))["size"]
    assert found["dimensions"] == ["minMsgSize", "producerCount"]
    for size in found["dimension-values"]["minMsgSize"]:
        for producers in found["dimension-values"]["producerCount"]:
            assert found["data"][size][producers]["send-msg-rate"] > 0


@pytest.mark.parametrize("cells", [((1, 16), (1, 64), (2, 16)), ((1, 16), (1, 16))])
def test_cells_that_are_no_whole_grid_stand_alone(cells):
    found = grid(*cells)
    assert set(found) == {f"size, producers={producers} size={size}" for producers, size in cells}
    assert all("samples" in each for each in found.values())


def test_targets_stand_apart_and_other_modes_are_left_out():
    found = results(report())
    assert {"size on sqs-standard", "size on rabbitmq-mirrored-pair"} <= set(found)
    assert not any("load-unload" in name for name in found)


def test_a_failed_case_is_left_out():
    found = of_rabbitmq()
    cases = [
        case.model_copy(update={"status": "failed", "reason": "x"}) if case.cell == "size=16B" else case
        for case in found.cases
    ]
    found = results(found.model_copy(update={"cases": cases}))
    assert found["size"]["dimension-values"] == {"minMsgSize": ["1024.0", "65536.0"]}


@pytest.mark.usefixtures("undrawn")
def test_report_writes_it_beside_the_report_on_demand(tmp_path, capsys):
    folder = tmp_path / "run-1" / "report"
    folder.mkdir(parents=True)
    (folder / "report.json").write_text(of_rabbitmq().model_dump_json())
    assert main(["report", "run-1", "--runs", str(tmp_path)]) == 0
    assert not (folder / "perftest.json").exists()
    assert main(["report", "run-1", "--runs", str(tmp_path), "--perftest"]) == 0
    assert "size" in json.loads((folder / "perftest.json").read_text())
    assert main(["report", "--published", "A", "--perftest", "--runs", str(tmp_path)]) == 2
    assert re.search(r"--perftest: 'A': is of runs", capsys.readouterr().err)
