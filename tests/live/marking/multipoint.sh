#!/bin/bash
# multipoint.sh SOJOURN EMULATOR: loss where traffic splits and merges (RFC 9342), live, exact against both emulators' logs.
#
#                     +--- emulator --- a (point 1) ------------+
#    client --- router                                          merge --- sink
#    (first)          +--------------- b (point 2) --- emulator-+         (last)
#
# Clusters: from the first point to 1 and 2 together, where the upper emulator loses, and from these to the last, where the
# lower one does.
set -eu
here=$(dirname "$0")
# shellcheck source=tests/testbed/net.sh
. "$here/../../testbed/net.sh"
# shellcheck source=tests/live/marking/marking_net.sh
. "$here/marking_net.sh"

[ $# -eq 2 ] || { echo "usage: multipoint.sh SOJOURN EMULATOR" >&2; exit 2; }
sojourn=$1 NET_EMULATOR=$2
missing=$(net_missing python3)
[ -z "$missing" ] || { echo "skipped: $missing"; exit 77; }

namespaces=(client router a b merge sink upper lower)
take_down() {
  set +e
  local name
  for name in "${namespaces[@]}"; do [ ! -e "/run/netns/$NET_NAME-$name" ] || net_remove "$NET_NAME-$name"; done
  rm -rf "$NET_DIR"
}
net_sweep
NET_DIR=$(mktemp -d /tmp/sojourn-net.XXXXXX)
trap take_down EXIT
trap 'exit 130' INT TERM HUP
for name in "${namespaces[@]}"; do
  ip netns add "$NET_NAME-$name"
  ip netns exec "$NET_NAME-$name" sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv4.ip_forward=1 net.ipv4.conf.all.rp_filter=0
done

# wire FROM TO: interface TO in FROM, and FROM in TO.
wire() {
  ip link add name "$2" netns "$NET_NAME-$1" type veth peer name "$1" netns "$NET_NAME-$2"
  local end
  for end in "$1 $2" "$2 $1"; do
    # shellcheck disable=SC2086  # two words
    set -- $end
    ip netns exec "$NET_NAME-$1" ethtool -K "$2" tso off gso off gro off tx off rx off >/dev/null
    ip -n "$NET_NAME-$1" link set dev "$2" up
  done
}
# next NAMESPACE INTERFACE ADDRESS NEIGHBOUR'S-NAMESPACE INTERFACE ADDRESS TO: a route, and nobody needs to be asked for it.
next() {
  ip -n "$NET_NAME-$1" address add "$3/24" dev "$2" 2>/dev/null || true
  ip -n "$NET_NAME-$4" address add "$6/24" dev "$5" 2>/dev/null || true
  ip -n "$NET_NAME-$1" neighbour replace "$6" dev "$2" \
    lladdr "$(ip netns exec "$NET_NAME-$4" cat "/sys/class/net/$5/address")"
  [ -z "${7:-}" ] || ip -n "$NET_NAME-$1" route add "$7" via "$6"
}
wire client router
wire router upper
wire upper a
wire router b
wire a merge
wire b lower
wire lower merge
wire merge sink
next client router 10.9.1.1 router client 10.9.1.2 198.51.100.0/24
next router upper 10.9.2.1 a upper 10.9.2.2 198.51.100.0/26
next router b 10.9.3.1 b router 10.9.3.2 198.51.100.64/26
next a merge 10.9.4.1 merge a 10.9.4.2 198.51.100.0/24
next b lower 10.9.5.1 merge lower 10.9.5.2 198.51.100.0/24
next merge sink 198.51.100.1 sink merge 198.51.100.2
next merge sink 198.51.100.1 sink merge 198.51.100.66

# emulate NAME FROM TO OPTIONS...: losses only in the direction of the traffic.
emulators=()
emulate() {
  local name=$1 from=$2 to=$3
  shift 3
  ip netns exec "$NET_NAME-$name" "$NET_EMULATOR" "$from" "$to" --log "$NET_DIR/$name.log" --duration 1min --forward "$@" \
    >"$NET_DIR/$name.out" 2>"$NET_DIR/$name.err" &
  emulators+=($!)
  net_wait_for "$NET_DIR/$name.out" ready || fail "no emulator"
}
emulate upper router a --delay 1ms --loss 3% --seed 1
emulate lower b merge --delay 8ms --jitter 1ms --loss 5% --seed 2

options=(step --interval 256ms --flow "destination=198.51.100.0/24,protocol=udp")
if ! start client router first --mark "${options[@]}"; then
  grep -q "CAP_BPF\|no BPF\|built without\|Linux 6.1" "$NET_DIR/first.err" || fail "no point"
  echo "skipped: $(cat "$NET_DIR/first.err")"
  exit 77
fi
points=("$started")
start a upper one --observe "${options[@]}" || fail "no point 1"
points+=("$started")
start b router two --observe "${options[@]}" || fail "no point 2"
points+=("$started")
start sink merge last --restore "${options[@]}" || fail "no last point"
points+=("$started")

HOST=198.51.100.2 HOST6=198.51.100.66 # the other way
start_traffic ports
await_rows last 10
stop_traffic
stop_points
kill -TERM "${emulators[@]}"
wait "${emulators[@]}" || fail "an emulator ended with an error"

clusters() {
  "$sojourn" oneway "$NET_DIR/first.csv" "$NET_DIR/last.csv" --via "$NET_DIR/one.csv" --via "$NET_DIR/two.csv" "$@"
}
clusters --segments first-1,first-2,1-last,2-last --json >"$NET_DIR/clusters.json" || fail "the records are not joined"
python3 "$here/check_multipoint.py" "$NET_DIR/clusters.json" "$NET_DIR/upper.log" "$NET_DIR/lower.log" || fail "clusters"
if clusters --segments first-1,1-last 2>"$NET_DIR/why"; then fail "point 2 is in no segment, and nobody says so"; fi
cat "$NET_DIR/why"
grep -q "point 2" "$NET_DIR/why" || fail "no word about point 2"
echo "all well"
