#!/usr/bin/env bash
# What `npm run bench` needs beside what a run needs: PerfTest and the AWS SDK for Java in .cache/bench, a JDK to compile
# what drives the SDK, and stunnel. Does nothing where nothing is missing. Exit codes as those of setup.sh.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=setup/common.sh
. "$root/setup/common.sh"
# shellcheck source=setup/packages.sh
. "$root/setup/packages.sh"

pinned=$root/setup/bench
home=$root/.cache/bench
source=$root/bench/java/SqsWorkers.java
classes=$home/classes

# complete FOLDER NAME: every jar there, and as it was when the release was chosen.
complete() { [ -d "$1" ] && (cd "$1" && sha256sum --check --strict --status "$pinned/$2.sha256"); }

# fetch NAME WHAT
fetch() {
  local jars=$home/$1
  if complete "$jars" "$1"; then return 0; fi
  say "fetching $2 into .cache/bench with Maven"
  rm -rf "$jars" "$jars.new"
  logged mvn --batch-mode --quiet --strict-checksums --file "$pinned/$1.pom.xml" dependency:copy-dependencies \
    -DincludeScope=runtime -DoutputDirectory="$jars.new" || fail 1 "Maven could not fetch $2"
  complete "$jars.new" "$1" || fail 1 "a jar is not the one that setup/bench/$1.sha256 names"
  mv "$jars.new" "$jars"
}

compile() {
  local wanted
  wanted=$(digest "$source" "$pinned/aws-sdk.sha256")
  if [ "$(cat "$classes/.queue-breakeven" 2>/dev/null)" = "$wanted" ]; then return 0; fi
  say "compiling bench/java/SqsWorkers.java"
  rm -rf "$classes"
  logged javac -d "$classes" -classpath "$home/aws-sdk/*" "$source" || fail 1 "javac failed"
  printf '%s\n' "$wanted" >"$classes/.queue-breakeven"
}

need_tools() {
  has javac || need default-jdk-headless "compiles what drives the AWS SDK for Java, and runs it"
  has stunnel || need stunnel4 "puts TLS before the SQS server"
  { complete "$home/perf-test" perf-test && complete "$home/aws-sdk" aws-sdk; } || has mvn ||
    need maven "fetches PerfTest and the AWS SDK for Java"
}

main() {
  [ $# -eq 0 ] || fail 2 "setup/bench.sh takes no argument"
  mkdir -p "$home"
  exec 8>"$root/.cache/setup.lock"
  flock 8 # two set-ups of this checkout wait for each other
  need_tools
  install_packages
  fetch perf-test "PerfTest, RabbitMQ's load generator"
  fetch aws-sdk "the AWS SDK for Java"
  compile
  exec 8>&-
  "$root/setup/setup.sh" run --quiet
}

main "$@"
