"""The JSON Schemas of ``report.json`` and of a price book, which ``docs/`` has.

Run as a program, this module writes them. They say what a file holds; that tiers follow one another, that
nothing is priced twice and that a null price has its reason is checked when a book is read.
"""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import BaseModel

from breakeven.pricing.prices.book import PriceBook
from breakeven.report.contract.report_model import Report

#: the command that writes them, at the root
REGENERATE = "PYTHONPATH=functions .venv/bin/python -m breakeven.report.contract.json_schema"
DOCS = Path(__file__).parents[4] / "docs"
MODELS: dict[str, type[BaseModel]] = {"report": Report, "price-book": PriceBook}


def path(name: str) -> Path:
    return DOCS / f"{name}.schema.json"


def schema(name: str) -> str:
    """The schema as it stands in its file."""
    model = MODELS[name]
    document = {"$schema": "https://json-schema.org/draft/2020-12/schema", **model.model_json_schema()}
    return json.dumps(document, indent=2) + "\n"


if __name__ == "__main__":
    for each in MODELS:
        path(each).write_text(schema(each), encoding="utf-8")
