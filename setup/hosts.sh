#!/usr/bin/env bash
# Makes bare Debians, 12, 13 and testing, in .cache/hosts/, for the hosts of `npm run test:hosts`: what Debian's images for EC2
# have beside a kernel, as far as it matters to what we do there. They come from the mirror that this machine's own
# apt uses. Done once for each form of this file; deleting .cache/hosts starts afresh.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=setup/common.sh
. "$root/setup/common.sh"
# shellcheck source=setup/packages.sh
. "$root/setup/packages.sh"
# shellcheck source=setup/debian.sh
. "$root/setup/debian.sh"

hosts=$root/.cache/hosts
# Of the images' lists (config_space in Debian's cloud images): no kernel, no boot loader, no clock (it is this
# machine's), and no awscli, which the image must bring where it is missing.
cloud=(cloud-init cloud-guest-utils curl iproute2 libnss-myhostname libpam-systemd netbase netplan.io openssh-server
  sudo systemd-resolved udev unattended-upgrades)
declare -A dhcp=([debian-12]=isc-dhcp-client [debian-13]=dhcpcd-base [debian-testing]=dhcpcd-base)

# What apt inside is to know: Debian's own suites, and how this machine reaches them.
configure_apt() {
  debian_sources "$2" | write "$1/etc/apt/sources.list"
  apt_as_outside | write "$1/etc/apt/apt.conf.d/90-as-outside"
}

as_root() {
  # shellcheck disable=SC2046 # the prefix is one word or none
  $(root_prefix) "$@"
}

# inside FOLDER COMMAND...: runs it in that root, which has devices and a /proc of its own for as long. The mounts are
# in a namespace that ends with the command.
inside() {
  # shellcheck disable=SC2016 # expanded inside
  as_root unshare --mount --propagation private --pid --fork --kill-child bash -c '
    set -e
    root=$1; shift
    mount -t proc proc "$root/proc"
    mount -t tmpfs -o mode=755 dev "$root/dev"
    for device in null zero full random urandom; do
      touch "$root/dev/$device"
      mount --bind "/dev/$device" "$root/dev/$device"
    done
    ln -s /proc/self/fd "$root/dev/fd"
    exec chroot "$root" env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"
  ' inside "$@"
}

write() { as_root tee "$1" >/dev/null; }

# As the images come: nothing of an instance yet, lists of packages that name backports, and where to look for EC2.
configure_cloud() {
  local folder=$1 suite=$2
  as_root rm -f "$folder/etc/apt/sources.list" "$folder/usr/sbin/policy-rc.d" "$folder/etc/hostname"
  as_root mkdir -p "$folder/etc/apt/mirrors"
  mirror main | write "$folder/etc/apt/mirrors/debian.list"
  mirror security | write "$folder/etc/apt/mirrors/debian-security.list"
  printf 'Types: deb deb-src\nURIs: mirror+file:///etc/apt/mirrors/%s.list\nSuites: %s\nComponents: main\n\n' \
    debian "$suite $suite-updates $suite-backports" debian-security "$suite-security" |
    write "$folder/etc/apt/sources.list.d/debian.sources"
  printf 'network: {version: 2, ethernets: {all-eth: {match: {name: "eth*"}, dhcp4: true, dhcp6: true}}}\n' |
    write "$folder/etc/netplan/90-default.yaml"
  as_root chmod 600 "$folder/etc/netplan/90-default.yaml"
  printf 'datasource_list: [ Ec2, None ]\n' | write "$folder/etc/cloud/cloud.cfg.d/90_dpkg.cfg"
  printf 'manage_etc_hosts: true\n' | write "$folder/etc/cloud/cloud.cfg.d/01_debian_cloud.cfg"
  # a kernel newer than the release's says "Address already assigned", which its cloud-init does not know
  printf 'updates: {network: {when: [boot-new-instance]}}\n' | write "$folder/etc/cloud/cloud.cfg.d/09_kernel.cfg"
  printf '' | write "$folder/etc/machine-id"
  as_root rm -f "$folder"/etc/ssh/ssh_host_* "$folder/var/lib/dbus/machine-id"
}

make_root() {
  local name=$1 suite=$2 folder=$hosts/$1 form site
  form=$(digest "${BASH_SOURCE[0]}" "$root/setup/debian.sh")
  if [ "$(cat "$folder.form" 2>/dev/null)" = "$form" ]; then return 0; fi
  site=$(mirror main) || exit
  say "making a bare $name in .cache/hosts from $site"
  as_root rm -rf --one-file-system "$folder" "$folder.new"
  logged as_root debootstrap --variant=minbase --include=ca-certificates,dbus,procps,systemd,systemd-sysv \
    --keyring="$keyring" "$suite" "$folder.new" "$site" || fail 1 "debootstrap could not make $name"
  configure_apt "$folder.new" "$suite"
  printf '#!/bin/sh\nexit 101\n' | write "$folder.new/usr/sbin/policy-rc.d"
  as_root chmod 755 "$folder.new/usr/sbin/policy-rc.d"
  logged inside "$folder.new" sh -c 'apt-get update -q && apt-get install -q -y --no-install-recommends "$@" &&
    apt-get clean && rm -rf /var/lib/apt/lists/*' apt "${cloud[@]}" "${dhcp[$name]}" ||
    fail 1 "apt could not install what Debian's cloud images have on $name"
  configure_cloud "$folder.new" "$suite"
  as_root mv "$folder.new" "$folder"
  printf '%s\n' "$form" >"$folder.form"
}

main() {
  local release
  root_prefix >/dev/null || fail 2 "hosts of our own need root, or sudo that asks for nothing"
  has debootstrap || need debootstrap "makes the bare Debians of the hosts in the tests"
  has ip || need iproute2 "connects the hosts in the tests"
  has nft || need nftables "filters their packets"
  has dnsmasq || need dnsmasq-base "gives them addresses and names"
  install_packages
  mkdir -p "$hosts"
  exec 8>"$hosts.lock"
  flock 8
  for release in 12 13 testing; do make_root "debian-$release" "${suites[$release]}"; done
  [ -n "$said" ] || say "nothing to do: the bare Debians are here"
}

main "$@"
