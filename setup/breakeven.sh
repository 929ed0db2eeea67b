#!/usr/bin/env bash
# The console command in the project's own environment, which is made first where it is missing.
# Only a run needs brokers and an SQS server, and not where it is told to use some that are there already.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

without=()
if [ "${1:-}" != run ]; then without=(--without-rabbitmq --without-elasticmq); fi
for argument in "$@"; do
  case $argument in
    --rabbitmq-url | --rabbitmq-url=*) without+=(--without-rabbitmq) ;;
    --sqs-endpoint | --sqs-endpoint=*) without+=(--without-elasticmq) ;;
  esac
done

"$root/setup/setup.sh" run --quiet "${without[@]}"
exec "$root/.venv/bin/breakeven" "$@"
