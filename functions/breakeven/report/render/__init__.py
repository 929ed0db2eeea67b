"""Rendering: the page, Markdown, JSON and CSV of a report."""
