#!/usr/bin/env bash
# The console command in the project's own environment, which is made first where it is missing.
# Only a run needs brokers and an SQS server: it has them set up itself (local/servers/endpoints.py), by the script that
# BREAKEVEN_SETUP names, once nothing is wrong with what it was given.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

"$root/setup/setup.sh" run --quiet --without-rabbitmq --without-elasticmq
BREAKEVEN_SETUP=$root/setup/setup.sh exec "$root/.venv/bin/breakeven" "$@"
