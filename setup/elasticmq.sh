# shellcheck shell=bash
# ElasticMQ, which stands for SQS on one machine: a Java runtime, and its jars in .cache/elasticmq/lib.
# Without it the run goes on with the SQS that moto simulates: so nothing here is fatal. Sourced by setup.sh.

elasticmq=$root/setup/elasticmq
jars=$root/.cache/elasticmq/lib
maven_log=$root/.cache/maven.log
maven= # the process that fetches the jars, while there is one
oldest_java=11

# True where the java on the path is new enough: "17.0.15", or "1.8.0_402" as they were numbered once.
java_works() {
  local version
  has java || return 1
  version=$(java -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p' | head -n 1)
  [ "${version:-0}" -ge "$oldest_java" ]
}

# jars_complete FOLDER: every jar there, and as it was when the release was chosen.
jars_complete() { [ -d "$1" ] && (cd "$1" && sha256sum --check --strict --status "$elasticmq/jars.sha256"); }

wish_elasticmq() {
  java_works || wish default-jre-headless "runs ElasticMQ, which stands for SQS"
  jars_complete "$jars" || has mvn || wish maven "fetches ElasticMQ"
}

without_elasticmq() { say "ElasticMQ can't be had ($1): moto's own SQS stands in. It is slower, and the report says so"; }

# Starts Maven beside what follows: it waits for the network, while pip keeps a core busy.
start_elasticmq() {
  if ! java_works; then
    without_elasticmq "no Java $oldest_java or newer on the path"
  elif jars_complete "$jars"; then
    return 0
  elif ! has mvn; then
    without_elasticmq "no Maven to fetch it with"
  else
    say "fetching ElasticMQ, which stands for SQS, into .cache/elasticmq with Maven"
    rm -rf "$jars.new"
    mvn --batch-mode --quiet --strict-checksums --file "$elasticmq/pom.xml" dependency:copy-dependencies \
      -DincludeScope=runtime -DoutputDirectory="$jars.new" </dev/null >"$maven_log" 2>&1 &
    maven=$!
    trap stop_maven EXIT
  fi
}

stop_maven() { if [ -n "$maven" ]; then kill "$maven" 2>/dev/null || true; fi; }

finish_elasticmq() {
  [ -n "$maven" ] || return 0
  if ! wait "$maven"; then
    tail -n 15 "$maven_log" >&2
    without_elasticmq "Maven failed, see above and $maven_log"
  elif ! jars_complete "$jars.new"; then
    without_elasticmq "a jar is not the one that setup/elasticmq/jars.sha256 names"
  else
    rm -rf "$jars"
    mv "$jars.new" "$jars"
  fi
  maven=
}
