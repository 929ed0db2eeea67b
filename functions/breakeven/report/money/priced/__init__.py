"""Words for what the prices of an answer rest on: loads carried, sources, ranges, limits."""
