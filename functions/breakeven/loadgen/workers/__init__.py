"""Workers of a loader: producers and consumers, closed and open loops."""
