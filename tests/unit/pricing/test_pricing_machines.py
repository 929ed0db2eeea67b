"""The figures of instance types, and what is said of those that are not known."""

from __future__ import annotations

import json
import re

import pytest
from pydantic import ValidationError

from breakeven.errors import InputError
from breakeven.pricing.prices.book_files import load_book
from breakeven.pricing.prices.instance_types import PATH, Machine, machine, machines


@pytest.mark.parametrize(
    ("name", "vcpu", "memory_gib", "architecture", "mbps"),
    [
        ("m7g.large", 2, 8, "arm64", 937),
        ("m7i.large", 2, 8, "x86_64", 781),
        ("t4g.medium", 2, 4, "arm64", 256),
        ("m1.small", 1, 1.7, "x86_64", None),
        ("m9g.xlarge", None, None, "arm64", 2100),
        ("c3.8xlarge", 32, 60, "x86_64", 10_000),
    ],
)
def test_spot_figures(
    name: str, vcpu: int | None, memory_gib: float | None, architecture: str, mbps: float | None
) -> None:
    found = machine(name)
    assert (found.vcpu, found.memory_gib, found.architecture) == (vcpu, memory_gib, architecture)
    assert found.network_baseline_mbps == mbps
    assert ("network_baseline_mbps" in found.reasons) == (mbps is None)


def test_every_priced_type_is_known_and_every_gap_has_its_reason() -> None:
    assert list(machines()) == [p.item for p in load_book("us-east-1").prices if p.service == "ec2"]
    for found in machines().values():
        assert "/" in found.source
        assert re.fullmatch(r"20\d\d-\d\d-\d\d", found.as_of)
        assert found.ebs_baseline_mibps is None
        assert "burst" in found.reasons["ebs_baseline_mibps"]
        assert ("cpu_credit_baseline" in found.reasons) == (not found.burstable)
        assert found.burstable == found.instance_type.startswith(("t3.", "t4g."))


def test_the_file_names_no_machine_and_no_private_reference() -> None:
    text = PATH.read_text(encoding="utf-8")
    assert not re.search(r"(?<!\w)/(work|root|home|tmp)\b|\(id \d+|\bids? \d{6,}", text)
    names = [entry["instance_type"] for entry in json.loads(text)["machines"]]
    assert len(names) == len(set(names)) == len(machines())


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("m7g.larg", "did you mean m7g.large"),
        ("m7g.16xlarge", "m7g.2xlarge"),
        ("nothing", "there are c3.2xlarge, c3.8xlarge"),
        ("", "there are c3.2xlarge"),
    ],
)
def test_an_unknown_type_is_named_with_similar_ones(name: str, says: str) -> None:
    with pytest.raises(InputError) as caught:
        machine(name)
    assert says in str(caught.value)
    assert caught.value.value == name


@pytest.mark.parametrize(
    "change",
    [
        {"vcpu": None},
        {"reasons": {}},
        {"architecture": None},
        {"network_baseline_mbps": 0},
        {"cpu_credit_baseline": 2, "reasons": {"ebs_baseline_mibps": "why"}},
        {"architecture": "mips"},
    ],
)
def test_a_gap_without_reason_or_a_wrong_figure_is_refused(change: dict[str, object]) -> None:
    good = machine("m7g.large").model_dump()
    Machine.model_validate(good)
    with pytest.raises(ValidationError):
        Machine.model_validate({**good, **change})


def test_an_architecture_may_be_unknown_when_it_says_why() -> None:
    good = machine("m7g.large").model_dump()
    reasons = {**good["reasons"], "architecture": "not in the source"}
    found = Machine.model_validate({**good, "architecture": None, "reasons": reasons})
    assert found.architecture is None
