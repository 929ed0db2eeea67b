# shellcheck shell=bash
# What a node on EC2 finds its lane through, and what starts and ends things there. Sourced by start, lease and agent,
# never run. A file with the same functions makes a node of any other host: BREAKEVEN_SURROUNDINGS of install names it.
#
# All that the node must be told comes from its tags, by the instance's own metadata service (IMDSv2, tags enabled):
#   breakeven:bucket, breakeven:run, breakeven:target   where the lane's objects are
#   breakeven:nodes                                     how many nodes the lane has
#   breakeven:lease-s                                   after how many seconds it must go; 8 hours where it says none
# No tag is secret. The lane's objects are under secrets/run_id=RUN/TARGET/ in the bucket, reached by the instance's
# role through the S3 gateway endpoint: access.json, cookie, peers/ID, nodes/ID.json, nodes/ID.failed.
# Orders of faults, and samples: agent_place.

metadata=${BREAKEVEN_METADATA:-http://169.254.169.254}
s3_options=${BREAKEVEN_S3_OPTIONS:-} # for a store that is not Amazon's: --endpoint-url=…

# imds PATH: fails where there is no such thing.
imds() {
  local token
  token=$(curl --fail --silent --show-error --retry 5 --retry-connrefused --max-time 5 \
    --request PUT --header 'X-aws-ec2-metadata-token-ttl-seconds: 300' "$metadata/latest/api/token")
  # on standard input: a process's arguments are for all to read
  printf 'header = "X-aws-ec2-metadata-token: %s"\n' "$token" |
    curl --config - --fail --silent --retry 5 --retry-connrefused --max-time 5 "$metadata/latest/$1"
}

tag() { imds "meta-data/tags/instance/breakeven:$1"; }

node_id() { imds meta-data/instance-id; }

node_address() { imds meta-data/local-ipv4; }

cluster_size() { tag nodes; }

lease_s() { tag lease-s || echo 28800; }

# s3 WORDS...: the region is the instance's own, or the request would leave by an address that is not there.
s3() {
  local region
  region=$(imds meta-data/placement/region)
  # shellcheck disable=SC2086 # options are words
  AWS_DEFAULT_REGION=$region aws $s3_options s3 "$@" --only-show-errors
}

lane() {
  local bucket run target
  bucket=$(tag bucket)
  run=$(tag run)
  target=$(tag target)
  printf 's3://%s/secrets/run_id=%s/%s' "$bucket" "$run" "$target"
}

# lane_secret username|password|cookie: on standard output.
lane_secret() {
  local at
  at=$(lane)
  if [ "$1" = cookie ]; then
    s3 cp "$at/cookie" -
  else
    s3 cp "$at/access.json" - | python3 -c 'import json, sys; print(json.load(sys.stdin)[sys.argv[1]], end="")' "$1"
  fi
}

# given_tls certificate|key: one that the lane was given; fails where the node is to make its own.
given_tls() { return 1; }

# announce ID ADDRESS: tell the lane's other nodes.
announce() {
  local at
  at=$(lane)
  printf '%s\n' "$2" | s3 cp - "$at/peers/$1"
}

# announced: the addresses of the lane's nodes that have said so, one a line.
announced() {
  local at folder
  at=$(lane)
  folder=$(mktemp -d)
  s3 cp --recursive "$at/peers/" "$folder"
  find "$folder" -type f -exec cat {} +
  rm -r "$folder"
}

# register ID: the node is up; standard input says where it answers.
register() {
  local at
  at=$(lane)
  s3 cp - "$at/nodes/$1.json"
}

# register_failure ID: the node can't come up; standard input says why.
register_failure() {
  local at
  at=$(lane)
  s3 cp - "$at/nodes/$1.failed"
}

# agent_place: what the agent is told of its bucket, as variables. Orders and answers are under the first prefix, the
# samples of all nodes under the second.
agent_place() {
  local run target
  run=$(tag run)
  target=$(tag target)
  BREAKEVEN_BUCKET=$(tag bucket)
  BREAKEVEN_ORDERS=runs/run_id=$run/faults/$target/
  BREAKEVEN_SAMPLES=runs/run_id=$run/samples/$target/
  BREAKEVEN_FAILED=secrets/run_id=$run/$target/nodes/$(node_id).failed
  AWS_DEFAULT_REGION=$(imds meta-data/placement/region)
  export BREAKEVEN_BUCKET BREAKEVEN_ORDERS BREAKEVEN_SAMPLES BREAKEVEN_FAILED AWS_DEFAULT_REGION
}

broker_is_running() { systemctl --quiet is-active rabbitmq-server; }

# Erlang's, of this node.
start_port_mapper() { systemctl start epmd.socket; }

# Returns once the broker runs, or has failed to.
start_broker() { systemctl start rabbitmq-server; }

stop_broker() { systemctl stop rabbitmq-server; }

# The launch template makes this a termination.
power_off() { systemctl poweroff --force; }
