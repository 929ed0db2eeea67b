"""Guards of an account: alarms, budget, clean-up, schedule."""
