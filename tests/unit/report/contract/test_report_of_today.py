"""A stored report of an earlier version: whose prices they are, which zones moved, and inputs out of bounds.

The fixture was written by the version before prices had a publisher, with inputs that are no longer taken.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from breakeven import words
from breakeven.errors import InputError
from breakeven.pricing.bill.inputs import Inputs, ask
from breakeven.report.contract.earlier_inputs import EarlierInputs, stored_inputs
from breakeven.report.contract.of_today import of_today
from breakeven.report.contract.report_model import Report
from breakeven.report.money.lookup_tables import MOVED, STAY, sensitivity_table
from breakeven.report.money.priced.price_owners import prices_in_short
from breakeven.report.money.priced.price_sources import price_sources_table
from breakeven.report.render.page_data import page_data
from cli.main import main
from cli.report_source import read
from tests.unit.report.priced.test_report_price_owners import report_of

STORED = Path(__file__).parents[3] / "fixtures" / "report" / "earlier_version.json"
#: input -> what the fixture has, what is taken today in its place
OUTSIDE = {"containers": (1.5, 2), "lambda_ms": (0.0005, 0.001), "utilisation": (0.005, 0.01)}


@pytest.fixture(scope="module")
def earlier() -> Report:
    return read(STORED)


def test_prices_without_a_publisher_are_whose_their_sources_say(earlier: Report) -> None:
    stored = json.loads(STORED.read_text(encoding="utf-8"))
    assert not any("publisher" in price for price in stored["prices"])
    found = {f"{one.service}/{one.item}": one.publisher for one in earlier.prices}
    assert found["amazonmq/cluster.mq.m7g.large"] == found["amazonmq/single.mq.m7g.large"] == "third-party"
    assert found["sqs/standard_request"] == found["amazonmq/storage_gb_month"] == "aws"
    assert prices_in_short(earlier) == "AWS's list prices, but for Amazon MQ's (third parties', 2026-10-01)"


def test_what_the_asker_gave_is_in_nobodys_list_in_a_report_of_an_earlier_version_either() -> None:
    report = report_of(hours=3.0)
    unsaid = [one.model_copy(update={"publisher": None}) for one in report.prices]
    found = of_today(report.model_copy(update={"prices": unsaid})).prices
    assert {one.service for one in found if one.publisher is None} == {"people"}
    table = price_sources_table(report.model_copy(update={"prices": found}))
    assert table
    (row,) = [row for row in table.rows if row.labels == ("people/hour",)]
    assert words.NOTHING in row.cells


def test_what_is_null_in_a_report_of_today_stays_nobodys() -> None:
    report = report_of(hours=3.0)
    assert of_today(report) == report
    assert {one.publisher for one in report.prices} == {"aws", "third-party", None}


def test_zones_of_an_earlier_version_are_not_labelled_as_those_of_today(earlier: Report) -> None:
    table = sensitivity_table(earlier)
    assert table
    labels = {row.labels[0] for row in table.rows}
    assert "1 zone for 3" in labels
    assert not any("stay in" in label for label in labels)
    assert MOVED.strip() in table.notes[0]
    today = sensitivity_table(report_of())
    assert today
    assert STAY.strip() in today.notes[0]
    assert any(row.labels[0].endswith("(Amazon MQ's stay in 3)") for row in today.rows)


def test_inputs_out_of_todays_bounds_are_rendered_with_a_note(tmp_path: Path, capsys: Any) -> None:
    shutil.copy(STORED, tmp_path / "report.json")
    assert main(["report", str(tmp_path)]) == 0
    assert capsys.readouterr().err == ""
    text = (tmp_path / "report.md").read_text(encoding="utf-8").replace("\\", "")
    for field, (value, nearest) in OUTSIDE.items():
        assert (
            f"An earlier version priced with {field} {value}, out of today's bounds: the figures are that "
            f"version's. The page's controls begin with {nearest}."
        ) in text
    assert (tmp_path / "report.json").read_bytes() == STORED.read_bytes()


def test_the_page_begins_with_the_nearest_that_is_taken(earlier: Report) -> None:
    data = page_data(earlier)
    assert data
    assert {field: data["inputs"][field] for field in OUTSIDE} == {
        field: nearest for field, (_, nearest) in OUTSIDE.items()
    }
    assert Inputs.model_validate(data["inputs"])


def test_a_rate_below_a_message_a_month_is_one_of_them() -> None:
    inputs = stored_inputs({"msg_per_s": 1e-9})
    assert isinstance(inputs, EarlierInputs)
    assert inputs.of_today().msg_per_s == pytest.approx(1 / (730 * 3600))
    assert len(list(inputs.notes())) == 1
    assert inputs.but(containers=2.5).containers == 2.5


@pytest.mark.parametrize("field", OUTSIDE)
def test_nothing_new_is_asked_with_them(field: str) -> None:
    with pytest.raises(InputError, match=field):
        ask(**{"consumer": "containers", field: OUTSIDE[field][0]})


@pytest.mark.parametrize(
    "changed",
    [{"utilisation": 0}, {"containers": -1}, {"lambda_ms": 1e9}, {"volume_gb": -3}, {"made_up": 1}],
)
def test_what_no_version_took_is_refused(tmp_path: Path, capsys: Any, changed: dict[str, float]) -> None:
    document = json.loads(STORED.read_text(encoding="utf-8"))
    document["cost_questions"][0]["inputs"] |= changed
    (tmp_path / "report.json").write_text(json.dumps(document))
    assert main(["report", str(tmp_path)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    ((field, value),) = changed.items()
    assert f"{field}: {value}: " in line or f"{field}: gp3 has 1 to" in line
    assert "is it of another version of breakeven?" in line


def test_traffic_that_was_priced_by_bodies_alone_is_said_to_be_an_earlier_versions(earlier: Report) -> None:
    assert sum("by messages' bodies alone" in note for note in earlier.assumptions) == 1
    assert of_today(earlier).assumptions == earlier.assumptions
    assert not any("bodies alone" in note for note in of_today(report_of()).assumptions)


def test_throughput_above_what_a_volumes_iops_bound_is_still_read() -> None:
    stored = ask(volume_iops=8000, volume_mibps=2000).model_dump(mode="json") | {"volume_iops": 3000.0}
    found = stored_inputs(stored)
    assert isinstance(found, EarlierInputs)
    assert (found.volume_mibps, found.of_today().volume_mibps) == (2000, 750)
    assert any("volume_mibps 2000" in note for note in found.notes())
