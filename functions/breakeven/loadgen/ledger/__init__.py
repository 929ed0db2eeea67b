"""The ledger: which messages were sent, confirmed, received, lost, and how often."""
