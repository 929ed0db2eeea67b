"""Whose prices: AWS's lists, and what is in none of them, wherever list prices are spoken of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from breakeven.pricing.prices.book_files import BOOKS, load_book, read_book, regions
from breakeven.report.charts.cost_curves import costs
from breakeven.report.contract.report_model import Report
from breakeven.report.money.priced.price_owners import but_for, prices_in_full, prices_in_short
from cli.main import main
from local.stored.published_report import published_report
from tests.fixtures.report import money, sample
from tests.fixtures.report.spoken import in_detail

PLAN = sample.planned()[:2]


def report_of(**inputs: Any) -> Report:
    return sample.report(PLAN, **money.answers(**inputs))


def test_a_price_that_is_not_of_aws_is_named_with_its_source_and_date() -> None:
    report = report_of()
    said = prices_in_full(report)
    assert said.startswith("Prices: AWS's list prices of us-east-1, but for Amazon MQ's cluster.mq.")
    (tier,) = [one for one in report.prices if one.item == "cluster.mq.m7g.large"]
    assert f"{tier.item} of {tier.as_of} ({tier.source})." in said
    oldest = min(one.as_of for one in report.prices if one.book == "us-east-1@2026-11-20")
    assert said.endswith(
        f"put together on 2026-11-20; each price used stands in a source of {oldest} or later."
    )
    assert in_detail(report)["Prices"].endswith(said)
    assert any(one.startswith(said) for one in report.assumptions)


def test_captions_have_it_in_short() -> None:
    short = "AWS's list prices, but for Amazon MQ's (third parties', 2026-10-01)"
    assert prices_in_short(report_of()) == short
    (chart,) = costs(report_of())
    assert chart.caption.startswith(f"{short}, on logarithmic scales")


def test_where_all_are_of_aws_nothing_is_excepted() -> None:
    for report in (report_of(amazon_mq=None), report_of(amazon_mq="mq.m5.large")):
        said = prices_in_full(report)
        assert said.startswith("Prices: AWS's list prices of us-east-1. The price book was put together on")
        assert prices_in_short(report) == "AWS's list prices"


def test_prices_of_history_are_the_sources_own(tmp_path: Path) -> None:
    report = published_report("A", tmp_path)
    assert prices_in_full(report) == "Prices: those that the source prints (2012-12)."
    assert prices_in_short(report) == "Prices that the source prints"
    assert "list prices" not in " ".join(report.assumptions)


def test_whose_a_price_is_does_not_hang_on_the_words_of_its_source() -> None:
    """A book of one's own words its sources as it likes."""
    report = report_of()
    reworded = [one.model_copy(update={"source": "a table of mine"}) for one in report.prices]
    assert prices_in_short(report.model_copy(update={"prices": reworded})) == prices_in_short(report)
    owned = [one.model_copy(update={"publisher": "aws"}) for one in report.prices]
    assert prices_in_short(report.model_copy(update={"prices": owned})) == "AWS's list prices"


def test_a_price_of_the_askers_own_is_nobodys_list() -> None:
    report = report_of(hours=3.0, volume="io2")
    found = {f"{one.service}/{one.item}": one.publisher for one in report.prices}
    assert (found["people/hour"], found["ebs/io2_iops_month"]) == (None, "aws")
    assert prices_in_short(report) == prices_in_short(report_of())


def test_a_book_that_does_not_say_is_of_aws(tmp_path: Path) -> None:
    shipped = json.loads((BOOKS / "us-east-1.json").read_text(encoding="utf-8"))
    for price in shipped["prices"]:
        price.pop("publisher", None)
    unsaid, said = tmp_path / "unsaid.json", tmp_path / "said.json"
    unsaid.write_text(json.dumps(shipped), encoding="utf-8")
    shipped["prices"][0]["publisher"] = "third-party"
    said.write_text(json.dumps(shipped), encoding="utf-8")
    assert but_for(read_book(unsaid).prices) == ""
    assert but_for(read_book(said).prices).startswith(", but for sqs's standard_request of 2026-10-08 (AWS ")


def test_what_is_derived_from_a_price_of_third_parties_is_theirs(tmp_path: Path, capsys: Any) -> None:
    """The mean price of an io2 volume's IOPS stands in no book: it is whose the tiers are."""
    book = json.loads((BOOKS / "us-east-1.json").read_text(encoding="utf-8"))
    (iops,) = [price for price in book["prices"] if price["item"] == "io2_iops_month"]
    iops |= {"publisher": "third-party", "source": "a table of mine"}
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(book), encoding="utf-8")
    assert main(["crossover", "--book", str(path), "--volume", "io2"]) == 0
    said = f"ebs's io2_iops_month of {iops['as_of']} (a table of mine)"
    assert said in " ".join(capsys.readouterr().out.split())


def test_what_is_not_of_aws_is_amazon_mq_alone() -> None:
    others = {
        (one.service, one.item)
        for name in regions()
        for one in load_book(name).prices
        if one.publisher == "third-party"
    }
    assert {service for service, _ in others} == {"amazonmq"}
    assert ("amazonmq", "cluster.mq.m7g.large") in others
