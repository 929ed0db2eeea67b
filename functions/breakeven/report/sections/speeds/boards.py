"""Boards: what a suite's cells are worth beside one another, with what its source printed."""

from __future__ import annotations

from breakeven.report.boards.base_board import base_board
from breakeven.report.boards.cluster_board import cluster_boards
from breakeven.report.boards.ladder_board import ladder_board
from breakeven.report.boards.size_scaling import scaling_boards
from breakeven.report.elements import Section, filled
from breakeven.report.sections.subject import Subject


def section(subject: Subject) -> Section | None:
    """None where nothing stands on a board, or a source published the figures."""
    report = subject.report
    if report.source:
        return None
    tables = filled(
        base_board(report), *scaling_boards(report), *cluster_boards(report), ladder_board(report)
    )
    return Section("boards", "Boards", tables)
