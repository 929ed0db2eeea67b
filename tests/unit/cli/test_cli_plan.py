"""``breakeven plan`` as its user sees it: the table, the sums, and what is refused."""

import argparse
import json
import subprocess
import sys
from pathlib import Path

import pytest

from breakeven.errors import InputError
from breakeven.planning.plan import Plan, make_plan
from breakeven.targets.catalog import compared
from breakeven.workload.read import load_suite
from cli import plan_command
from cli.exit_codes import NOT_READ
from cli.plan_command import duration
from local.hardware import hardware
from local.stored import kept_advice
from tests.support.loaders.loader_findings import after, place, planned, suite

FITS = ["--scale", "0.05"]
ROOT = Path(__file__).parents[3]


def run(capsys, *arguments):
    parser = argparse.ArgumentParser()
    plan_command.add_parser(parser.add_subparsers(dest="command"))
    parsed = parser.parse_args(["plan", *arguments])
    code = parsed.run(parsed)
    printed = capsys.readouterr()
    return code, printed.out, printed.err


@pytest.mark.parametrize("columns", ["20", "80", "300"])
def test_every_case_is_a_line_with_its_whole_id_at_any_width(capsys, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    code, out, err = run(capsys, "sqs-vs-rabbitmq-2012", *FITS)
    cases = make_plan(load_suite("sqs-vs-rabbitmq-2012"), run_id="plan", scale=0.05).cases
    assert (code, err) == (0, "")
    starts = [line.split()[0] for line in out.splitlines() if ".r1 " in line]
    assert starts == [case.case_id for case in cases]
    assert len(cases) >= 20


def test_a_line_tells_target_workers_queues_size_and_time(capsys):
    _, out, _ = run(capsys, "quick")
    line = next(
        line for line in out.splitlines() if line.startswith("queues.threads-10-queues-5.sqs-standard.r1")
    )
    expected = next(
        case.expected_s
        for case in make_plan(load_suite("quick"), run_id="plan").cases
        if case.case_id == "queues.threads-10-queues-5.sqs-standard.r1"
    )
    assert line.split()[1:] == ["sqs-standard", "10:10", "5", "1KiB", "3", f"{expected:.0f}", "s"]


def test_plain_output_has_no_escapes(capsys):
    _, out, _ = run(capsys, "quick")
    assert "\x1b" not in out
    assert not [line for line in out.splitlines() if line != line.rstrip()]


def test_minutes_and_dollars_are_those_of_the_plan(capsys):
    _, out, _ = run(capsys, "quick")
    expected = make_plan(load_suite("quick"), run_id="plan").estimate
    assert f"30 cases and 2 of the self-test, about {expected.seconds / 60:.1f} minutes in all" in out
    total = next(line for line in out.splitlines() if line.startswith("total"))
    assert total.split() == ["total", f"{expected.usd:.2f}"]
    for line in expected.lines:
        assert any(
            f"{line.service}/{line.item}" in row
            and row.split()[-2:] == [f"{line.unit_usd:.6g}", f"{line.usd:.4f}"]
            for row in out.splitlines()
        )
        assert any(
            row.startswith(f"{line.service}/{line.item} ") and line.as_of in row and line.source in row
            for row in out.splitlines()
        )


def test_a_region_has_its_own_prices(capsys):
    _, out, _ = run(capsys, "quick", "--region", "eu-west-1")
    total = next(line for line in out.splitlines() if line.startswith("total"))
    assert f"{make_plan(load_suite('quick'), run_id='plan', region='eu-west-1').estimate.usd:.2f}" in total
    assert "eu-west-1@" in out


def test_nothing_is_billed_on_one_machine(capsys):
    code, out, _ = run(capsys, "quick", "--environment", "local")
    assert code == 0
    assert "Nothing is billed" in out
    assert "ec2/" not in out
    assert "one after another" in out


@pytest.fixture
def as_functions(tmp_path) -> str:
    """The suite of 2012 in a file, with functions for loaders, of which two are too long."""
    document = load_suite("sqs-vs-rabbitmq-2012").document()
    path = tmp_path / "as-functions.yaml"
    path.write_text(json.dumps({**document, "defaults": {**document["defaults"], "loader": "lambda"}}))
    return str(path)


def test_refused_cases_are_marked_and_explained_after_the_table(capsys, as_functions):
    code, out, err = run(capsys, as_functions)
    assert code == 2
    marked = [line.split()[0] for line in out.splitlines() if line.endswith("refused")]
    assert marked == [f"load-unload.threads-5.{t}.r1" for t in ("sqs-standard", "rabbitmq-mirrored-pair")]
    lines = err.splitlines()
    assert len(lines) == 2
    for case_id, line in zip(marked, lines, strict=True):
        for part in (
            case_id,
            "as-functions.yaml",
            "scenarios.load-unload.messages",
            "1000000",
        ):
            assert part in line
        assert "--scale" in line


def test_json_is_the_whole_plan(capsys):
    code, out, _ = run(capsys, "quick", "--json", "--variant", "as-published")
    assert code == 0
    made = Plan.model_validate_json(out)
    assert made == make_plan(load_suite("quick"), run_id="plan", variant="as-published")
    assert json.loads(out)["estimate"]["usd"] > 0


def test_a_case_that_goes_to_fargate_by_its_length_is_planned_so(capsys):
    code, out, err = run(capsys, "sqs-vs-rabbitmq-2012")
    assert (code, err) == (0, "")
    (sqs,) = [line for line in " ".join(out.split()).split(". ") if "load-unload, threads=5 on sqs" in line]
    assert "as tasks of Fargate, because a loader may need 150 min and a function may run for 14 min" in sqs
    assert "fargate/vcpu_hour_arm" in out


def test_json_of_a_refused_plan_is_still_json(capsys, as_functions):
    code, out, err = run(capsys, as_functions, "--json")
    assert code == 2
    assert len(json.loads(out)["refusals"]) == 2
    assert "--scale" in err


def test_bad_input_is_one_line_and_no_table(capsys, tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("suite: mine\ntitle: t\ntargets: [sqs-standrd]\nscenarios: {p: {threads: 1}}\n")
    with pytest.raises(InputError) as caught:
        run(capsys, str(path))
    assert capsys.readouterr().out == ""
    assert str(caught.value) == (
        f"{path}: targets.0: 'sqs-standrd': did you mean 'sqs-standard'? "
        f"must be one of {', '.join(compared())}"
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["quik"], "did you mean 'quick'"),
        (["quick", "--scale", "2"], "must be from 0.000001 to 1"),
        (["quick", "--scale", "local"], "no such scale of quick: it has none of its own"),
        (["scenarios/perftest/mixed.js", "--scale", "seconds"], "a spec file of PerfTest has no scales"),
        (["quick", "--region", "mars-1"], "no such book"),
        (["quick", "--runs", "x"], "--runs: 'x': is read by plans for this machine only: give --environment"),
        (["quick", "--runs", "/nowhere", "--environment", "local"], "--runs: '/nowhere': no such folder"),
        (["quick", "--max-usd", "5", "--environment", "local"], "--max-usd: 5.0: nothing is billed on one"),
    ],
)
def test_bad_options_say_what_would_do(capsys, arguments, words):
    with pytest.raises(InputError) as caught:
        run(capsys, *arguments)
    assert words in str(caught.value)


