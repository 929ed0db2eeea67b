"""Records of a loader's work: histograms, send times, errors, totals of cells."""
