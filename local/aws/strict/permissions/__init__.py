"""Roles, policies and quotas, held against each call."""
