"""``breakeven run``: what is refused before anything is started, however the run would have ended."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from breakeven.steps.run.run_input import RunInput
from cli import main
from cli.exit_codes import BAD_INPUT, INTERRUPTED
from cli.running import run_command
from local import run_lock
from local.servers.endpoints import Endpoints
from tests.support.cases import case_with, workload_with
from tests.support.money.lacking import lacking


@pytest.fixture(autouse=True)
def no_runs_under_way(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As far as these tests see: this machine may have some."""
    monkeypatch.setattr(run_lock, "FOLDER", tmp_path / "locks")


@pytest.fixture
def nothing_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    def started(*_: object) -> None:
        raise AssertionError("the run was started")

    monkeypatch.setattr(run_command, "_follow", started)


@pytest.fixture
def handlers() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in run_command.ENDING}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("nothing_starts")
def test_a_price_that_the_book_lacks_is_refused_before_anything_starts(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = lacking("cloudwatch", "alarm_month")
    monkeypatch.setattr(run_command, "load_book", lambda region: book)
    assert main.main(["run", "quick", "--runs", str(tmp_path / "runs")]) == BAD_INPUT
    (line,) = capsys.readouterr().err.splitlines()
    assert "cloudwatch/alarm_month" in line
    assert "it was found in no source" in line
    assert not (tmp_path / "runs").exists()


@pytest.mark.usefixtures("nothing_starts")
@pytest.mark.parametrize(
    ("options", "field", "remedy"),
    [
        (["--seed", "-1"], "--seed: -1", "must be at least 0"),
        (["--seed", "2147483648"], "--seed: 2147483648", "must be at most 2147483647"),
    ],
)
def test_what_the_first_state_would_refuse_is_refused_before_it(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, options: list[str], field: str, remedy: str
) -> None:
    assert main.main(["run", "quick", "--runs", str(tmp_path / "runs"), *options]) == BAD_INPUT
    (line,) = capsys.readouterr().err.splitlines()
    assert field in line
    assert remedy in line
    assert not (tmp_path / "runs").exists()


@pytest.mark.usefixtures("nothing_starts")
def test_a_folder_that_takes_no_results_is_refused_before_there_are_any(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "a-file"
    file.write_text("not a folder")
    wrongs = {file: "is a file", file / "runs": "Not a directory", Path("/proc/runs"): "No such file"}
    for place, wrong in wrongs.items():
        assert main.main(["run", "quick", "--runs", str(place)]) == BAD_INPUT
        line = capsys.readouterr().err.splitlines()[-1]
        assert f"--runs: '{place}': no folder that results can be written to ({wrong}" in line
        assert main.main(["run", "quick", "--on", "aws", "--runs", str(place)]) == BAD_INPUT
        assert f"--runs: '{place}'" in capsys.readouterr().err


@pytest.mark.usefixtures("nothing_starts")
def test_a_folder_that_is_missing_is_made(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="was started"):
        main.main(["run", "quick", "--runs", str(tmp_path / "new" / "runs")])
    assert (tmp_path / "new" / "runs").is_dir()


@pytest.mark.usefixtures("nothing_starts")
@pytest.mark.parametrize(
    ("options", "flag"),
    [
        (["--sqs-endpoint", ""], "--sqs-endpoint: ''"),
        (["--sqs-endpoint="], "--sqs-endpoint: ''"),
        (["--runs", ""], "--runs: ''"),
        (["--resume", " "], "--resume: ' '"),
        ([""], "argument: ''"),
    ],
)
def test_a_value_that_is_empty_is_no_option_left_out(
    capsys: pytest.CaptureFixture[str], options: list[str], flag: str
) -> None:
    assert main.main(["run", *options]) == BAD_INPUT
    (line,) = capsys.readouterr().err.splitlines()
    assert line == f"error: breakeven run: {flag}: is empty; give a value, or leave it out"


@pytest.mark.usefixtures("nothing_starts")
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--resume", "../../etc"], "--resume: '../../etc': a run's id has letters"),
        (["--resume", "nothere"], "--resume: 'nothere': no run of that name"),
        (["--scale", "0"], "--scale: 0.0: "),
        (["--sqs-endpoint", "http://127.0.0.1:99999"], "--sqs-endpoint: url: 'http://127.0.0.1:99999': expe"),
        (["--sqs-endpoint", "http://127.0.0.1:abc"], "--sqs-endpoint: url: 'http://127.0.0.1:abc': expected"),
        (["--sqs-endpoint", "http://[::1"], "--sqs-endpoint: url: 'http://[::1': expected http://host:port"),
        (
            ["--sqs-endpoint", "http://a b:3"],
            "--sqs-endpoint: url: 'http://a b:3': expected http://host:port",
        ),
    ],
)
def test_what_is_wrong_is_said_of_the_flag_that_gave_it(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, options: list[str], said: str
) -> None:
    assert main.main(["run", "--runs", str(tmp_path / "runs"), *options]) == BAD_INPUT
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--seed", "abc"], "--seed: 'abc': must be a whole number, such as 1; or leave it out"),
        (["--seed", "1_0"], "--seed: '1_0': must be a whole number"),
        (["--on", "gcp"], "--on: 'gcp': must be one of local, aws"),
        (["--on", "loca"], "--on: 'loca': did you mean 'local'? must be one of"),
        (["--variant", "equal"], "--variant: 'equal': must be one of equal-guarantees, as-published"),
        (["--scale", "tiny"], "--scale: 'tiny': must be a number, such as 0.1, or local or seconds"),
        (["--max-usd", "x"], "--max-usd: 'x': must be a number, such as 20"),
        (["--max-usd"], "--max-usd: needs a value after it"),
        (["--json=5"], "--json: '5': takes no value; leave that out"),
        (["quick", "extra"], "'extra': is one argument too many; leave it out"),
        (["--xyz"], "--xyz: no such option; see breakeven run --help"),
        (["quick", "--sead", "5"], "--sead: no such option; did you mean '--seed'? see breakeven run --help"),
        (["--seed", "5", "--seed", "5"], "--seed: 5: is given twice, with 5 before; keep one of them"),
        (["--runs=a", "--runs", "b"], "--runs: 'b': is given twice, with 'a' before; keep one of them"),
        (["--resume", "a", "--resume", "b"], "--resume: 'b': is given twice, with 'a' before"),
    ],
)
def test_what_the_parser_refuses_is_one_line_too(
    capsys: pytest.CaptureFixture[str], options: list[str], said: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        main.main(["run", *options])
    (line,) = capsys.readouterr().err.splitlines()
    assert ended.value.code == BAD_INPUT
    assert line.startswith(f"error: breakeven run: {said}")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["rnu", "quick"], "command: 'rnu': no such command; did you mean 'run'? commands are run, plan, "),
        (["cleanup"], "command: 'cleanup': no such command; commands are run, "),
        (["--verson"], "--verson: no such option; did you mean '--version'? see breakeven --help"),
        ([], "{run,plan,perftest,report,compare,trend,crossover,calculator,doctor}: is required; see"),
    ],
)
def test_a_command_that_there_is_not_is_one_line(
    capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        main.main(words)
    (line,) = capsys.readouterr().err.splitlines()
    assert ended.value.code == BAD_INPUT
    assert line.startswith(f"error: breakeven: {said}")


@pytest.mark.parametrize(
    ("given", "said"), [([], "BEFORE, AFTER: are required"), (["latest"], "AFTER: is required")]
)
def test_runs_that_are_to_be_compared_are_named_with_an_example(
    capsys: pytest.CaptureFixture[str], given: list[str], said: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        main.main(["compare", *given])
    assert ended.value.code == BAD_INPUT
    example = "npm run breakeven -- compare r20261120-093000-1a2b latest"
    assert capsys.readouterr().err == f"error: breakeven compare: {said}, such as: {example}\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["plan", "quick", "--seed", "5"], "run and perftest have it; see breakeven plan --help"),
        (["calculator", "--book", "mine.json"], "crossover has it; see breakeven calculator --help"),
        (["crossover", "--message-size", "2KiB"], "did you mean '--size'? see breakeven crossover --help"),
    ],
)
def test_an_option_of_other_commands_is_named_with_them(
    capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        main.main(words)
    assert ended.value.code == BAD_INPUT
    assert f"{words[-2]}: no such option; {said}" in capsys.readouterr().err


@pytest.fixture
def set_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A script that says what it was asked for, and cannot install it."""
    script, asked = tmp_path / "setup.sh", tmp_path / "asked"
    script.write_text(f'#!/bin/sh\necho "$@" >{asked}\nexit 2\n')
    script.chmod(0o755)
    monkeypatch.setenv("BREAKEVEN_SETUP", str(script))
    return asked


@pytest.mark.usefixtures("nothing_starts")
def test_servers_are_set_up_once_nothing_is_wrong_with_the_input(set_up: Path, tmp_path: Path) -> None:
    runs = ["--runs", str(tmp_path / "runs")]
    for wrong in (["/nope.yaml"], ["quick", "--scale", "7"], ["--sqs-endpoint", "http://127.0.0.1:9"]):
        assert main.main(["run", *runs, *wrong]) == BAD_INPUT
    assert not set_up.exists()
    with pytest.raises(SystemExit) as ended:
        main.main(["run", "quick", *runs])
    assert ended.value.code == BAD_INPUT
    assert set_up.read_text() == "run --quiet --brokers=12,13\n"


@pytest.mark.parametrize(
    ("endpoints", "asked"),
    [
        (Endpoints(sqs="http://localhost:1"), "run --quiet --brokers=12 --without-elasticmq\n"),
        (Endpoints(("amqp://a", "amqp://b")), "run --quiet --without-rabbitmq --without-elasticmq\n"),
    ],
)
def test_what_runs_already_is_not_set_up(set_up: Path, endpoints: Endpoints, asked: str) -> None:
    with pytest.raises(SystemExit):
        endpoints.set_up([case_with(workload_with(), target="rabbitmq-mirrored-pair")])
    assert set_up.read_text() == asked


@pytest.mark.parametrize(
    ("target", "asked"),
    [
        ("sqs-standard", "run --quiet --without-rabbitmq\n"),
        ("rabbitmq-mirrored-pair", "run --quiet --brokers=12 --without-elasticmq\n"),
    ],
)
def test_servers_that_no_case_uses_are_not_set_up(set_up: Path, target: str, asked: str) -> None:
    with pytest.raises(SystemExit):
        Endpoints().set_up([case_with(workload_with(), target=target)])
    assert set_up.read_text() == asked


class Interrupted:
    """A session that is told to end while it starts, and again while it ends."""

    def __init__(self, runs: Path, *_: object) -> None:
        self.folder, self.cleaned = runs / "run", False

    def __enter__(self) -> Interrupted:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def start(self, *_: object) -> None:
        os.kill(os.getpid(), signal.SIGTERM)

    def interrupt(self) -> None:
        for number in run_command.ENDING:
            os.kill(os.getpid(), number)
        self.cleaned = True

    def export(self) -> Path:
        assert self.cleaned
        self.folder.mkdir()
        (self.folder / "state.json").write_text('{"run": {}, "case#c": {"status": "ok"}}')
        return self.folder


@pytest.mark.usefixtures("handlers")
def test_a_run_that_is_interrupted_twice_keeps_what_was_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(run_command, "Session", Interrupted)
    assert main.main(["run", "quick", "--runs", str(tmp_path)]) == INTERRUPTED
    assert (tmp_path / "run").is_dir()
    said = capsys.readouterr().out
    assert "what was measured is in" in said
    assert f"to resume it: npm run breakeven -- run --resume run --runs {tmp_path}" in said


@pytest.mark.usefixtures("handlers")
def test_a_run_at_its_end_is_kept_whole_whatever_signals_say(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A first Ctrl-C, while results are written: there is nothing left to break off."""
    ended: list[str] = []

    class Ended(Interrupted):
        def start(self, wanted: RunInput) -> None:
            pass

        def running(self) -> bool:
            return False

        def records(self) -> dict[str, dict[str, str]]:
            return {}

        @property
        def state(self) -> Any:
            return SimpleNamespace(get=lambda _: {"status": "ok"})

        def export(self) -> Path:
            os.kill(os.getpid(), signal.SIGINT)
            ended.append("written")
            self.folder.mkdir()
            return self.folder

    monkeypatch.setattr(run_command, "Session", Ended)
    monkeypatch.setattr(run_command, "conclude", lambda folder, outcome, *_, **__: ended.append(outcome) or 0)
    assert main.main(["run", "quick", "--runs", str(tmp_path)]) == 0
    assert ended == ["written", "ok"]


@pytest.mark.usefixtures("nothing_starts")
def test_a_second_run_on_the_machine_is_refused_before_anything_is_set_up(
    set_up: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    with run_lock.held("r-first", tmp_path / "first", share=False):
        assert main.main(["run", "quick", "--runs", str(tmp_path / "runs")]) == BAD_INPUT
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith("error: breakeven run: this machine: r-first (process ")
        assert "or give --share" in line
        assert main.main(["plan", "quick"]) == 0
    assert not set_up.exists()
    assert not (tmp_path / "runs").exists(), "what is refused leaves no folder"


@pytest.mark.usefixtures("handlers")
def test_a_run_that_shares_starts_beside_another_and_says_so_to_its_workflow(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    wanted: list[bool] = []

    def start(self: Interrupted, asked: RunInput) -> None:
        wanted.append(asked.surroundings.shared)
        os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(Interrupted, "start", start)
    monkeypatch.setattr(run_command, "Session", Interrupted)
    with run_lock.held("r-first", tmp_path, share=False):
        assert main.main(["run", "quick", "--share", "--runs", str(tmp_path / "a")]) == INTERRUPTED
    assert main.main(["run", "quick", "--runs", str(tmp_path / "b")]) == INTERRUPTED
    assert wanted == [True, False]
