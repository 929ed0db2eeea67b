"""Tables of a report, other than those of money."""
