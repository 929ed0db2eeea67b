"""Several calls in flight for one worker, over clients that make one call at a time."""
