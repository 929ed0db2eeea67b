"""The contract of report.json, and that every name in it is explained."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import get_args

import jsonschema

from breakeven.loadgen.case_figures import Ledger, LoaderReport, ProbeReport
from breakeven.report.contract import cost_model, crossing_model, pairs_model, question_model
from breakeven.report.contract.fault_model import FaultReport
from breakeven.report.contract.json_schema import REGENERATE, path, schema
from breakeven.report.contract.report_model import Comparison, EndToEnd, Metric, Repeats
from breakeven.report.contract.strict import Strict
from breakeven.report.contract.validity_model import InstrumentCase, Reading, RunFlag, Validity
from breakeven.report.sections.origins import glossary
from breakeven.terms import METRICS, Flag
from tests.fixtures.report import sample

METRICS_MD = (Path(__file__).parents[4] / "docs" / "metrics.md").read_text(encoding="utf-8")
#: every model of the money part
MONEY = [
    model
    for module in (question_model, crossing_model, cost_model, pairs_model)
    for model in vars(module).values()
    if isinstance(model, type) and issubclass(model, Strict)
]


def test_the_schema_in_docs_is_current():
    current = path("report").read_text(encoding="utf-8")
    assert current == schema("report"), f"run {REGENERATE}"


def test_a_report_keeps_it():
    jsonschema.validate(json.loads(sample.report().model_dump_json()), json.loads(schema("report")))


def test_metrics_md_defines_every_name():
    defined = set(re.findall(r"\*\*([^*]+)\*\*|\(`([a-z_]+)`\)", METRICS_MD))
    names = {name for pair in defined for name in pair if name}
    # what they are is their name, or is told of every row
    skipped = {"question_id", "options", "inputs", "lines", "rows", "ends"}
    skipped |= {"scenario", "cell", "target", "against", "metric", "figure", "loader", "stage"}
    skipped |= {"case_id", "status", "reason"}
    skipped |= {"against_provenance", "against_loader_saturated"}
    wanted = {
        *METRICS,
        *get_args(Flag),
        *EndToEnd.model_fields,
        *Ledger.model_fields,
        *Comparison.model_fields,
        *Repeats.model_fields,
        *LoaderReport.model_fields,
        *ProbeReport.model_fields,
        *get_args(RunFlag),
        *Reading.model_fields,
        *InstrumentCase.model_fields,
        *Validity.model_fields,
        *FaultReport.model_fields,
        *(name for model in MONEY for name in model.model_fields),
    }
    assert wanted - names - skipped == set()


def test_metrics_md_defines_no_flag_that_is_gone():
    section = METRICS_MD.split("## Flags")[1].split("## ")[0]
    assert set(re.findall(r"\*\*([a-z_]+)\*\*", section)) == set(get_args(Flag))


def test_the_pages_glossary_has_every_name():
    assert set(glossary.FLAGS) == set(get_args(Flag))
    assert {term.replace(" ", "_") for term in glossary.LEDGER} == set(Ledger.model_fields)
    assert {metric.replace("_", " ") for metric in METRICS} <= set(glossary.METRICS)
    assert set(Metric.model_fields) >= {"operations", "p999_ms"}
