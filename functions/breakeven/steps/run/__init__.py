"""Steps of a run: plan, lock, advice, costs, report, resuming."""
