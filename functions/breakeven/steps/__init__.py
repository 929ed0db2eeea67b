"""Work of each step of the workflow, knowing nothing of Lambda events."""
