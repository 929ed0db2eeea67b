#!/usr/bin/env bash
# What a newcomer does, from nothing: clones of HEAD in a temporary folder, in an environment that holds little more than
# PATH and HOME. Synthesizes by `npm run synth` and by `npm ci && npx cdk synth`, and tries each lock alone, on this
# machine's Python and on 3.13. `npm run test:fresh`; a failed step's output is shown, and the folder goes in any case.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/breakeven-fresh-XXXXXX")
trap 'rm -rf --one-file-system "$work"' EXIT
template=cdk.out/QueueBreakeven.template.json

fail() {
  printf 'fresh: %s\n' "$*" >&2
  exit 1
}

# PATH without what npm puts before it for scripts of this checkout.
path() { printf %s "$PATH" | tr : '\n' | grep -v /node_modules/ | paste -sd :; }

# bare COMMAND...: with nothing in the environment but how this machine reaches its registries.
bare() {
  local name kept=()
  for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY SSL_CERT_FILE NODE_EXTRA_CA_CERTS; do
    if [ -n "${!name:-}" ]; then kept+=("$name=${!name}"); fi
  done
  env -i "PATH=$(path)" "HOME=$HOME" ${kept[@]+"${kept[@]}"} "$@" </dev/null
}

# step WHAT COMMAND...: in the current folder; standard output stays in $work/out.
step() {
  local what=$1 before=$SECONDS
  shift
  if ! "$@" >"$work/out" 2>"$work/err"; then
    tail -n 30 "$work/out" "$work/err" >&2
    fail "$what: failed, see above"
  fi
  printf 'fresh: %s: %d s\n' "$what" $((SECONDS - before))
}

# clone NAME: HEAD's files and nothing else, and goes there.
clone() {
  git clone --quiet --no-hardlinks "$root" "$work/$1"
  cd "$work/$1"
}

assert_synthesized() {
  local assets
  [ -s "$template" ] || fail "no $template"
  assets=(cdk.out/asset.*/python/numpy) # wheels of functions.lock for Lambda's processor
  [ -d "${assets[0]}" ] || fail "the layer's packages are not in cdk.out"
  assets=(cdk.out/asset.*/breakeven/report/render/compiled/page.js)
  [ -s "${assets[0]}" ] || fail "the script of the report's page is not in cdk.out"
  rm -rf cdk.out
}

import_handlers() {
  bare PYTHONPATH=functions AWS_DEFAULT_REGION=eu-west-1 "$1" -c '
import importlib, pathlib
paths = sorted(pathlib.Path("functions/handlers").rglob("*.py"))
names = [".".join(path.with_suffix("").parts[1:]) for path in paths]
for name in names:
    importlib.import_module(name)
assert len(names) > 20, names'
}

plan() { bare "$@" npm run --silent breakeven -- plan scenarios/quick.yaml; }

# only_functions_lock PYTHON: an environment of functions.lock, made by nothing of ours
only_functions_lock() {
  bare "$1" -m venv "$work/functions"
  bare "$work/functions/bin/python" -m pip install --quiet --require-hashes -r requirements/functions.lock
  import_handlers "$work/functions/bin/python"
}

main() {
  local python313
  clone synth
  step "npm run synth" bare npm run synth
  assert_synthesized
  rm -rf .venv
  step "run.lock alone: plan" plan

  clone plain
  step "npm ci" bare npm ci
  step "npx cdk synth" bare npx cdk synth
  grep -q '^Resources:' "$work/out" || fail "npx cdk synth printed no template"
  ! grep -q '^set-up:' "$work/out" || fail "what the set-up says is on standard output"
  [ -d node_modules/asl-validator ] || fail "npm's packages were installed anew under the command line that ran"
  assert_synthesized
  step "functions.lock alone: every handler imported" only_functions_lock python3

  step "Python 3.13" bare setup/python313.sh functions
  step "functions.lock alone on Python 3.13: every handler imported" import_handlers "$(tail -n 1 "$work/out")"
  python313=$(bare setup/python313.sh)
  rm -rf .venv
  step "deploy.lock alone on Python 3.13: npx cdk synth" bare "BREAKEVEN_PYTHON=$python313" npx cdk synth --quiet
  assert_synthesized
  rm -rf .venv
  step "run.lock alone on Python 3.13: plan" plan "BREAKEVEN_PYTHON=$python313"
}

main
