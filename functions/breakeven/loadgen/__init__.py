"""A loader: workers, stages, ledger, histograms, flags, and its part in a capacity search."""