def test_on_one_machine_a_suite_is_planned_at_its_own_scale_unless_a_number_is_given(capsys):
    _, out, err = run(capsys, "rate-ladder", "--environment", "local")
    assert "mirrored and not), scale local" in out
    assert err == (
        "Scale local of scenarios/rate-ladder.yaml, as on one machine unless --scale says otherwise: --scale "
        "1 runs it as it is written.\n"
    )
    _, whole, err = run(capsys, "rate-ladder", "--environment", "local", "--scale", "1")
    assert ("scale" in whole, err) == (False, "")
    assert whole.count("\nladder.") == 16
    _, shortest, _ = run(capsys, "rate-ladder", "--environment", "local", "--scale", "seconds")
    assert shortest.count("\nladder.") == 1


def test_a_scale_that_is_no_number_and_no_name_of_one_is_refused(capsys):
    with pytest.raises(SystemExit):
        run(capsys, "rate-ladder", "--scale", "minutes")
    assert "--scale: 'minutes': must be a number, such as 0.1, or local or seconds" in capsys.readouterr().err


def test_a_plan_over_its_budget_is_refused(capsys):
    code, out, err = run(capsys, "quick", "--max-usd", "0.01")
    assert code == 2
    assert "total" in out
    assert "refused: breakeven plan: --max-usd: 0.01: the run would cost about $" in err


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0 s"), (119, "119 s"), (120, "2 min"), (7199, "120 min"), (8226, "2.3 h")],
)
def test_durations_read_well(seconds, words):
    assert duration(seconds) == words


