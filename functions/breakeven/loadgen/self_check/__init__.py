"""A loader's check of itself and its host: whether they were the limit."""
