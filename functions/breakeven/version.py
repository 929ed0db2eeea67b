"""The project's version, which pyproject.toml holds too (a test keeps them equal), and the format of runs."""

VERSION = "0.1.0"
#: of a run's plan and rows, for a run that goes on with it. Raised whenever their shape changes, or what is
#: measured: one report would have cases of two kinds. A test holds it against the shape.
RUN_FORMAT = 2
