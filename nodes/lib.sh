# shellcheck shell=bash
# What install, start, lease and agent share. Sourced, never run.

home=/opt/breakeven          # what the image holds
state=/var/lib/breakeven     # what this node keeps
configuration=/etc/rabbitmq
data=/var/lib/rabbitmq
tls=$configuration/tls

changed= # whatever this run has written
shopt -s lastpipe # also what is written at the end of a pipe, which else has variables of its own

say() { printf 'breakeven: %s\n' "$*"; }

# fail MESSAGE...: the reason, for whoever waits for this node; see `reason` in start.
fail() {
  reason="$*"
  say "$reason" >&2
  exit 1
}

# put_file MODE OWNER:GROUP PATH: the file is to hold what comes on standard input. Nothing is touched where it does.
# A file with a secret is never readable by more than it should be, not even while it is written.
put_file() {
  local mode=$1 owner=$2 path=$3 fresh
  fresh=$(umask 077 && mktemp -p /run) # in memory
  cat >"$fresh"
  if ! cmp --silent "$fresh" "$path" || [ "$(stat -c '%a %U:%G' "$path")" != "$mode $owner" ]; then
    (umask 077 && cp "$fresh" "$path.new")
    chown "$owner" "$path.new"
    chmod "$mode" "$path.new"
    mv "$path.new" "$path"
    changed+=" $path"
    say "wrote $path"
  fi
  rm "$fresh"
}

# put_folder MODE OWNER:GROUP PATH
put_folder() {
  [ -d "$3" ] || mkdir -p "$3"
  [ "$(stat -c '%a %U:%G' "$3")" = "$1 $2" ] || { chown "$2" "$3" && chmod "$1" "$3"; }
}
