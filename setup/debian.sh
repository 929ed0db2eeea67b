# shellcheck shell=bash
# Debian's releases, and where this machine gets them from. Sourced by setup.sh, hosts.sh and broker_roots.sh, never run.

keyring=/usr/share/keyrings/debian-archive-keyring.gpg
# shellcheck disable=SC2034 # used by those who source this
declare -A suites=([12]=bookworm [13]=trixie [testing]=testing)

# Prints where this machine's apt gets a suite like the one named from: `main`, or `security`, which mirrors have beside
# it where apt names none.
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
  case $1 in
    security)
      created=$(mirror main) || exit
      printf '%s-security\n' "${created%/}"
      ;;
    *) fail 2 "apt names no mirror of Debian here: add one to /etc/apt/sources.list, then apt-get update" ;;
  esac
}

# debian_sources SUITE [OPTIONS]: all that apt is to know of one release, from this machine's mirrors.
debian_sources() {
  local suite=$1 options=${2:+ [$2]} main security
  main=$(mirror main) || exit
  security=$(mirror security) || exit
  printf "deb$options %s %s main\n" "$main" "$suite" "$main" "$suite-updates" "$security" "$suite-security"
}

# How this machine's apt reaches its mirrors, for a configuration of its own.
apt_as_outside() { apt-config dump | grep -iE '^Acquire::([a-z]+::Proxy|Check-)' || true; }
