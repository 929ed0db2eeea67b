"""Boards: several cases of a suite compared in one table."""
