#!/usr/bin/env bash
# setup/tests.sh ARGUMENTS...: pytest with several workers, which leave the processors to what they time; then what failed
# of real servers once more, alone. See docs/decisions/0054-a-test-of-real-servers-that-fails-runs-once-more.md.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

# Brokers and queue servers yield to loaders by 10 (local/children.py). Tests that compute yield as much, or servers would have
# a tenth of what each of these has. Linux weighs sessions against one another where it groups by them, else processes.
group=/proc/self/autogroup
before=
if [ -w "$group" ]; then read -r _ _ before <"$group" || true; fi
yield_by() { if [ -n "$before" ]; then echo "$1" >"$group" || true; fi; }

again=$(mktemp)
trap 'rm -f "$again"; yield_by "$before"' EXIT
yield_by 10
export PYTHONDONTWRITEBYTECODE=''
code=0
BREAKEVEN_TESTS_AGAIN=$again nice -n 10 .venv/bin/python -m pytest --dist loadfile --no-loadscope-reorder "$@" || code=$?
if [ "$code" -ne 1 ] || [ ! -s "$again" ]; then exit "$code"; fi

printf '\ntests: these failed beside the others; they run once more, alone:\n'
sed 's/^/  /' "$again"
.venv/bin/python -m pytest "@$again"
printf 'tests: they passed alone. Why they failed is above: read it as a failure that shows now and then.\n'
