#!/usr/bin/env bash
# cloud_holder.sh FOLDER NAME COMMAND...: what a simulated cloud lives in. Runs a command that holds its namespaces,
# and takes away the control groups of its hosts after. Expects a mount namespace of its own.
set -euo pipefail

folder=$1 name=$2
shift 2
mkdir -p "$folder/groups" "$folder/disks"
mount -t cgroup2 groups "$folder/groups"
mkdir "$folder/groups/$name"
code=0
"$@" || code=$?
# its processes have had their signal, and may need a moment
for _ in {1..600}; do
  find "$folder/groups/$name" -depth -type d -exec rmdir {} + 2>/dev/null || true
  [ -e "$folder/groups/$name" ] || break
  sleep 0.1
done
exit "$code"
