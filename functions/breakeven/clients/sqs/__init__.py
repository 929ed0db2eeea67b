"""The native SQS client: signed requests made from a template, on one kept-alive connection a worker.

From the wire up: ``endpoint`` (where the service is) · ``signing`` (Signature Version 4) · ``answer`` and
``connection`` (HTTP/1.1) · ``service`` (what botocore knows: region, credentials, errors) · ``operations``
(calls of the SQS JSON protocol) · ``both_clients`` and ``batches`` (what it shares with boto3) · ``sender``,
``receiver``, ``client`` (the seam to the loader).
Why it is made like this, with figures: docs/decisions/0007-sqs-client.md.
"""
