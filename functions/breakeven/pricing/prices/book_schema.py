"""The JSON Schema of a price book. ``python -m breakeven.pricing.prices.book_schema`` writes it to ``docs/``.

It says what a file holds; that tiers follow one another, that nothing is priced twice and that a null
price has its reason is checked when a book is read.
"""

from __future__ import annotations

import json
from pathlib import Path

from breakeven.pricing.prices.book import PriceBook

PATH = Path(__file__).parents[4] / "docs" / "price-book.schema.json"


def schema() -> str:
    """The schema as it stands in ``docs/price-book.schema.json``."""
    document = {"$schema": "https://json-schema.org/draft/2020-12/schema", **PriceBook.model_json_schema()}
    return json.dumps(document, indent=2) + "\n"


if __name__ == "__main__":
    PATH.write_text(schema(), encoding="utf-8")
