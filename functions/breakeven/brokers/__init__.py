"""Access to brokers: addresses, credentials, certificates to trust."""
