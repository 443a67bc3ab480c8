#!/bin/bash
# marking_wire.sh SOJOURN [REPEATS]: delays of microseconds by marks, against two captures with the kernel's own times.
#
#     client (marks; captured) --- router --- host (observes; captured)
#
# No process handles the packets on their way, so they take what the kernel takes: some microseconds.  tcpdump's times are
# the kernel's, read next to the program's: when a packet leaves a little later, when it comes in a little earlier.  Pulses
# are told in the captures by their bit, so each delay is compared with that of the very packet it was measured by.
# The median must be within 5 us, and observers whose clocks are 5 us ahead and 10 us behind must be noticed.
set -eu
here=$(dirname "$0")
# shellcheck source=tests/testbed/net.sh
. "$here/../../testbed/net.sh"
[ $# -ge 1 ] || { echo "usage: marking_wire.sh SOJOURN [REPEATS]" >&2; exit 2; }
sojourn=$1 repeats=${2:-1}
missing=$(net_missing python3 tcpdump)
[ -z "$missing" ] || { echo "skipped: $missing"; exit 77; }

# shellcheck source=tests/live/marking/router_net.sh
. "$here/router_net.sh"
router_net_up
# The router asks for its neighbour once, before anything is measured.
for to in 192.0.3.2 2001:db8:1::2; do
  for ((tries = 0; tries < 60; ++tries)); do
    ! on client ping -c 1 -W 1 $to >/dev/null 2>&1 || break
  done
  [ "$tries" -lt 60 ] || fail "no way to $to"
done

flows=()
for ((port = 9000; port < 9008; ++port)); do flows+=(--flow "destination-port=$port,protocol=udp"); done
options=(--interval 64ms --carrier "dscp:1,0" "${flows[@]}")
# listen NAMESPACE INTERFACE DIRECTION
listen() {
  ip netns exec "$NET_NAME-$1" tcpdump -Z root --time-stamp-precision=nano -s 128 -B 16384 -i "$2" -Q "$3" -w "$NET_DIR/$1.pcap" \
    "udp portrange 9000-9007" 2>"$NET_DIR/$1.tcpdump.err" &
  captures+=($!)
  await_lines "$NET_DIR/$1.tcpdump.err" listening 1
}

measure() {
  points=() captures=()
  rm -f "$NET_DIR/stop"
  first_point client client0 first --mark double "${options[@]}"
  point host host0 last --observe double "${options[@]}" || fail "no observer"
  point host host0 ahead --observe double --clock-offset=5us "${options[@]}" || fail "no observer whose clock is ahead"
  point host host0 behind --observe double --clock-offset=-10us "${options[@]}" || fail "no observer whose clock is behind"
  listen client client0 out
  listen host host0 in
  ip netns exec "$NET_NAME-client" python3 "$here/wire_delay.py" send 192.0.3.2 2001:db8:1::2 "$NET_DIR/stop" &
  local sending=$!
  # Rows of flows, not of the point itself; then some more intervals, in which they are all read.
  await_lines "$NET_DIR/behind.csv" '"destination-port' 320
  touch "$NET_DIR/stop"
  wait $sending || fail "the sender"
  await_lines "$NET_DIR/behind.csv" ',""$' "$(($(grep -c ',""$' "$NET_DIR/behind.csv") + 4))"
  kill -INT "${points[@]}" "${captures[@]}"
  wait "${points[@]}" "${captures[@]}" || fail "a point or a capture ended with an error"
  ! grep "packets dropped by kernel" "$NET_DIR/client.tcpdump.err" "$NET_DIR/host.tcpdump.err" | grep -v ":0 packets" ||
    fail "a capture lost packets"
  for last in last ahead behind; do
    "$sojourn" oneway "$NET_DIR/first.csv" "$NET_DIR/$last.csv" --json >"$NET_DIR/$last.json" 2>"$NET_DIR/$last.joined.err" || fail "$last is not joined"
  done
  python3 "$here/wire_delay.py" check "$NET_DIR/client.pcap" "$NET_DIR/host.pcap" "$NET_DIR"/{last,ahead,behind}.json ||
    fail "delays by marks"
}
for ((repeat = 0; repeat < repeats; ++repeat)); do measure; done
echo "all well"
