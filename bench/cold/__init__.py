"""Capacity searches on cold servers, beside a reference."""
