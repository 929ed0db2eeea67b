"""The capacity search: rates, probes, and how loaders act as one team."""
