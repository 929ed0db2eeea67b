# shellcheck shell=bash
# What every part of the set-up uses. Sourced, never run; `root` (the checkout) is set by the one who sources it.

log=$root/.cache/setup.log

# One line a step, on stderr: the output of `breakeven plan --json` stays clean.
said= # anything at all
say() {
  said=yes
  printf 'set-up: %s\n' "$*" >&2
}

# fail CODE MESSAGE...: 2 where the person at the keyboard can mend it, 1 where something else broke.
fail() {
  local code=$1
  shift
  say "$@"
  exit "$code"
}

# logged COMMAND...: its output goes to the log; where it fails, the end of the log is shown.
logged() {
  mkdir -p "$root/.cache"
  if "$@" </dev/null >"$log" 2>&1; then return 0; fi
  tail -n 15 "$log" >&2
  say "the last lines of $log are above"
  return 1
}

# The digest of the files and words given, by which a finished step is known again.
digest() { { cat -- "$@"; printf '%s\n' "$root"; } | sha256sum | cut -d' ' -f1; }

has() { command -v "$1" >/dev/null 2>&1; }
