"""A large run's report: how long the queries and the page take, and what they read."""
