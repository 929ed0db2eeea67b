"""Sections on where figures come from, and what words mean."""
