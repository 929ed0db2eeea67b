#!/usr/bin/env bash
# Every suite that has a scale for one machine, run at it, one after another: at most an hour. Stops at the first of which cases fail.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

"$root/setup/setup.sh" run --quiet
cd "$root"
BREAKEVEN_SETUP=$root/setup/setup.sh exec "$root/.venv/bin/python" -m cli.running.all_suites
