#!/usr/bin/env bash
# cloud_router.sh FOLDER: the first process of the namespaces in which all of a simulated cloud lives, its router
# among it. It ends, and they with it, when its standard input does: when the test does, however that ended.
set -euo pipefail

read -r outside _ </proc/self/stat # its number for those outside: /proc is still theirs
mount -t tmpfs -o size=6g,mode=755 disks "$1/disks"
echo 1 >/proc/sys/net/ipv4/ip_forward
ip link set lo up
ip link add aws type bridge
ip link set aws up
echo "$outside"
exec cat >/dev/null
