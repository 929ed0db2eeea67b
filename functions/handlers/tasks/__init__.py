"""Handlers of loaders that are tasks of Fargate."""
