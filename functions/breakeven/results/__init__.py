"""Storage of a run: rows and their schemas, state, objects, queries' answers."""
