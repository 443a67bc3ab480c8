# shellcheck shell=bash
# A router between two hosts, without an emulator, and points on it.  Source this file behind testbed/net.sh; then
#
#     client (192.0.2.1, 2001:db8::1) --- router --- host (192.0.3.2, 2001:db8:1::2)
#
#   router_net_up                   the namespaces; they and $NET_DIR are gone when the test ends
#   on END COMMAND...               in the namespace of client, router or host; not for the background, where it could not be killed
#   point END INTERFACE NAME OPTIONS...        records in $NET_DIR/NAME.csv, process id added to ${points[@]}
#   first_point END INTERFACE NAME OPTIONS...  or the test is skipped where the kernel does not take it
#
# Needs $here and $sojourn.

# shellcheck source=tests/live/waiting.sh
. "$here/../waiting.sh"

on() {
  local end=$1
  shift
  ip netns exec "$NET_NAME-$end" "$@"
}

router_net_down() {
  local end
  for end in client router host; do
    ip netns pids "$NET_NAME-$end" 2>/dev/null | xargs -r kill -9 2>/dev/null || true
    ip netns delete "$NET_NAME-$end" 2>/dev/null || true
  done
  rm -rf "$NET_DIR"
}
router_net_up() {
  local end place version via
  NET_DIR=$(mktemp -d /tmp/sojourn-net.XXXXXX)
  chmod 755 "$NET_DIR"
  trap router_net_down EXIT
  trap 'exit 130' INT TERM HUP
  for end in client router host; do
    ip netns add "$NET_NAME-$end"
    ip -n "$NET_NAME-$end" link set lo up
  done
  ip link add client0 netns "$NET_NAME-client" type veth peer name router0 netns "$NET_NAME-router"
  ip link add router1 netns "$NET_NAME-router" type veth peer name host0 netns "$NET_NAME-host"
  for place in "client client0 0 1" "router router0 0 2" "router router1 1 1" "host host0 1 2"; do
    # shellcheck disable=SC2086  # four words
    set -- $place
    ip -n "$NET_NAME-$1" link set "$2" up
    ip -n "$NET_NAME-$1" address add "192.0.$((2 + $3)).$4/24" dev "$2"
    ip -n "$NET_NAME-$1" address add "2001:db8:$3::$4/64" dev "$2" nodad
  done
  on router sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1
  for version in -4 -6; do
    [ $version = -4 ] && via=("192.0.2.2" "192.0.3.1") || via=("2001:db8:0::2" "2001:db8:1::1")
    ip -n "$NET_NAME-client" $version route add default via "${via[0]}"
    ip -n "$NET_NAME-host" $version route add default via "${via[1]}"
  done
}

points=()
point() {
  local end=$1 interface=$2 called=$3 tries
  shift 3
  rm -f "$NET_DIR/$called.csv"
  ip netns exec "$NET_NAME-$end" "$sojourn" point -i "$interface" --name "$called" --clock-error 0s \
    --records "$NET_DIR/$called.csv" "$@" >"$NET_DIR/$called.out" 2>"$NET_DIR/$called.err" &
  points+=($!)
  for ((tries = 0; tries < 400; ++tries)); do
    [ ! -s "$NET_DIR/$called.csv" ] || return 0
    kill -0 $! 2>/dev/null || return 1
    sleep 0.05
  done
  return 1
}
first_point() {
  point "$@" && return 0
  grep -q "CAP_BPF\|no BPF\|built without\|Linux 6.1" "$NET_DIR/$3.err" || fail "no point"
  echo "skipped: $(cat "$NET_DIR/$3.err")"
  exit 77
}
