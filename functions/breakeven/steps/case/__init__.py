"""Steps of one case: prepare, load, watch, faults, settle."""
