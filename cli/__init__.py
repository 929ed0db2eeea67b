"""The ``breakeven`` command: a module or folder for each of its commands."""
