"""PerfTest's files and options, read as suites."""
