"""A run that ends in the middle: what was settled is in its folder, is reported, and is not run again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from moto.moto_api._internal.models import moto_api_backend

from breakeven.errors import InputError
from breakeven.results import layout
from breakeven.results.items import RUN, case_item
from breakeven.steps.run.build_report import NOT_ITS_OWN
from breakeven.steps.run.software import versions
from breakeven.steps.services import Services
from cli import report_source
from cli.main import main
from local.stored import resumed_run
from local.stored.export import UnwritableError, export_run, point_latest
from local.stored.settled_cases import SettledCases, is_under_way
from local.stored.settled_report import settled_report
from tests.support.aws.moto_results import services_in_moto
from tests.support.workflow.full_disk import full_disk
from tests.support.workflow.settled_run import RUN_ID, ended, keep, plan, settle

pytestmark = pytest.mark.usefixtures("undrawn")

AGAIN = "r2"


def brought(runs: Path) -> Services:
    """What a run finds that resumes it: a simulated AWS as empty as at each start, but for that run."""
    moto_api_backend.reset()
    services = services_in_moto()
    resumed_run.bring(services.store, services.state(RUN_ID), runs)
    return services


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_what_is_settled_is_there_and_nothing_else(killed: list[str], runs: Path) -> None:
    names = set(files(runs / "latest" / "rows" / "cases"))
    assert names == {f"run_id={RUN_ID}/{case_id}.json.gz" for case_id in killed[:2]}
    assert not any(killed[2] in name for name in files(runs / RUN_ID) if name.startswith("rows"))
    assert set(files(runs / RUN_ID / "histograms")) == {f"{case_id}.hlog" for case_id in killed[:2]}
    assert (runs / "latest").resolve().name == RUN_ID


def test_the_latest_run_stays_the_latest_until_another_has_settled_a_case(
    services: Services, cases: list[str], runs: Path
) -> None:
    (runs / "r-before").mkdir(parents=True)
    point_latest(runs, "r-before")
    settled = SettledCases(services.store, RUN_ID, runs)
    keep(services, settled)
    export_run(services.store, services.state(RUN_ID), RUN_ID, runs)
    assert (runs / RUN_ID / "state.json").exists()
    assert (runs / "latest").resolve().name == "r-before"
    settle(services, cases[0])
    keep(services, settled)
    settled.close()
    assert (runs / "latest").resolve().name == RUN_ID


def test_it_is_what_the_export_at_the_end_would_have_written(
    services: Services, killed: list[str], runs: Path, tmp_path: Path
) -> None:
    whole = files(export_run(services.store, services.state(RUN_ID), RUN_ID, tmp_path / "whole"))
    found = files(runs / RUN_ID)
    records = json.loads(found.pop("state.json"))
    assert len(found) > 6
    assert found.items() <= whole.items()
    later = json.loads(whole["state.json"])
    assert {name: later[name] for name in map(case_item, killed[:2])}.items() <= records.items()


def test_before_a_run_is_planned_there_is_nothing(services: Services, runs: Path) -> None:
    keep(services, SettledCases(services.store, RUN_ID, runs))
    assert not runs.exists()


def test_the_report_shows_it_and_says_how_to_go_on(
    killed: list[str], runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", "latest", "--runs", str(runs)]) == 0
    said = capsys.readouterr()
    assert "This run has not come to its end: 2 of its 4 cases are settled, and only these" in said.out
    assert said.out.count("(emulated)") >= 2
    assert "1 of 2 cases failed" in said.out
    assert said.err == (
        f"{RUN_ID} did not come to its end; to resume it: npm run breakeven -- run --resume {RUN_ID} "
        f"--runs {runs}\n"
    )
    report = report_source.read(runs / RUN_ID / "report" / "report.json")
    assert [case.case_id for case in report.cases] == sorted(killed[:2])
    assert report.unsettled == 2
    assert report.manifest.sqs == "ElasticMQ (emulated)"
    assert "not yet" in (runs / RUN_ID / "report" / "report.md").read_text()


@pytest.mark.usefixtures("killed")
def test_a_run_that_ended_and_whose_report_is_gone_is_not_said_to_be_unfinished(
    runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ended(runs)
    assert not (runs / RUN_ID / "report").exists()
    assert main(["report", RUN_ID, "--runs", str(runs)]) == 0
    said = capsys.readouterr()
    assert said.err == (
        f"{RUN_ID} came to its end, and had no report any more: it was made anew from its rows\n"
    )
    assert "has not come to its end" not in said.out
    assert (runs / RUN_ID / "report" / "report.json").exists()


@pytest.mark.usefixtures("killed")
def test_a_report_that_is_made_anew_says_when_its_run_finished_and_when_it_was_made(runs: Path) -> None:
    ended(runs)
    assert main(["report", RUN_ID, "--runs", str(runs)]) == 0
    folder = runs / RUN_ID / "report"
    report = report_source.read(folder / "report.json")
    assert report.finished_at == "2026-11-20T01:00:00+00:00"
    assert report.made_at is not None
    assert report.made_at > report.finished_at
    shown = (folder / "report.md").read_text().splitlines()
    assert f"- Finished: {report.finished_at}" in shown
    assert f"- Report made: {report.made_at}" in shown


@pytest.mark.usefixtures("killed")
def test_of_a_run_that_has_not_finished_the_report_says_when_it_was_made(runs: Path) -> None:
    assert main(["report", RUN_ID, "--runs", str(runs)]) == 0
    report = report_source.read(runs / RUN_ID / "report" / "report.json")
    assert (report.finished_at, report.made_at is None) == ("", False)


@pytest.mark.usefixtures("killed")
def test_a_report_that_is_made_anew_elsewhere_has_the_versions_of_the_run(runs: Path) -> None:
    path = runs / RUN_ID / "plan.json"
    plan = json.loads(path.read_text())
    assert plan["versions"] == versions()
    own = {**plan["versions"], "python": "3.13.99"}
    path.write_text(json.dumps({**plan, "version": "0.0.9", "versions": own}))
    manifest = settled_report(runs / RUN_ID).manifest
    assert (manifest.project_version, manifest.versions) == ("0.0.9", own)
    assert NOT_ITS_OWN not in manifest.notes
    del plan["versions"]  # as an earlier version wrote it
    path.write_text(json.dumps(plan))
    manifest = settled_report(runs / RUN_ID).manifest
    assert manifest.versions == versions()
    assert NOT_ITS_OWN in manifest.notes


@pytest.mark.usefixtures("killed")
def test_what_it_found_of_capacities_is_read_before_it_has_a_report(
    runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["crossover", "--capacity-from", "latest", "--runs", str(runs)]) == 2
    assert f"--capacity-from: '{RUN_ID}': it found no capacity; give a run" in capsys.readouterr().err


def test_it_is_made_anew_each_time(
    services: Services, killed: list[str], runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["report", "--runs", str(runs)])
    settle(services, killed[3])
    keep(services, SettledCases(services.store, RUN_ID, runs))
    capsys.readouterr()
    assert main(["report", "--runs", str(runs)]) == 0
    assert "3 of its 4 cases are settled" in capsys.readouterr().out


def test_a_report_that_was_written_at_the_end_is_shown(
    services: Services, killed: list[str], runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["report", "--runs", str(runs)])
    source = runs / RUN_ID / "report" / "report.json"
    document = json.loads(source.read_bytes())
    source.write_text(json.dumps({**document, "verdict": "As it was at the end."}))
    services.state(RUN_ID).update(RUN, status="ok", finished_at="2026-11-20T00:10:00+00:00")
    export_run(services.store, services.state(RUN_ID), RUN_ID, runs)
    capsys.readouterr()
    assert main(["report", "--runs", str(runs)]) == 0
    assert "As it was at the end." in capsys.readouterr().out


def test_resumed_it_runs_what_is_left_and_no_case_twice(killed: list[str], runs: Path) -> None:
    earlier = resumed_run.earlier_run(runs, "latest")
    assert set(earlier.settled) == set(killed[:2])
    anew = brought(runs)
    assert sorted(plan(anew, AGAIN, resume_run_id=RUN_ID)) == sorted(killed[2:])
    rows = anew.store.keys(layout.rows_prefix("cases", AGAIN))
    assert rows == [layout.row_key("cases", AGAIN, case_id) for case_id in sorted(killed[:2])]


def test_killed_when_all_is_settled_it_is_resumed_for_its_report(
    services: Services, killed: list[str], runs: Path
) -> None:
    for case_id in killed[2:]:
        settle(services, case_id)
    keep(services, SettledCases(services.store, RUN_ID, runs))
    assert plan(brought(runs), AGAIN, resume_run_id=RUN_ID) == []


def test_one_that_is_under_way_is_not_resumed(
    services: Services, cases: list[str], runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settled = SettledCases(services.store, RUN_ID, runs)
    assert not is_under_way(runs / RUN_ID)
    settle(services, cases[0])
    keep(services, settled)
    assert is_under_way(runs / RUN_ID)
    assert main(["run", "--resume", "latest", "--runs", str(runs)]) == 2
    assert f"--resume: '{RUN_ID}': it is under way" in capsys.readouterr().err
    assert main(["report", "--runs", str(runs)]) == 0
    assert capsys.readouterr().err == f"{RUN_ID} is under way: this is what was settled until now\n"
    settled.close()
    assert not is_under_way(runs / RUN_ID)


def test_a_full_disk_is_said_and_leaves_nothing_by_halves(
    services: Services, cases: list[str], runs: Path
) -> None:
    settled = SettledCases(services.store, RUN_ID, runs)
    settle(services, cases[0])
    keep(services, settled)
    before = files(runs / RUN_ID)
    settle(services, cases[1])
    with full_disk(), pytest.raises(UnwritableError, match=rf"{RUN_ID} cannot be written \(File too large"):
        keep(services, settled)
    assert files(runs / RUN_ID) == before
    keep(services, settled)
    settled.close()
    assert set(resumed_run.earlier_run(runs, RUN_ID).settled) == set(cases[:2])


@pytest.mark.usefixtures("killed")
def test_half_of_what_a_killed_run_was_writing_is_not_taken_over(runs: Path) -> None:
    half = runs / RUN_ID / layout.rows_prefix("cases", RUN_ID) / ".half.json.gz-1"
    half.write_bytes(b"half")
    assert not any("half" in key for key in brought(runs).store.keys("rows/"))


@pytest.mark.parametrize("name", ["plan.json", "state.json"])
@pytest.mark.parametrize(
    ("body", "said"),
    [
        (
            "{",
            "line 1, column 2: 'end of file': is not JSON: the file ends before the document does; it "
            "may have been cut off",
        ),
        ("[]", "file: '{name}': cannot be read (is no JSON object)"),
        ("[" * 100_000, "file: 'nesting': is not JSON that can be read: it is nested too deeply"),
    ],
    ids=["cut off", "list", "deep"],
)
@pytest.mark.usefixtures("killed")
def test_a_damaged_file_is_named(
    runs: Path, capsys: pytest.CaptureFixture[str], name: str, body: str, said: str
) -> None:
    (runs / RUN_ID / name).write_text(body)
    assert main(["report", "--runs", str(runs)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith(f"/{name}: {said.format(name=name)}; start a new run")
    assert main(["run", "--resume", RUN_ID, "--runs", str(runs)]) == 2
    assert f"--resume: '{RUN_ID}'" in capsys.readouterr().err


def test_of_nothing_there_is_no_report(
    services: Services, cases: list[str], runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cases
    keep(services, SettledCases(services.store, RUN_ID, runs))
    assert main(["report", RUN_ID, "--runs", str(runs)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert f"{RUN_ID}: cases: none was settled; start a new run" in line


def test_a_folder_of_reports_that_cannot_be_written_is_named(
    killed: list[str], runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert killed
    (runs / RUN_ID / "report").write_text("a file")
    assert main(["report", "--runs", str(runs)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "cannot be written" in line


def test_a_run_that_is_none_is_an_input_error(runs: Path) -> None:
    with pytest.raises(InputError, match="no run of that name"):
        resumed_run.earlier_run(runs, "nothere")


@pytest.mark.parametrize("table", ["cases", "ledgers", "totals"])
def test_rows_that_are_gone_are_not_cases_that_failed(
    killed: list[str], runs: Path, capsys: pytest.CaptureFixture[str], table: str
) -> None:
    (runs / RUN_ID / layout.row_key(table, RUN_ID, killed[0])).unlink()
    which = f"lacks rows of 1 case that came to an end, such as {killed[0]} (rows/{table})"
    for words in (["report"], ["run", "--resume", RUN_ID]):
        assert main([*words, "--runs", str(runs)]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert f"{which}; restore them, or start a new run" in line


def changed(runs: Path, name: str, *path: str) -> None:
    """Without the field of that path."""
    file = runs / RUN_ID / name
    document = json.loads(file.read_text())
    parent = document
    for key in path[:-1]:
        parent = parent[key]
    del parent[path[-1]]
    file.write_text(json.dumps(document))


@pytest.mark.usefixtures("killed")
def test_a_state_without_its_run_is_one_line(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    changed(runs, "state.json", "run")
    assert main(["report", "--runs", str(runs)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith("'state.json': has no record of the run, and is damaged; start a new run")


@pytest.mark.usefixtures("killed")
@pytest.mark.parametrize(
    ("path", "said"),
    [
        (["input"], "its plan's document is damaged ('input'); start a new run"),
        (["suite"], "its plan's document is damaged ('suite'); start a new run"),
        (["suite", "sha256"], "its plan's document is damaged ('sha256'); start a new run"),
        (["plan"], "its plan's document is damaged ('plan'); start a new run"),
        (
            ["plan", "cases"],
            "its plan cannot be read (cases: is required); undo the change, or start a new run",
        ),
    ],
)
def test_a_plan_that_lacks_something_is_not_resumed(
    runs: Path, capsys: pytest.CaptureFixture[str], path: list[str], said: str
) -> None:
    changed(runs, "plan.json", *path)
    assert main(["run", "--resume", RUN_ID, "--runs", str(runs)]) == 2
    assert capsys.readouterr().err == f"error: breakeven run: --resume: '{RUN_ID}': {said}\n"


@pytest.mark.usefixtures("killed")
@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("cost", [], "AttributeError: 'list' object has no attribute 'get'"),
        ("price_books", 5, "Manifest: price_books: must be a list"),
    ],
)
def test_a_plan_of_which_a_part_is_of_another_kind_is_one_line(
    runs: Path, capsys: pytest.CaptureFixture[str], path: str, value: object, said: str
) -> None:
    file = runs / RUN_ID / "plan.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {path: value}))
    assert main(["report", "--runs", str(runs)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith(
        f"{file}: file: 'plan.json': is damaged, or of another version ({said}); start a new run"
    )


@pytest.mark.parametrize("end", ["latest", "a-run-that-was-removed"])
def test_a_link_that_leads_nowhere_is_no_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], end: str
) -> None:
    (tmp_path / "latest").symlink_to(end)
    assert main(["run", "--resume", "latest", "--runs", str(tmp_path)]) == 2
    assert f"--resume: 'latest': {tmp_path}/latest is a link that leads nowhere" in capsys.readouterr().err


@pytest.mark.usefixtures("killed")
def test_another_suite_is_refused_in_the_words_of_the_command_line(
    runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "quorum", "--resume", RUN_ID, "--runs", str(runs)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: breakeven run: suite: 'quorum, sha256 ")
    assert f"run {RUN_ID} has " in line
    assert line.endswith(" and keeps its plan; leave suite out")
