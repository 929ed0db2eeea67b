"""Each suite that has scales, at its scale ``seconds`` on real brokers: a report with every ledger closed."""

import json
import subprocess
import sys

import pytest

from breakeven.planning.expand import expand
from breakeven.workload.read import at_scale, load_suite, shipped_suites
from tests.support.workflow.command import ended_well

SUITES = [name for name in shipped_suites() if load_suite(name).scale]
#: of one run: the longest plan is for four minutes
MOST_S = 600


@pytest.mark.parametrize("name", SUITES)
def test_a_suite_at_its_shortest_ends_with_a_report_in_which_every_message_is_accounted_for(name, tmp_path):
    command = [sys.executable, "-m", "cli", "run", name, "--scale", "seconds", "--runs", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=MOST_S, check=False)
    assert done.returncode in {0, 5}, done.stdout[-4000:] + done.stderr[-4000:]
    assert f"scale seconds of scenarios/{name}.yaml" in done.stdout.lower().replace("\n", " ")

    (folder,) = (path for path in tmp_path.iterdir() if path.name.startswith("r2") and not path.is_symlink())
    report = json.loads((folder / "report" / "report.json").read_text())
    assert ended_well(done.returncode, report), report["verdict"]
    assert report["suite"] == name
    assert report["title"].endswith(", scale seconds")
    cases = [case for case in report["cases"] if case["target"] != "instrument"]
    planned = expand(at_scale(load_suite(name), "seconds"), run_id="run-1", environment="local")
    assert {case["case_id"] for case in cases} == {case.case_id for case in planned}
    for case in cases:
        assert case["status"] == "ok", case["reason"]
        assert case["ledger"]["sent"] > 0, case["case_id"]
        assert case["ledger"]["closed"], case["case_id"]
        assert case["ledger"]["lost"] == 0, case["case_id"]
    for fault in report["faults"]:
        assert fault["error"] is None, fault
        assert fault["back_s"] > fault["done_s"], fault
        assert fault["held"] is not False, fault
    assert (folder / "report" / "index.html").stat().st_size > 10_000
