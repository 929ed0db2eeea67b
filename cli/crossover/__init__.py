"""``breakeven crossover``: its options, the priced answer, and how it is printed."""
