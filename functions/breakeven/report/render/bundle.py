"""Places of the page's own files, which are deployed as any of the package."""

from __future__ import annotations

from pathlib import Path

#: the script: ``setup/page.sh`` bundles it from ``web/``
BUNDLE = Path(__file__).parent / "compiled" / "page.js"
TEMPLATES = Path(__file__).parent / "templates"
