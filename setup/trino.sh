#!/usr/bin/env bash
# What `npm run test:trino` needs: Trino's server, a Java runtime for it and Trino's own client, all in .cache/trino,
# beside the Python packages of the tests. Does nothing where nothing is missing. Exit codes as those of setup.sh.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=setup/common.sh
. "$root/setup/common.sh"
# shellcheck source=setup/packages.sh
. "$root/setup/packages.sh"
# shellcheck source=setup/python.sh
. "$root/setup/python.sh"

trino=$root/setup/trino
home=$root/.cache/trino
server=$home/server     # lib/, and plugin/hive/
packages=$home/packages # Python's: the client, and the Java runtime

# stamped FOLDER DIGEST: true where the folder was finished from what the digest stands for.
stamped() { [ "$(cat "$1/.queue-breakeven" 2>/dev/null)" = "$2" ]; }

# finish FOLDER DIGEST: FOLDER.new is whole; it takes its place.
finish() {
  printf '%s\n' "$2" >"$1.new/.queue-breakeven"
  rm -rf "$1"
  mv "$1.new" "$1"
}

server_digest() { digest "$trino/pom.xml" "$trino/archives.sha256"; }

fetch_archives() {
  say "fetching Trino's server and its Hive connector, 450 MB, into .cache/trino with Maven"
  rm -rf "$home/archives"
  logged mvn --batch-mode --quiet --strict-checksums --file "$trino/pom.xml" dependency:copy \
    -DoutputDirectory="$home/archives" || fail 1 "Maven could not fetch Trino"
  (cd "$home/archives" && sha256sum --check --strict --status "$trino/archives.sha256") ||
    fail 1 "an archive is not the one that setup/trino/archives.sha256 names"
}

# Of the server its own jars alone: none of the plugins that it brings along is used.
install_server() {
  if stamped "$server" "$(server_digest)"; then return 0; fi
  fetch_archives
  say "unpacking them: 350 MB"
  rm -rf "$server.new"
  mkdir -p "$server.new/plugin"
  tar -xzf "$home"/archives/trino-server-core-*.tar.gz -C "$server.new" --strip-components=1 --wildcards '*/lib' ||
    fail 1 "the server could not be unpacked"
  # Python's own, as unzip may not be there
  "$venv/bin/python" -m zipfile -e "$home"/archives/trino-hive-*.zip "$server.new/plugin" ||
    fail 1 "the Hive connector could not be unpacked"
  mv "$server.new"/plugin/trino-hive-* "$server.new/plugin/hive"
  finish "$server" "$(server_digest)"
  rm -rf "$home/archives"
}

# Apart from .venv: no run and no other test needs them.
install_client() {
  if stamped "$packages" "$(lock_digest trino)"; then return 0; fi
  say "installing the Python packages of requirements/trino.lock into .cache/trino: Trino's client, and a Java runtime"
  rm -rf "$packages.new"
  pip_install --require-hashes --target "$packages.new" -r "$root/requirements/trino.lock" ||
    fail 1 "the Python packages could not be installed"
  finish "$packages" "$(lock_digest trino)"
}

main() {
  [ $# -eq 0 ] || fail 2 "setup/trino.sh takes no argument"
  mkdir -p "$home"
  exec 8>"$root/.cache/setup.lock"
  flock 8 # two set-ups of this checkout wait for each other

  need_python
  stamped "$server" "$(server_digest)" || has mvn || need maven "fetches Trino"
  install_packages
  make_venv
  install_lock run "the workflow that the queries belong to"
  install_lock test "the tests, types and style checks"
  install_server
  install_client
  [ -n "$said" ] || say "nothing to do: all that the check on Trino needs is here"
}

main "$@"
