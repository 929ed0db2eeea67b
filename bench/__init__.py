"""`npm run bench`: our loader beside its peers, on the same broker and the same SQS server, in turn."""
