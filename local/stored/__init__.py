"""Folders of runs: written as cases settle, read for reports and by resumed runs."""
