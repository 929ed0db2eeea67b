"""The domain: measuring and pricing queues, independent of the events that call it."""
