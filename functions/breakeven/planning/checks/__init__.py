"""Checks of a suite's cells against what their targets can do."""
