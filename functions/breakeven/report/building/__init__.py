"""Building of a report's model from what the queries answer."""
