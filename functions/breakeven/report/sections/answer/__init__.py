"""Sections that answer: which option is cheaper, in detail and in dollars."""
