"""Estimates of a plan: durations, requests, dollars, and the deployment's allowance."""