def limited(folder, *options):
    """A folder of runs in which a loader was the limit of every case of the suite."""
    made = planned(suite(), hardware=hardware())
    path = kept_advice.path_of(folder, "mine")
    path.parent.mkdir(parents=True)
    path.write_text(after(made, where=place(hardware=hardware())).model_dump_json())
    mine = folder / "mine.yaml"
    mine.write_text(json.dumps(suite().document()))
    return [str(mine), "--runs", str(folder), *options]


def test_what_earlier_runs_found_of_their_loaders_is_said(capsys, tmp_path):
    arguments = limited(tmp_path, "--environment", "local")
    _, out, err = run(capsys, *arguments)
    (said,) = [line for line in out.splitlines() if "in run r20261120-1" in line]
    assert said.startswith("work, threads=10 on rabbitmq-mirrored-pair: ")
    assert err == ""
    _, out, _ = run(capsys, *arguments, "--json")
    assert json.loads(out)["loader_notes"] == [said]


def test_what_runs_on_one_machine_found_says_nothing_of_aws(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mine, *_ = limited(tmp_path / "runs")
    _, out, _ = run(capsys, mine)
    assert "r20261120-1" not in out
    _, out, _ = run(capsys, mine, "--environment", "local")
    assert "r20261120-1" in out


def test_a_damaged_file_of_loaders_is_one_line_on_standard_error(capsys, tmp_path):
    arguments = limited(tmp_path, "--environment", "local")
    path = kept_advice.path_of(tmp_path, "mine")
    path.write_text("{")
    code, out, err = run(capsys, *arguments)
    assert code == 0
    assert err.startswith(f"{path} cannot be used (Invalid JSON")
    assert len(err.splitlines()) == 1
    assert "1 case, about" in out


def test_what_refuses_a_run_loads_no_control_plane():
    """It takes seconds, and a refusal says at once what is wrong."""
    looks = (
        "import sys, cli.running.run_command; print(sorted({name.partition('.')[0] for name in sys.modules}))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", looks], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True
    )
    assert "'local'" in ran.stdout
    assert "'moto'" not in ran.stdout


@pytest.mark.parametrize("usd", ["nan", "inf", "0", "-1"])
def test_a_limit_that_limits_nothing_or_everything_is_refused(capsys, usd):
    with pytest.raises(InputError, match=r"--max-usd: .*give US dollars, at least 0.01, such as 20"):
        run(capsys, "quick", "--max-usd", usd)


def test_output_that_nobody_reads_any_more_ends_the_command_without_a_traceback() -> None:
    command = subprocess.Popen(
        [sys.executable, "-m", "cli", "crossover", "--rate", "100"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert command.stdout is not None
    command.stdout.close()
    _, said = command.communicate()
    assert (command.returncode, said) == (NOT_READ, b"")
