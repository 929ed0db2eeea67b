"""Bills: what each option needs of each priced unit, and the questions that are priced."""
