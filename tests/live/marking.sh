#!/bin/bash
# marking.sh SOJOURN EMULATOR [demo]: alternate marking between two hosts with a router between, against the emulator's log.
#
#     client (marks) --- emulator: delay, chosen losses --- server (a router, observes) --- host (restores)
#
# UDP and TCP, IPv4 and IPv6.  Loss of every interval that is given must be exact, delays near the log's; what cannot
# be trusted must say why: a link that goes down, a router that rewrites the DSCP, a marker that is killed.
set -eu
here=$(dirname "$0")
# shellcheck source=tests/testbed/net.sh
. "$here/../testbed/net.sh"

[ $# -ge 2 ] || { echo "usage: marking.sh SOJOURN EMULATOR [demo]" >&2; exit 2; }
sojourn=$1 NET_EMULATOR=$2 demo=${3:-}
missing=$(net_missing python3 bpftool tc)
[ -z "$missing" ] || { echo "skipped: $missing"; exit 77; }

fail() { echo "FAILED: $*" >&2; tail -n 30 "$NET_DIR"/*.err >&2; exit 1; }
programs() { bpftool prog show 2>/dev/null | grep -c "name marking_tc " || true; }
await_programs() {
  local tries
  for ((tries = 0; tries < 100; ++tries)); do
    [ "$(programs)" != "$1" ] || return 0
    sleep 0.1
  done
  fail "$(programs) programs marking_tc, not $1"
}
# await_lines FILE TEXT COUNT: 60 seconds at most.
await_lines() {
  local tries
  for ((tries = 0; tries < 600; ++tries)); do
    [ "$(grep -c -- "$2" "$1" 2>/dev/null || true)" -lt "$3" ] || return 0
    sleep 0.1
  done
  fail "fewer than $3 lines with '$2' in ${1##*/}"
}

net_up
# Behind the server, which becomes a router: 198.51.100.0/24 and 2001:db8:1::/64.
HOST=198.51.100.2 HOST6=2001:db8:1::2
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
on_host() { ip netns exec "$NET_NAME-host" "$@"; }

flows=(--flow "destination=198.51.100.0/24,protocol=udp" --flow "destination=2001:db8:1::/64,protocol=udp"
  --flow "destination=198.51.100.0/24,protocol=tcp" --flow "destination=2001:db8:1::/64,protocol=tcp")
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
stop_points() {
  kill -INT "${points[@]}"
  local point
  for point in "${points[@]}"; do wait "$point" || fail "a point ended with an error"; done
}
# From the client to the host, all four kinds, until stop_traffic.
start_traffic() {
  rm -f "$NET_DIR/stop"
  ip netns exec "$NET_NAME-client" python3 "$here/marked_traffic.py" send $HOST $HOST6 "$NET_DIR/stop" &
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

before=$(programs)
# Two more observers, whose clocks are off: by less than the guard band leaves room for, and by more.
offset=(--observe multiplexed --interval 512ms "${flows[@]}")
if ! all_points multiplexed --interval 512ms "${flows[@]}"; then
  echo "skipped: $(cat "$NET_DIR/first.err")"
  exit 77
fi
ip netns exec "$NET_NAME-host" timeout 200 python3 "$here/marked_traffic.py" sink &
disown # its end is nobody's business
net_emulate --delay 2ms --jitter 300us --loss 3% --seed 16
# What a router drops because it does not know its neighbours yet is lost, and not in the emulator's log.
for address in "$HOST" "$HOST6"; do
  for ((tries = 0; tries < 60; ++tries)); do
    on_client ping -c 1 -W 1 "$address" >/dev/null 2>&1 && break
  done
  [ "$tries" -lt 60 ] || fail "no way to $address"
done

start server server0 ahead "${offset[@]}" --clock-offset=40ms || fail "no observer whose clock is ahead"
others=("$started")
start server server0 behind "${offset[@]}" --clock-offset=-200ms || fail "no observer whose clock is behind"
others+=("$started")

echo "multiplexed in one bit of the DSCP, 3 % loss, UDP and TCP, IPv4 and IPv6"
start_traffic
await_rows last 40
stop_traffic
points+=("${others[@]}")
stop_points
net_stop_emulator
[ -z "$demo" ] || join
[ -z "$demo" ] || cat "$NET_DIR/first.out"
check loss --length 500000000
for clock in ahead behind; do
  "$sojourn" oneway "$NET_DIR/first.csv" "$NET_DIR/$clock.csv" --json >"$NET_DIR/$clock.json" || fail "$clock is not joined"
done
python3 "$here/check_marking.py" clocks --length 500000000 --log "$NET_DIR/emulator.csv" --joined "$NET_DIR/segment.json" \
  --ahead "$NET_DIR/ahead.json" --behind "$NET_DIR/behind.json" || fail clocks
await_programs "$before"
[ -z "$demo" ] || exit 0

echo "double marking in two bits, and a link that goes down for some intervals"
net_emulate --delay 500us --loss 2% --seed 17
all_points double --carrier dscp:1,0 --interval 256ms "${flows[@]}"
start_traffic
await_rows last 40
on_middle ip link set left down
await_lines "$NET_DIR/first.csv" 'link-down,.*,""$' 3
on_middle ip link set left up
await_rows last 24
stop_traffic
stop_points
net_stop_emulator
check down --length 250000000 --bits 1,0

echo "a router that clears the DSCP, and one that writes another"
for value in 0 8; do
  cc=$(command -v clang-19 || command -v clang || true)
  if [ -z "$cc" ] || ! "$cc" -O2 -g -target bpf -DVALUE=$value -I"/usr/include/$(uname -m)-linux-gnu" \
    -c "$here/rewriting_router.c" -o "$NET_DIR/router$value.o"; then
    echo "  not tried: no clang"
    break
  fi
  on_server tc qdisc replace dev server1 clsact
  on_server tc filter add dev server1 egress bpf da obj "$NET_DIR/router$value.o" sec tc
  net_emulate --delay 500us --loss 2% --seed 18
  all_points multiplexed --interval 256ms "${flows[@]}"
  start_traffic
  await_rows last 32
  stop_traffic
  stop_points
  net_stop_emulator
  on_server tc qdisc delete dev server1 clsact
  cat "$NET_DIR/last.err"
  grep -q "rewrites" "$NET_DIR/last.err" || fail "the last point does not say that marks are rewritten"
  check rewritten --length 250000000
done

echo "a marker that is killed: marks stop, and nothing of it is left"
net_emulate --delay 500us --seed 19
all_points multiplexed --interval 256ms "${flows[@]}"
start_traffic
await_rows last 40
kill -KILL "${points[0]}"
wait "${points[0]}" 2>/dev/null || true
date +%s%N >"$NET_DIR/killed"
await_rows last 24
stop_traffic
points=("${points[@]:1}")
stop_points
net_stop_emulator
await_programs "$before"
check killed --length 250000000 --killed "$(cat "$NET_DIR/killed")"

echo "intervals that are too short are refused"
if on_client "$sojourn" point -i client0 --mark multiplexed --interval 16ms --clock-error 1ms --largest-delay 5ms \
  2>"$NET_DIR/why"; then
  fail "16 ms with 6 ms of delay and clock error"
fi
cat "$NET_DIR/why"
grep -q "take intervals of 32ms" "$NET_DIR/why" || fail "no advice"
[ "$(wc -l <"$NET_DIR/why")" -eq 1 ] || fail "more than one line"
echo "all well"
