"""A proxy before the server that stands for SQS, which causes faults of calls and counts them."""
