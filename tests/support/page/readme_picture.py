"""npm run picture: the README's picture of the calculator, in a real browser, as ``docs/calculator.png``.

Of the traffic of an owner, three million messages a month, with the chart in view. 128 colours are enough for
a page of text and lines, and make the file a third as large.
"""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from cli.main import main as breakeven

OUT = Path(__file__).parents[3] / "docs" / "calculator.png"
TRAFFIC = "#v1&unit=month&traffic=300000000&hours=6"
WINDOW = {"width": 1200, "height": 1010}
COLOURS = 128


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "calculator.html"
        if code := breakeven(["calculator", "--out", str(file)]):
            return code
        picture = Image.open(io.BytesIO(_taken(file))).convert("RGB")
    picture.quantize(COLOURS, method=Image.Quantize.MEDIANCUT).save(OUT, optimize=True)
    print(f"{OUT}: {OUT.stat().st_size / 1000:.0f} KB")
    return 0


def _taken(file: Path) -> bytes:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium-headless-shell"), args=["--no-sandbox"]
        )
        page = browser.new_page(viewport=WINDOW, color_scheme="light")
        page.goto(file.as_uri() + TRAFFIC)
        page.locator("#yours-chart svg").wait_for()
        page.locator("#yours").evaluate("section => section.scrollIntoView({behavior: 'instant'})")
        taken = page.screenshot()
        browser.close()
    return taken


if __name__ == "__main__":
    sys.exit(main())
