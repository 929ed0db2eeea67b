"""Price books: dated prices of regions with their sources, and their refresh."""
