#!/usr/bin/env bash
# The first process of a host: what systemd does on an instance, which is to keep the lease running, whatever else
# becomes of the host. It ends, and all of the host with it, when it is told to power off.
trap 'exit 0' TERM
while :; do
  /opt/breakeven/lease >>/var/log/lease.log 2>&1 &
  wait "$!"
  sleep 0.2
done
