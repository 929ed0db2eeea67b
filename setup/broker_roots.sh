#!/usr/bin/env bash
# setup/broker_roots.sh RELEASE...   (12, 13 or testing)
# Makes private roots in .cache/brokers: RabbitMQ of another Debian than this machine's, with its Erlang and the
# libraries and few tools that they need. The packages are fetched and verified by apt under a configuration of its
# own, and only unpacked: no script of theirs runs, nothing outside that folder changes, and root is not needed.
# A root that is there is kept until its folder is deleted, or this file changes. Exit codes as those of setup.sh,
# which sources this file.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=setup/common.sh
. "$root/setup/common.sh"
# shellcheck source=setup/debian.sh
. "$root/setup/debian.sh"

brokers=$root/.cache/brokers
# the server, and what its start script calls
server_packages=(rabbitmq-server dash coreutils sed grep)
# dependencies of what we never call: rabbitmqadmin, the scripts that set the packages up, the service's unit, logs
left_out=(python3 adduser passwd socat openssl procps logrotate)

root_digest() { digest "${BASH_SOURCE[0]}" "$root/setup/debian.sh"; }

# configure_private_apt FOLDER SUITE: an apt of its own, which believes that what is left out is there.
configure_private_apt() {
  local folder=$1 suite=$2 architecture name
  architecture=$(dpkg --print-architecture)
  mkdir -p "$folder"/{none,lists/partial,archives/partial}
  debian_sources "$suite" "arch=$architecture signed-by=$keyring" >"$folder/sources"
  for name in "${left_out[@]}"; do
    printf 'Package: %s\nStatus: install ok installed\nVersion: 99:0\nArchitecture: %s\nMulti-Arch: allowed\n' \
      "$name" "$architecture"
    printf 'Maintainer: nobody\nDescription: left out\n\n'
  done >"$folder/status"
  apt_as_outside >"$folder/conf"
  cat >>"$folder/conf" <<TEXT
Dir::State "$folder";
Dir::State::status "$folder/status";
Dir::Cache "$folder";
Dir::Etc::sourcelist "$folder/sources";
Dir::Etc::sourceparts "$folder/none";
Dir::Etc::parts "$folder/none";
Dir::Etc::preferences "$folder/none/preferences";
Dir::Etc::preferencesparts "$folder/none";
Dir::Etc::trustedparts "$folder/none";
Acquire::Languages "none";
APT::Update::Error-Mode "any";
APT::Install-Recommends "false";
pkgCacheGen::Essential "none";
pkgCacheGen::ForceEssential ",";
TEXT
}

fetch_packages() {
  APT_CONFIG=$1/conf apt-get update -q && APT_CONFIG=$1/conf apt-get install -q -y --download-only "${server_packages[@]}"
}

# unpack_packages ARCHIVES FOLDER: with /usr merged, as an installed Debian has it.
unpack_packages() {
  local archive name
  for name in bin sbin lib lib64; do
    mkdir -p "$2/usr/$name"
    ln -s "usr/$name" "$2/$name"
  done
  for archive in "$1"/*.deb; do
    dpkg-deb --fsys-tarfile "$archive" | tar -x -C "$2" --keep-directory-symlink --no-same-owner \
      --exclude='./usr/share/doc' --exclude='./usr/share/man' --exclude='./usr/share/locale' || return
  done
}

make_broker_root() {
  local release=$1 folder=$brokers/debian-$1 server site
  if [ "$(cat "$folder/.queue-breakeven" 2>/dev/null)" = "$(root_digest)" ]; then return 0; fi
  site=$(mirror main) || exit
  say "fetching RabbitMQ of Debian $release, 50 MB with its Erlang, into .cache/brokers from $site"
  rm -rf --one-file-system "$folder.new" "$folder.apt"
  mkdir -p "$folder.new/mount"
  configure_private_apt "$folder.apt" "${suites[$release]}"
  logged fetch_packages "$folder.apt" || fail 1 "RabbitMQ of Debian $release could not be fetched: is the network there?" \
    "Start again when it is, or name brokers that run already with --rabbitmq-url"
  logged unpack_packages "$folder.apt/archives" "$folder.new/files" || fail 1 "Debian $release's packages could not be unpacked"
  server=("$folder.new"/files/usr/lib/rabbitmq/lib/rabbitmq_server-*)
  [ -d "${server[0]}" ] || fail 1 "there is no RabbitMQ among the packages of Debian $release"
  root_digest >"$folder.new/.queue-breakeven"
  rm -rf --one-file-system "$folder" "$folder.apt"
  mv "$folder.new" "$folder"
}

make_broker_roots() {
  local release
  for release in "$@"; do
    [ -n "${suites[$release]:-}" ] || fail 2 "unknown release of Debian: $release (12, 13 and testing are known)"
  done
  [ -e "$keyring" ] || fail 2 "Debian's keys are not in $keyring: install the package debian-archive-keyring"
  mkdir -p "$brokers"
  exec 7>"$brokers.lock"
  flock 7 # two set-ups of this checkout wait for each other
  for release in "$@"; do make_broker_root "$release"; done
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
  [ $# -gt 0 ] || fail 2 "say which release of Debian: 12, 13 or testing"
  make_broker_roots "$@"
fi
