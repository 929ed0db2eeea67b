#!/usr/bin/env bash
# debian_packages.sh PACKAGE...   (as root)
# Installs Debian packages and keeps the services that come with them from starting. What was installed before is
# left as it is; so is a policy-rc.d that somebody else has put in place.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8

policy=/usr/sbin/policy-rc.d
lock=/run/queue-breakeven-setup.lock # /run is root's own folder, which /run/lock is not
systemd=/run/systemd/system          # there while systemd runs the machine
unit_folder=/lib/systemd/system
marker='Made by the set-up of queue-breakeven while it installs packages; safe to delete.'
# RabbitMQ's own unit, the port mapper's, which Erlang brings along, and stunnel's.
declare -A units=([rabbitmq-server]='rabbitmq-server.service' [erlang-base]='epmd.socket epmd.service' [stunnel4]='stunnel.target')

installed() { [ "$(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

remove_policy() { if grep -qsF "$marker" "$policy"; then rm -f "$policy"; fi; }

forbid_starts() {
  remove_policy # one that a killed set-up has left
  if [ -e "$policy" ]; then return 0; fi
  printf '#!/bin/sh\n# %s\nexit 101\n' "$marker" >"$policy"
  chmod 755 "$policy"
}

# The units of packages that were not there before: not running now, nor after the next boot.
disable_new() {
  local package unit
  [ -d "$systemd" ] || return 0
  for package in "$@"; do
    for unit in ${units[$package]}; do
      if [ -e "$unit_folder/$unit" ]; then systemctl disable --now "$unit"; fi
    done
  done
}

main() {
  local package new=()
  [ "$(id -u)" = 0 ] || { echo "debian_packages.sh: must be run as root" >&2; exit 2; }
  exec 9>"$lock"
  flock 9 # two set-ups at a time would remove each other's policy
  for package in "${!units[@]}"; do installed "$package" || new+=("$package"); done

  trap remove_policy EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  forbid_starts
  # A source that does not answer is no reason to stop: the packages may well come from another.
  apt-get update -q -o DPkg::Lock::Timeout=300 || echo "apt-get update failed; going on with the lists that are here"
  apt-get install -q -y --no-install-recommends -o DPkg::Lock::Timeout=300 -- "$@" 9>&-
  disable_new "${new[@]}"
}

# The tests source this file to put the paths elsewhere.
if [ "${BASH_SOURCE[0]}" = "$0" ]; then main "$@"; fi
