#!/usr/bin/env bash
# enter_root.sh ROOT FOLDER COMMAND...: runs a command in a private root that setup/broker_roots.sh has made, with
# FOLDER at its own path, the machine's network and its processes. Expects a mount namespace of its own: all mounts
# are in there and end with the command, so that nothing leads out of ROOT for those outside, who may delete it.
set -euo pipefail

files=$1/files new=$1/mount folder=$2
shift 2
mount -t tmpfs -o mode=755 root "$new"
mkdir -p "$new"/{dev/shm,etc,proc,run,tmp,usr,var} "$new$folder"
chmod 1777 "$new/tmp" "$new/dev/shm"
for link in bin sbin lib lib64; do ln -s "usr/$link" "$new/$link"; done
mount --bind "$files/usr" "$new/usr"
mount -o remount,bind,ro "$new/usr"
mount --rbind /proc "$new/proc"
for device in null zero full random urandom; do
  touch "$new/dev/$device"
  mount --bind "/dev/$device" "$new/dev/$device"
done
ln -s /proc/self/fd "$new/dev/fd"
mount --bind "$folder" "$new$folder"
echo 'hosts: files' >"$new/etc/nsswitch.conf"
echo '127.0.0.1 localhost' >"$new/etc/hosts"
echo 'root:x:0:0::/:/bin/sh' >"$new/etc/passwd"
exec chroot "$new" /usr/bin/env --chdir="$PWD" PATH=/usr/sbin:/usr/bin "$@"
