"""Figures that sources printed, and the end of releases' support."""
