"""Lines of a bill for receiving: consumers, polls, invocations."""
