# shellcheck shell=bash
# A path for marks, for the live tests of alternate marking.  Source this file behind testbed/net.sh; then
#
#     client (marks) --- emulator: delay, chosen losses --- server (a router, observes) --- host (restores)
#
#   marking_begin SOJOURN EMULATOR  the namespaces, and routes through the server
#   all_points METHOD OPTIONS...    points first, mid and last, with records in $NET_DIR
#   start_traffic, stop_traffic     from the client to the host: UDP and TCP, IPv4 and IPv6
#   check PART OPTIONS...           joins the records and holds them against the emulator's log
#
# Needs $here, and $sojourn unless marking_begin is called.

# shellcheck source=tests/live/waiting.sh
. "$here/../waiting.sh"

# marking_begin SOJOURN EMULATOR [...]: the arguments of a test, and the namespaces; it may be skipped.
marking_begin() {
  local missing
  [ $# -ge 2 ] || { echo "usage: ${0##*/} SOJOURN EMULATOR" >&2; exit 2; }
  sojourn=$1
  # shellcheck disable=SC2034  # of testbed/net.sh
  NET_EMULATOR=$2
  missing=$(net_missing python3 bpftool tc)
  [ -z "$missing" ] || { echo "skipped: $missing"; exit 77; }
  marking_net_up
}
# first_points METHOD OPTIONS...: all_points, or the test is skipped where the kernel does not take them.
first_points() {
  all_points "$@" && return 0
  grep -q "CAP_BPF\|no BPF\|built without\|Linux 6.1" "$NET_DIR/first.err" || fail "no points"
  echo "skipped: $(cat "$NET_DIR/first.err")"
  exit 77
}

on_host() { ip netns exec "$NET_NAME-host" "$@"; }

# Behind the server, which becomes a router: 198.51.100.0/24 and 2001:db8:1::/64.
HOST=198.51.100.2 HOST6=2001:db8:1::2
marking_net_up() {
  local pair
  net_up
  ip netns add "$NET_NAME-host"
  trap 'ip netns pids "$NET_NAME-host" 2>/dev/null | xargs -r kill -9 2>/dev/null; ip netns delete "$NET_NAME-host" 2>/dev/null; net_down' EXIT
  ip link add server1 netns "$NET_NAME-server" type veth peer name host0 netns "$NET_NAME-host"
  for pair in "server server1 1" "host host0 2"; do
    # shellcheck disable=SC2086  # three words
    set -- $pair
    ip netns exec "$NET_NAME-$1" ethtool -K "$2" tso off gso off gro off tx off rx off >/dev/null
    ip -n "$NET_NAME-$1" link set lo up
    ip -n "$NET_NAME-$1" link set "$2" up
    ip -n "$NET_NAME-$1" address add "198.51.100.$3/24" dev "$2"
    ip -n "$NET_NAME-$1" address add "2001:db8:1::$3/64" dev "$2" nodad
  done
  on_server sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1
  ip -n "$NET_NAME-client" route add 198.51.100.0/24 via $NET_SERVER
  ip -n "$NET_NAME-client" route add 2001:db8:1::/64 via $NET_SERVER6
  ip -n "$NET_NAME-host" route add default via 198.51.100.1
  ip -n "$NET_NAME-host" -6 route add default via 2001:db8:1::1
}

flows=(--flow "destination=198.51.100.0/24,protocol=udp" --flow "destination=2001:db8:1::/64,protocol=udp"
  --flow "destination=198.51.100.0/24,protocol=tcp" --flow "destination=2001:db8:1::/64,protocol=tcp")

# What a router drops because it does not know its neighbours yet is lost, and not in the emulator's log.
await_path() {
  local address tries
  for address in "$HOST" "$HOST6"; do
    for ((tries = 0; tries < 60; ++tries)); do
      on_client ping -c 1 -W 1 "$address" >/dev/null 2>&1 && break
    done
    [ "$tries" -lt 60 ] || fail "no way to $address"
  done
}
start_sink() {
  ip netns exec "$NET_NAME-host" timeout 200 python3 "$here/marked_traffic.py" sink >"$NET_DIR/sink" &
  disown # its end is nobody's business
}

# start NAMESPACE INTERFACE NAME OPTIONS...: process id in $started.
start() {
  local namespace=$1 interface=$2 name=$3
  shift 3
  rm -f "$NET_DIR/$name.csv"
  ip netns exec "$NET_NAME-$namespace" "$sojourn" point -i "$interface" --name "$name" --clock-error 0s \
    --records "$NET_DIR/$name.csv" "$@" >"$NET_DIR/$name.out" 2>"$NET_DIR/$name.err" &
  started=$!
  local tries
  for ((tries = 0; tries < 200; ++tries)); do
    [ ! -s "$NET_DIR/$name.csv" ] || return 0
    kill -0 $started 2>/dev/null || return 1
    sleep 0.05
  done
  return 1
}
# all_points METHOD OPTIONS...: first, mid and last.
points=()
all_points() {
  local method=$1
  shift
  start client client0 first --mark "$method" "$@" || return 1
  points=("$started")
  start server server0 mid --observe "$method" "$@" || return 1
  points+=("$started")
  start host host0 last --restore "$method" "$@" || return 1
  points+=("$started")
}
# And nothing of them is left.
stop_points() {
  local point loaded
  loaded=$(net_programs "${points[@]}")
  [ -n "$loaded" ] || fail "no programs are loaded"
  kill -INT "${points[@]}"
  for point in "${points[@]}"; do wait "$point" || fail "a point ended with an error"; done
  # shellcheck disable=SC2086  # numbers
  net_await_unloaded $loaded || fail "something is left"
}
# From the client to the host, all four kinds, until stop_traffic.  `ports`: UDP to 10 000 of them instead.
start_traffic() {
  rm -f "$NET_DIR/stop"
  ip netns exec "$NET_NAME-client" python3 "$here/marked_traffic.py" "${1:-send}" $HOST $HOST6 "$NET_DIR/stop" &
  sending=$!
}
rows() { grep -c '"destination' "$NET_DIR/$1.csv" || true; }
# await_rows POINT COUNT: so many more counters of flows.
await_rows() { await_lines "$NET_DIR/$1.csv" '"destination' "$(($(rows "$1") + $2))"; }
# And all of its packets are in counters that were read.
stop_traffic() {
  touch "$NET_DIR/stop"
  wait "$sending" || true
  await_lines "$NET_DIR/last.csv" ',""$' "$(($(grep -c ',""$' "$NET_DIR/last.csv") + 4))"
}
join() { "$sojourn" oneway "$NET_DIR/first.csv" "$NET_DIR/last.csv" --via "$NET_DIR/mid.csv" "$@"; }
check() { # PART OPTIONS...
  join --json >"$NET_DIR/joined.json" || fail "the records are not joined"
  "$sojourn" oneway "$NET_DIR/first.csv" "$NET_DIR/mid.csv" --json >"$NET_DIR/segment.json" || fail "nor to the router"
  python3 "$here/check_marking.py" "$@" --joined "$NET_DIR/joined.json" --segment "$NET_DIR/segment.json" \
    --log "$NET_DIR/emulator.csv" || fail "$1"
}
