#!/usr/bin/env bash
# What `npm test` checks before it runs tests: style, types, and that all tests can be collected. They are collected beside
# the types, on the other processor: in a new clone each of the workers would compile them all. The workflow is synthesized
# here too, as every run of the tests would do it at the same time; and Python 3.13 is set up, which functions are tried on.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
python=.venv/bin/python
.venv/bin/ruff check
.venv/bin/ruff format --check
beside=.cache/beside-the-types.txt
export PYTHONDONTWRITEBYTECODE=''
set -m # a group of its own, which ends as one
{
  setup/python313.sh functions
  "$python" -m pytest tests/e2e tests/integration tests/infra tests/unit --collect-only -qq
} >"$beside" 2>&1 &
working=$!
set +m
trap 'kill -- "-$working" 2>/dev/null || true' EXIT
"$python" -m mypy
# under the umask of a machine that keeps files to their owner: what is deployed has to be readable all the same
(umask 077 && exec env PYTHONPATH=functions "$python" -m local.cdk.synth)
if ! wait "$working"; then
  tail -n 40 "$beside" >&2
  exit 1
fi
trap - EXIT
