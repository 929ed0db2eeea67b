# shellcheck shell=bash
# Python and its packages: the interpreter, the environment in .venv, and what the lock files name. Sourced by setup.sh.

venv=$root/.venv
stamps=$venv/.queue-breakeven # one line a lock file that is installed: its name and digest
oldest=3.11

new_enough() { "$1" -c "import sys; sys.exit(sys.version_info < (${oldest/./, }))" 2>/dev/null; }

# Prints the interpreter to build the environment with; nothing where the machine has none at all.
find_python() {
  local candidate found=
  for candidate in ${BREAKEVEN_PYTHON:+"$BREAKEVEN_PYTHON"} python3 python3.14 python3.13 python3.12 python3.11; do
    has "$candidate" || continue
    if new_enough "$candidate"; then
      printf '%s\n' "$candidate"
      return
    fi
    found=${found:-$candidate}
  done
  [ -z "$found" ] || fail 2 "$found is $("$found" --version 2>&1), and Python $oldest or newer is needed:" \
    "Debian 12 and later have it; or name another one in BREAKEVEN_PYTHON"
}

venv_works() { new_enough "$venv/bin/python" && [ -x "$venv/bin/pip" ]; }

# Adds the Debian packages without which no environment can be made.
need_python() {
  local python
  venv_works && return
  python=$(find_python)
  if [ -z "$python" ]; then
    need python3 "what the project is written in"
    need python3-venv "makes the environment of its own that the project runs in"
  elif ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
    need python3-venv "makes the environment of its own that the project runs in"
  fi
}

make_venv() {
  local python
  venv_works && return
  python=$(find_python)
  say "making ${venv#"$root/"} with $("$python" --version): a Python environment of the project's own"
  logged "$python" -m venv --clear "$venv" ||
    fail 1 "$python can't make an environment; is the venv module that belongs to it installed?"
  pip_install --require-hashes -r "$root/requirements/pip.lock" || fail 1 "pip could not be brought up to date"
}

# The digest that says a lock is installed: its text, the project's own metadata, the interpreter, the folder.
lock_digest() {
  { "$venv/bin/python" --version; digest "$root/requirements/$1.lock" "$root/pyproject.toml"; } | sha256sum | cut -d' ' -f1
}

lock_installed() {
  grep -qsx "$1 $(lock_digest "$1")" "$stamps" && return
  # all of the lesser lock is in the greater one, and in the same versions
  [ "$1" = deploy ] && lock_installed run
}

mark_installed() {
  { grep -sv "^$1 " "$stamps" || true; printf '%s %s\n' "$1" "$(lock_digest "$1")"; } >"$stamps.new"
  mv "$stamps.new" "$stamps"
}

pip_install() {
  logged "$venv/bin/python" -m pip install --no-input --disable-pip-version-check --no-compile "$@"
}

# pip would compile everything on one core: half of the whole set-up's time. Here: on all cores, without what is hardly
# ever imported, and of the CDK, the greater part of all code, only what our app uses. Nothing depends on it but speed.
compile_packages() {
  "$venv/bin/python" -m compileall -qq -j 0 -x '/(aws_cdk|networkx|pip|setuptools|sympy|tests)/' "$venv/lib" || true
} >/dev/null 2>&1

# import_app NAME: what the lock installs is all that the CDK app imports; this compiles what it uses of the CDK, too.
# Without Node.js, which the CDK's packages start when they are imported, nothing is synthesized and nothing shown here.
import_app() {
  has node || return 0
  (cd "$root" && logged env -u PYTHONDONTWRITEBYTECODE \
    "$venv/bin/python" -c 'import infra.app') ||
    fail 1 "the CDK app cannot be imported with the packages of requirements/$1.lock"
}

# install_pinned NAME WHY: requirements/NAME.lock into the environment, every file checked against its hash.
install_pinned() {
  say "installing the Python packages of requirements/$1.lock into ${venv#"$root/"}: $2"
  pip_install --require-hashes -r "$root/requirements/$1.lock" || fail 1 "the Python packages could not be installed"
}

# install_lock NAME WHY: the same into .venv, with the project itself, and the app that stands on them tried.
install_lock() {
  lock_installed "$1" && return
  install_pinned "$1" "$2"
  if [ "$1" != test ]; then install_project; fi
  compile_packages
  import_app "$1"
  mark_installed "$1"
}

# The project itself, for the console command: from here, with nothing downloaded.
install_project() {
  pip_install --no-build-isolation --no-deps --no-index --editable "$root" ||
    fail 1 "the project could not be installed into .venv"
}
