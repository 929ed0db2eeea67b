"""The project's version; pyproject.toml holds the same, and a test keeps them equal."""

VERSION = "0.1.0"
