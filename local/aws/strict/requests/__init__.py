"""Requests, held against the services' models and limits."""
