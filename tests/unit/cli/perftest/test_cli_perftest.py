"""Spec files and command lines of PerfTest as users of ``breakeven`` meet them."""

import json
import shlex

import pytest

from breakeven.errors import InputError
from breakeven.planning.plan import Plan
from breakeven.workload.read import MAX_FILE_BYTES, scenarios
from cli import main
from cli.running import run_command
from tests.support.perftest_commands import PUBLISH_PEAK, SLOW_CONSUMERS

SPEC = "[{'name': 'Mine', 'type': 'simple', 'params': [{'time-limit': 5, 'queue-names': ['q']}]}]"


def run(capsys, *words):
    code = main.main(words)
    printed = capsys.readouterr()
    return code, printed.out, printed.err


@pytest.mark.parametrize("name", ["ladder-step.js", "mixed.js"])
def test_published_files_are_planned(capsys, name):
    code, out, err = run(capsys, "plan", str(scenarios() / "perftest" / name), "--environment", "local")
    assert code == 0
    assert "rabbitmq-single" in out
    assert "uri: (not shown): the run has brokers of its own" in err
    assert "<password>" not in out + err


@pytest.mark.parametrize("line", [SLOW_CONSUMERS, PUBLISH_PEAK])
def test_published_command_lines_are_planned(capsys, line):
    code, out, err = run(capsys, "perftest", "--plan", "--", *shlex.split(line))
    assert (code, "200:200" in out, "guest" in out + err) == (0, True, False)
    assert "(not shown): the run has brokers of its own" in err


def test_a_rate_beyond_what_the_deployment_allows_is_refused_by_its_plan(capsys):
    code, _, err = run(capsys, "perftest", "--plan", "--on", "aws", "--", *shlex.split(PUBLISH_PEAK))
    assert (code, "30000.0: this deployment allows 20000 msg/s" in err) == (2, True)


def test_a_plan_as_json_is_json_alone_and_what_differs_is_beside_it(capsys):
    words = ["--plan", "--json", "--target", "rabbitmq-mirrored-pair", "--", "-x", "2", "-u", "q", "-z", "5"]
    code, out, err = run(capsys, "perftest", *words)
    plan = Plan.model_validate(json.loads(out))
    assert code == 0
    assert {case.target for case in plan.cases} == {"instrument", "rabbitmq-mirrored-pair"}
    assert err == (
        "breakeven perftest: -u: q: queues are fresh ones of each case, with names of their own\n"
        "breakeven perftest: min-msg-size: 0: 16 bytes, the ledger's stamp; PerfTest sends at least 12\n"
    )


def test_what_differs_is_among_the_runs_notes(tmp_path):
    path = tmp_path / "mine.js"
    path.write_text(SPEC)
    root = main.parser("run")
    wanted = run_command._wanted(root.parse_args(["run", str(path)]))
    assert wanted.suite["suite"] == "mine"
    assert f"{path}: name: Mine: mine in the suite" in wanted.surroundings.notes


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["perftest"], "options behind --"),
        (
            ["perftest", "--", "--producer", "1"],
            "--producer: no such option of PerfTest; did you mean '--producers'?",
        ),
        (["plan", "quick", "--target", "rabbitmq-single"], "--target"),
        (["plan", "quick", "--full-rate", "5"], "--full-rate"),
        (["run", "--on", "aws", "--target", "rabbitmq-single"], "--target"),
        (["plan", "none.js"], "none.js"),
        (["run", "none.js"], "none.js"),
        (["perftest", "--full-rate", "-1", "--", "-x", "1"], "--full-rate"),
        (["perftest", "--target", "rabbitmq", "--", "-x", "1"], "--target: 'rabbitmq': did you mean"),
    ],
)
def test_bad_input_is_one_line_and_starts_nothing(capsys, words, named):
    code, out, err = run(capsys, *words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert named in err


def test_whoever_forgets_the_dashes_is_told_where_options_stand(capsys):
    with pytest.raises(SystemExit) as ended:
        main.main(["perftest", "-x", "1", "-y", "2"])
    assert ended.value.code == 2
    assert (
        "own options stand behind --, as in: npm run breakeven -- perftest -- -x 1" in capsys.readouterr().err
    )


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[{'name' 'a'}]", "line 1, column 10: \"'a'}]\": expected a colon"),
        ("[" * 100_000, "nested too deep"),
        (" " * (MAX_FILE_BYTES + 1), "file size"),
        (
            "[{'name': 'a', 'type': 'simple', 'params': [{'qos': 1}]}]",
            "a.qos: 1: no such parameter of PerfTest",
        ),
    ],
)
def test_a_bad_file_is_one_line(capsys, tmp_path, text, named):
    path = tmp_path / "bad.js"
    path.write_text(text)
    code, out, err = run(capsys, "plan", str(path))
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert named in err


def test_a_file_that_is_not_text_is_refused(tmp_path, capsys):
    path = tmp_path / "bad.js"
    path.write_bytes(b"\xff\xfe")
    assert run(capsys, "plan", str(path))[2].count("not UTF-8") == 1


def test_a_run_of_what_cannot_be_carried_out_is_refused_before_it_starts(tmp_path):
    path = tmp_path / "bad.js"
    path.write_text(SPEC.replace("'time-limit'", "'nack': true, 'time-limit'"))
    with pytest.raises(InputError, match=r"Mine\.nack: 'true': a consumer that rejects"):
        run_command._wanted(main.parser("run").parse_args(["run", str(path)]))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "-qa x-quorum-initial-group-size=9 -qq -u q -z 5",
            "-qa: 'x-quorum-initial-group-size=9': rabbitmq-quorum-trio has 3 nodes",
        ),
        (
            "-qp q -qpf 1 -qpt 3 -z 5",
            "-qpt: 3: 1 producer would leave a queue without one; at most 1 here, or give -x 3\n",
        ),
    ],
)
def test_a_fault_of_the_plan_is_one_of_the_option_that_gave_it(capsys, line, said):
    assert main.main(["perftest", "--plan", "--", *line.split()]) == 2
    assert f"error: breakeven perftest: {said}" in capsys.readouterr().err
