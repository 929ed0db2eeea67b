#!/usr/bin/env bash
# Installs what is missing and says so; does nothing where nothing is missing.
# Exit codes: 0 all there, 2 something that you can mend (the message says how), 1 something else failed.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=setup/common.sh
. "$root/setup/common.sh"
# shellcheck source=setup/debian.sh
. "$root/setup/debian.sh"
# shellcheck source=setup/packages.sh
. "$root/setup/packages.sh"
# shellcheck source=setup/python.sh
. "$root/setup/python.sh"
# shellcheck source=setup/elasticmq.sh
. "$root/setup/elasticmq.sh"
# shellcheck source=setup/page.sh
. "$root/setup/page.sh"
# shellcheck source=setup/broker_roots.sh
. "$root/setup/broker_roots.sh"

usage() {
  cat >&2 <<'TEXT'
usage: setup/setup.sh run|test|deploy|app [--without-rabbitmq | --brokers=RELEASES] [--without-elasticmq]
                       [--quiet]
  run    what the main job needs: Python packages, RabbitMQ, a Java runtime and ElasticMQ
  test   and what the tests need: more Python packages, npm's packages, Chromium, ShellCheck
  deploy what the CDK needs to synthesize and deploy, and nothing of the above: its command line and few packages
  app    the same without the command line, which is there where it starts the app
  --without-rabbitmq, --without-elasticmq (or BREAKEVEN_SKIP=rabbitmq,elasticmq)
         leave these out, where brokers or an SQS server of your own are used
  --brokers=RELEASES
         of which Debians RabbitMQ is needed, such as 12,13; for all targets unless given. What this machine has
         not got comes into .cache/brokers, where private roots can be had. BREAKEVEN_RABBITMQ_4=testing takes
         RabbitMQ 4 from Debian's testing
  --quiet  say only what is done, not that there was nothing to do
TEXT
}

mode=
quiet=
brokers_of=
skip=,${BREAKEVEN_SKIP:-},

read_arguments() {
  local argument
  for argument in "$@"; do
    case $argument in
      run | test | deploy | app) mode=$argument ;;
      --without-rabbitmq) skip+=rabbitmq, ;;
      --without-elasticmq) skip+=elasticmq, ;;
      --brokers=*) brokers_of=${argument#*=} ;;
      --quiet) quiet=yes ;;
      *) usage && fail 2 "unknown argument: $argument" ;;
    esac
  done
  [ -n "$mode" ] || { usage && fail 2 "say what for: run, test, deploy or app"; }
  for argument in ${skip//,/ }; do
    [[ $argument = rabbitmq || $argument = elasticmq ]] ||
      fail 2 "BREAKEVEN_SKIP: unknown part: $argument (rabbitmq and elasticmq can be left out)"
  done
}

# A deployment needs no server here.
wanted() { [[ $mode != deploy && $mode != app && $skip != *,$1,* ]]; }

need_rabbitmq() {
  # The nodes are started from the package's own scripts, as the present user.
  [ -x /usr/lib/rabbitmq/bin/rabbitmq-server ] ||
    need rabbitmq-server "the broker that SQS is compared with; its service is not started"
}

# What a target's brokers run and this machine's package is not: RabbitMQ of another Debian.
need_broker_roots() {
  local releases
  # shellcheck disable=SC2086 # a word each
  releases=$(cd "$root" && "$venv/bin/python" -m local.servers.broker_releases ${brokers_of//,/ }) || exit 2
  # shellcheck disable=SC2086
  [ -z "$releases" ] || make_broker_roots $releases
}

need_test_tools() {
  # renders as Chromium does, with a third of the processor's time
  has chromium-headless-shell || need chromium-headless-shell "looks at the report in the tests"
  local atomics=(/usr/lib/*/libatomic.so.1)
  [ -e "${atomics[0]}" ] || need libatomic1 "a library of what drives Chromium in the tests"
  has shellcheck || need shellcheck "reads the set-up scripts in the tests"
  has ip || need iproute2 "connects the hosts on which the tests run the brokers' scripts"
  # another distribution's hosts have none, and would have the tests of its other RabbitMQs left out
  [ -e "$keyring" ] ||
    need debian-archive-keyring "checks the RabbitMQ of other Debians, which the tests run in private roots"
}

# What is in node_modules is the CDK's command line alone, or with it what the tests check the workflow by.
install_npm_packages() {
  local stamp=$root/node_modules/.queue-breakeven all there
  all=$(digest "$root/package-lock.json")
  there=$(cat "$stamp" 2>/dev/null || true)
  if [ "$there" = "$all" ]; then return; fi
  if [ "$mode" = deploy ]; then
    if [ "$there" = "$all without the tests'" ]; then return; fi
    say "installing the CDK's command line into node_modules"
    npm_ci --omit=dev
    printf '%s\n' "$all without the tests'" >"$stamp"
  else
    say "installing the CDK's command line and a validator of state machines into node_modules"
    npm_ci
    printf '%s\n' "$all" >"$stamp"
  fi
}

npm_ci() { (cd "$root" && logged npm ci --ignore-scripts "$@") || fail 1 "npm could not install its packages"; }

# The loaders' core, for this processor and for those that a deployment runs on.
compile_core() {
  local folder=functions/breakeven/clients/core
  [ -n "$("$venv/bin/python" "$root/setup/core.py" --missing)" ] || return 0
  say "compiling the loaders' core ($folder) with Zig's C compiler"
  logged "$venv/bin/python" "$root/setup/core.py" || fail 1 "the loaders' core could not be compiled"
}

install_mode() {
  if [ "$mode" = deploy ] || [ "$mode" = app ]; then
    install_lock deploy "the CDK, and what our own modules import for it"
  else
    install_lock run "the workflow, the simulated AWS it runs on, and the report"
  fi
  compile_core
  bundle_page
  if [ "$mode" = test ]; then install_lock test "the tests, types and style checks"; fi
  if [ "$mode" = test ] || [ "$mode" = deploy ]; then install_npm_packages; fi
}

main() {
  read_arguments "$@"
  mkdir -p "$root/.cache"
  exec 8>"$root/.cache/setup.lock"
  flock 8 # a second run of this checkout waits for the first one's set-up

  need_python
  if wanted rabbitmq; then need_rabbitmq; fi
  if wanted elasticmq; then wish_elasticmq; fi
  if [ "$mode" = test ]; then need_test_tools; fi
  install_packages
  if wanted elasticmq; then start_elasticmq; fi
  make_venv
  install_mode
  if wanted rabbitmq; then need_broker_roots; fi
  finish_elasticmq
  [ -n "$said$quiet" ] || say "nothing to do: all that '$mode' needs is here"
}

main "$@"
