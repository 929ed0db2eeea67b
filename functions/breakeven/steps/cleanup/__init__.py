"""Steps that remove what runs have left, by its tags."""
