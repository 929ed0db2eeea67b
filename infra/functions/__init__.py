"""Lambda functions: the table of the workflow's steps, and the grants of each."""
