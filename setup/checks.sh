#!/usr/bin/env bash
# What `npm test` checks before it runs tests: style, types, and that all tests can be collected. They are collected beside
# the types, on the other processor: in a new clone each of the workers would compile them all.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
.venv/bin/ruff check
.venv/bin/ruff format --check
collected=.cache/collected.txt
PYTHONDONTWRITEBYTECODE='' .venv/bin/python -m pytest tests/e2e tests/integration tests/infra tests/unit \
  --collect-only -qq >"$collected" 2>&1 &
collecting=$!
trap 'kill "$collecting" 2>/dev/null || true' EXIT
.venv/bin/python -m mypy
if ! wait "$collecting"; then
  tail -n 40 "$collected" >&2
  exit 1
fi
trap - EXIT
