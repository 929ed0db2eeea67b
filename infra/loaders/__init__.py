"""Loaders on Fargate: their image and task definitions."""
