"""Sections of a report, a module each, in folders by subject; ``report/contents.py`` has their order."""
