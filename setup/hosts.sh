#!/usr/bin/env bash
# Makes bare Debians, 12 and 13, in .cache/hosts/, for the hosts of `npm run test:hosts`. They come from the mirror
# that this machine's own apt uses. Done once; deleting .cache/hosts starts afresh.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=setup/common.sh
. "$root/setup/common.sh"
# shellcheck source=setup/packages.sh
. "$root/setup/packages.sh"

hosts=$root/.cache/hosts
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
declare -A releases=([debian-12]=bookworm [debian-13]=trixie)

# Prints where this machine gets a suite like the one named from: `main`, or `security`.
mirror() {
  local site created
  # shellcheck disable=SC2016 # apt's own variables
  local format='$(REPO_URI) $(CODENAME)'
  while read -r site created; do
    case $1 in
      security) [[ $created = *-security ]] || continue ;;
      *) [[ $created =~ ^[a-z]+$ ]] || continue ;;
    esac
    printf '%s\n' "$site"
    return 0
  done < <(apt-get indextargets --format "$format" 'Created-By: Packages' 'Origin: Debian')
  fail 2 "apt on this machine has no $1 mirror of Debian: see /etc/apt/sources.list"
}

# What apt inside is to know: Debian's own suites, and how this machine reaches them.
configure_apt() {
  local folder=$1 suite=$2 main security
  main=$(mirror main)
  security=$(mirror security)
  printf 'deb %s %s main\n' "$main" "$suite" "$main" "$suite-updates" "$security" "$suite-security" |
    as_root tee "$folder/etc/apt/sources.list" >/dev/null
  apt-config dump | grep -iE '^Acquire::([a-z]+::Proxy|Check-)' |
    as_root tee "$folder/etc/apt/apt.conf.d/90-as-outside" >/dev/null || true
}

as_root() {
  # shellcheck disable=SC2046 # the prefix is one word or none
  $(root_prefix) "$@"
}

make_root() {
  local name=$1 suite=$2 folder=$hosts/$1
  [ ! -e "$folder" ] || return 0
  say "making a bare $name in .cache/hosts from $(mirror main)"
  as_root rm -rf "$folder.new"
  logged as_root debootstrap --variant=minbase --include=ca-certificates,procps --keyring="$keyring" \
    "$suite" "$folder.new" "$(mirror main)" || fail 1 "debootstrap could not make $name"
  configure_apt "$folder.new" "$suite"
  as_root mv "$folder.new" "$folder"
}

main() {
  local name
  root_prefix >/dev/null || fail 2 "hosts of our own need root, or sudo that asks for nothing"
  has debootstrap || need debootstrap "makes the bare Debians of the hosts in the tests"
  has ip || need iproute2 "connects the hosts in the tests"
  install_packages
  mkdir -p "$hosts"
  exec 8>"$hosts.lock"
  flock 8
  for name in "${!releases[@]}"; do make_root "$name" "${releases[$name]}"; done
  [ -n "$said" ] || say "nothing to do: the bare Debians are here"
}

main "$@"
