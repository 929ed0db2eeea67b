"""The colours and dashes of ``web/src/view/palette.ts``, as its text has them."""

from __future__ import annotations

import re

from tests.support.page.evaluator import WEB

TEXT = (WEB / "src" / "view" / "palette.ts").read_text(encoding="utf-8")


def theme(name: str) -> dict[str, str]:
    """Colours of ``LIGHT`` or ``DARK`` by what they are for."""
    (found,) = re.findall(rf"const {name}: Theme = {{(.*?)}};", TEXT, re.DOTALL)
    return dict(re.findall(r'(\w+): "(#[0-9a-f]{6})"', found))
