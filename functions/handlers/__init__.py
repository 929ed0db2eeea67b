"""Handlers: an event in, a call of the domain, an answer out. One file a function or task."""
