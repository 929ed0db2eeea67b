"""``breakeven perftest``: PerfTest's command line, run as a suite."""
