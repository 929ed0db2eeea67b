"""Exit codes of the ``breakeven`` command; README.md says what each means."""

from __future__ import annotations

OK, FAILED, BAD_INPUT, SOME_CASES_FAILED, NOT_FOLLOWED, SELF_TEST_FAILED = range(6)
#: as shells say it of a program that SIGINT or SIGPIPE has ended
INTERRUPTED, NOT_READ = 130, 141
