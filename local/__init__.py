"""The run on one machine: the workflow on a simulated AWS, real brokers, and folders of runs."""
