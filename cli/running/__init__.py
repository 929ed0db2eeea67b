"""``breakeven run``, here and on AWS, and what is printed meanwhile and at its end."""
