"""The JSON Schema of ``report.json``: ``python -m breakeven.report.contract.json_schema`` writes it."""

from __future__ import annotations

import json
from pathlib import Path

from breakeven.report.contract.report_model import Report

PATH = Path(__file__).parents[4] / "docs" / "report.schema.json"


def schema() -> str:
    """The schema as it stands in ``docs/report.schema.json``."""
    document = {"$schema": "https://json-schema.org/draft/2020-12/schema", **Report.model_json_schema()}
    return json.dumps(document, indent=2) + "\n"


if __name__ == "__main__":
    PATH.write_text(schema(), encoding="utf-8")
