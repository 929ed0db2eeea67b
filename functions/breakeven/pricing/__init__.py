"""Pricing: price books, bills, and the questions asked of them."""
