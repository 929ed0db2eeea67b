# shellcheck shell=bash
# Debian packages: what is lacking is gathered first, then installed in one go. Sourced by setup.sh.

needed=()  # package names without which nothing can run
wished=()  # and those that the run can do without
reasons=() # "package (why)", for the person who reads along

need() {
  needed+=("$1")
  reasons+=("$1 ($2)")
}

wish() {
  wished+=("$1")
  reasons+=("$1 ($2)")
}

# Prints what goes before a command that must run as root; fails where nobody can be asked for the right.
root_prefix() {
  if [ "$(id -u)" = 0 ]; then
    return 0
  elif has sudo && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
    echo sudo
  else
    return 1
  fi
}

# The command that a person can paste to have these packages.
command_to_paste() {
  local command
  printf -v command '%q ' "$root/setup/debian_packages.sh" "$@"
  if has sudo; then printf 'sudo %s\n' "${command% }"; else printf "su -c '%s'\n" "${command% }"; fi
}

# True where this machine and this user can install packages; else it has said what to do.
can_install() {
  if ! has apt-get; then
    say "this set-up installs packages with apt-get, which is not here: install them by your system's own means"
    return 1
  fi
  root_prefix >/dev/null || {
    say "installing them needs root, and there is no sudo that asks for nothing; run this, then start again:"
    printf '\n    %s\n\n' "$(command_to_paste "$@")" >&2
    return 1
  }
}

apt_install() {
  # shellcheck disable=SC2046 # the prefix is one word or none
  logged $(root_prefix) "$root/setup/debian_packages.sh" "$@"
}

# Installs what has been asked for. Ends the set-up where something needed can't be had.
install_packages() {
  local list all=("${needed[@]}" "${wished[@]}")
  [ "${#all[@]}" -gt 0 ] || return 0
  printf -v list '%s, ' "${reasons[@]}"
  say "Debian packages that are missing: ${list%, }"
  if ! can_install "${all[@]}"; then
    [ "${#needed[@]}" -eq 0 ] || exit 2
    return 0
  fi
  say "installing them with apt-get"
  if apt_install "${all[@]}"; then return 0; fi
  if [ "${#needed[@]}" -eq 0 ]; then return 0; fi
  if [ "${#wished[@]}" -gt 0 ]; then
    say "trying again without ${wished[*]}"
    if apt_install "${needed[@]}"; then return 0; fi
  fi
  fail 1 "apt-get could not install ${needed[*]}"
}
