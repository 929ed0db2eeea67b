#!/usr/bin/env bash
# enter.sh LOWER DISK LANE PAYLOAD COMMAND...: runs a command in a root of its own, which reads LOWER (an overlay's
# lower folders) and keeps what it writes in DISK. Expects a mount namespace of its own, and PID 1 of a PID namespace.
set -euo pipefail

lower=$1 disk=$2 lane=$3 payload=$4
shift 4
root=$disk/root
read -r outside _ </proc/self/stat
mkdir -p "$disk/upper" "$disk/work" "$root"
mount -t overlay host -o "lowerdir=$lower,upperdir=$disk/upper,workdir=$disk/work" "$root"
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=755 run "$root/run"
mount -t tmpfs -o mode=1777 tmp "$root/tmp"
mount -t tmpfs -o mode=755 dev "$root/dev"
for device in null zero full random urandom; do
  touch "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
ln -s /proc/self/fd "$root/dev/fd"
mkdir -p "$root/dev/shm" "$root/run/lane" "$root/run/payload"
mount --bind "$lane" "$root/run/lane"
mount --bind -o ro "$payload" "$root/run/payload"
echo "$outside"
exec chroot "$root" "$@"
