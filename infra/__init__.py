"""The CDK app: ``app`` makes ``stack``, which is assembled from the rooms here."""
