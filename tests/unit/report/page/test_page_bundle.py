"""The page's script: typed strictly, the same bytes wherever it is bundled, and the one that is shipped."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from breakeven.report.render.bundle import BUNDLE
from cli.running.live.page_html import SCRIPT
from tests.support.page.evaluator import WEB, bundle

ROOT = WEB.parent
#: a module has one reason to change, as in Python
MOST_LINES = 300


def test_its_types_are_whole() -> None:
    done = subprocess.run(
        [WEB / "node_modules" / ".bin" / "tsc", "--strict", "--noEmit", "-p", WEB],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize(("source", "shipped"), [("main", BUNDLE), ("live", SCRIPT)])
def test_two_builds_in_two_places_are_equal_byte_for_byte_and_what_the_set_up_has_left(
    tmp_path, source, shipped
) -> None:
    setup = (ROOT / "setup" / "page.sh").read_text().split("--bundle ")[1].split('"--outfile')[0]
    options = setup.replace("\\\n", " ").replace("'", "").split()
    built = []
    for name in ("here", "elsewhere"):
        folder = tmp_path / name / "web"
        shutil.copytree(WEB, folder, ignore=shutil.ignore_patterns("node_modules"))
        shutil.copytree(ROOT / "queries", tmp_path / name / "queries")
        bundle(folder / "src" / f"{source}.ts", tmp_path / f"{name}.js", *options)
        built.append((tmp_path / f"{name}.js").read_bytes())
    assert built[0] == built[1] == shipped.read_bytes()


def test_every_module_is_small() -> None:
    lines = {path: len(path.read_text().splitlines()) for path in (WEB / "src").rglob("*.ts")}
    assert {path: count for path, count in lines.items() if count > MOST_LINES} == {}


def test_the_lock_has_hashes_and_no_addresses() -> None:
    lock = (WEB / "package-lock.json").read_text()
    assert '"resolved"' not in lock
    assert lock.count('"integrity"') == lock.count('"node_modules/')


def test_nothing_in_it_makes_markup_or_code_of_text() -> None:
    forbidden = ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function")
    sources = {path: path.read_text() for path in (WEB / "src").rglob("*.ts")}
    assert {path: word for path, text in sources.items() for word in forbidden if word in text} == {}
    # to notice a library that came with an import, in a page that may have 3 MB; a sentence may grow
    assert BUNDLE.stat().st_size < 200_000, "half of it is the text of the queries"
    assert SCRIPT.stat().st_size < 20_000


@pytest.mark.parametrize("script", [BUNDLE, SCRIPT])
def test_none_would_end_its_own_element(script) -> None:
    text = script.read_text(encoding="utf-8")
    assert "</script" not in text.lower()
    assert "<!--" not in text
