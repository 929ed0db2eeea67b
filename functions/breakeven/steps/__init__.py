"""What each step of the workflow does, knowing nothing of Lambda events."""
