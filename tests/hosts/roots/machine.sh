#!/usr/bin/env bash
# machine.sh LOWER DISK: boots a host with systemd, as its own first process. Its root reads LOWER (an overlay's
# lower folders) and keeps what it writes in DISK. Expects namespaces of its own, and the number of a PID namespace's
# first process; its interface is there once a line has come in.
#
# What systemd asks of those who start it in a container: https://systemd.io/CONTAINER_INTERFACE
set -euo pipefail

lower=$1 disk=$2
root=$disk/root
read -r outside _ </proc/self/stat
mkdir -p "$disk/upper" "$disk/work" "$disk/proc" "$disk/sys" "$root"
mount -t overlay host -o "lowerdir=$lower,upperdir=$disk/upper,workdir=$disk/work" "$root"
mount -t proc proc "$root/proc"
# nothing of the machine that all of it runs on is for a host to change, but the network of its own
mount --bind "$root/proc/sys" "$root/proc/sys"
mount -o remount,bind,ro "$root/proc/sys"
mount -t proc proc "$disk/proc"
mount --bind "$disk/proc/sys/net" "$root/proc/sys/net"
# and an instance is known for EC2's by what its hypervisor says: EC2 User Guide, "Identify EC2 instances"
mount -t sysfs -o ro sysfs "$disk/sys"
mount -t tmpfs -o mode=755 sys "$root/sys"
for part in "$disk"/sys/*; do
  mkdir "$root/sys/${part##*/}"
  mount --bind "$part" "$root/sys/${part##*/}"
done
mkdir -p "$root/sys/hypervisor"
echo ec2e1916-9099-7caf-fd21-012345abcdef >"$root/sys/hypervisor/uuid"
mount -o remount,ro "$root/sys"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
mount -t tmpfs -o mode=755 run "$root/run"
mount -t tmpfs -o mode=1777 tmp "$root/tmp"
mount -t tmpfs -o mode=755 dev "$root/dev"
for device in null zero full random urandom tty; do
  touch "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
mkdir "$root/dev/shm" "$root/dev/pts"
mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
echo "$outside"
read -r _
cd "$root"
mkdir -p .outside
pivot_root . .outside
umount -l /.outside
rmdir /.outside
# the clock is the machine's, too
exec env -i container=breakeven PATH=/usr/sbin:/usr/bin:/sbin:/bin \
  setpriv --bounding-set=-sys_time,-sys_module,-sys_rawio /sbin/init </dev/null >/dev/null 2>&1
