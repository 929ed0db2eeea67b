"""A fake client's paginators: each answers with the one page that its call does."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any


class OnePage:
    def get_paginator(self, name: str) -> Any:
        call = getattr(self, name)
        return SimpleNamespace(paginate=lambda **asked: [call(**asked)])
