# shellcheck shell=bash
# What nodes/surroundings/aws.sh is on EC2, for the hosts of the tests: a folder that they share stands for the
# lane's objects and the instance's tags. Sourced by start and lease, never run.

lane=/run/lane
export BREAKEVEN_LEASE_LOOK_S=0.2
# shellcheck source=/dev/null
if [ -e "$lane/variables" ]; then . "$lane/variables"; fi

node_id() { hostname; }

node_address() { cat "$lane/addresses/$(hostname)"; }

cluster_size() { cat "$lane/size"; }

lease_s() { cat "$lane/lease-s"; }

lane_secret() { cat "$lane/$1"; }

given_tls() { cat "$lane/tls/$(hostname)/$1.pem" 2>/dev/null; }

announce() { printf '%s\n' "$2" >"$lane/peers/$1"; }

announced() { cat "$lane"/peers/*; }

register() { cat >"$lane/nodes/$1.new" && mv "$lane/nodes/$1.new" "$lane/nodes/$1"; }

register_failure() { cat >"$lane/nodes/$1.failed"; }

broker_is_running() { pidof beam.smp >/dev/null; }

start_port_mapper() { :; }

# As the package's unit for systemd has it.
start_broker() {
  (
    umask 027
    ulimit -n "$(ulimit -Hn)"
    cd /var/lib/rabbitmq || exit
    setsid --fork runuser -u rabbitmq -- env -i HOME=/var/lib/rabbitmq PATH="$PATH" LANG=C.UTF-8 \
      /usr/lib/rabbitmq/bin/rabbitmq-server </dev/null >>/var/log/rabbitmq/console.log 2>&1
  )
}

stop_broker() {
  kill "$(pidof -s beam.smp)"
  while broker_is_running; do sleep 0.1; done
}

power_off() { kill -TERM 1; }
