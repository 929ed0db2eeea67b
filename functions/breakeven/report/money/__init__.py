"""Sentences and tables of money: headline, crossings, prices by size."""
