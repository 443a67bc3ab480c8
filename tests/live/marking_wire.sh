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
. "$here/../testbed/net.sh"
[ $# -ge 1 ] || { echo "usage: marking_wire.sh SOJOURN [REPEATS]" >&2; exit 2; }
sojourn=$1 repeats=${2:-1}
missing=$(net_missing python3 tcpdump)
[ -z "$missing" ] || { echo "skipped: $missing"; exit 77; }

name=$NET_NAME
folder=$(mktemp -d /tmp/sojourn-net.XXXXXX)
chmod 755 "$folder"
clean_up() {
  local end
  for end in client router host; do
    ip netns pids "$name-$end" 2>/dev/null | xargs -r kill -9 2>/dev/null || true
    ip netns delete "$name-$end" 2>/dev/null || true
  done
  rm -rf "$folder"
}
trap clean_up EXIT
trap 'exit 130' INT TERM HUP
fail() { echo "FAILED: $*" >&2; tail -n 20 "$folder"/*.err >&2; exit 1; }

for end in client router host; do
  ip netns add "$name-$end"
  ip -n "$name-$end" link set lo up
done
ip link add client0 netns "$name-client" type veth peer name router0 netns "$name-router"
ip link add router1 netns "$name-router" type veth peer name host0 netns "$name-host"
for place in "client client0 0 1" "router router0 0 2" "router router1 1 1" "host host0 1 2"; do
  # shellcheck disable=SC2086  # four words
  set -- $place
  ip -n "$name-$1" link set "$2" up
  ip -n "$name-$1" address add "192.0.$((2 + $3)).$4/24" dev "$2"
  ip -n "$name-$1" address add "2001:db8:$3::$4/64" dev "$2" nodad
done
ip netns exec "$name-router" sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1
for version in -4 -6; do
  [ $version = -4 ] && via=("192.0.2.2" "192.0.3.1") || via=("2001:db8:0::2" "2001:db8:1::1")
  ip -n "$name-client" $version route add default via "${via[0]}"
  ip -n "$name-host" $version route add default via "${via[1]}"
done
# The router asks for its neighbour once, before anything is measured.
for to in 192.0.3.2 2001:db8:1::2; do
  for ((tries = 0; tries < 60; ++tries)); do
    ! ip netns exec "$name-client" ping -c 1 -W 1 $to >/dev/null 2>&1 || break
  done
  [ "$tries" -lt 60 ] || fail "no way to $to"
done

flows=()
for ((port = 9000; port < 9008; ++port)); do flows+=(--flow "destination-port=$port,protocol=udp"); done
# await FILE TEXT COUNT: 60 seconds at most.
await() {
  local tries
  for ((tries = 0; tries < 1200; ++tries)); do
    [ "$(grep -c -- "$2" "$1" 2>/dev/null || true)" -lt "$3" ] || return 0
    sleep 0.05
  done
  fail "fewer than $3 lines with '$2' in ${1##*/}"
}
# point NAMESPACE INTERFACE NAME OPTIONS...
point() {
  local end=$1 interface=$2 called=$3 tries
  shift 3
  rm -f "$folder/$called.csv"
  ip netns exec "$name-$end" "$sojourn" point -i "$interface" --name "$called" --clock-error 0s --interval 64ms \
    --carrier dscp:1,0 --records "$folder/$called.csv" "$@" "${flows[@]}" >"$folder/$called.out" 2>"$folder/$called.err" &
  running+=($!)
  for ((tries = 0; tries < 400; ++tries)); do
    [ ! -s "$folder/$called.csv" ] || return 0
    kill -0 $! 2>/dev/null || return 1
    sleep 0.05
  done
  return 1
}
# listen NAMESPACE INTERFACE DIRECTION
listen() {
  ip netns exec "$name-$1" tcpdump -Z root --time-stamp-precision=nano -s 128 -B 16384 -i "$2" -Q "$3" -w "$folder/$1.pcap" \
    "udp portrange 9000-9007" 2>"$folder/$1.tcpdump.err" &
  captures+=($!)
  await "$folder/$1.tcpdump.err" listening 1
}

measure() {
  running=() captures=()
  rm -f "$folder/stop"
  if ! point client client0 first --mark double; then
    grep -q "CAP_BPF\|no BPF\|built without\|Linux 6.1" "$folder/first.err" || fail "no point"
    echo "skipped: $(cat "$folder/first.err")"
    exit 77
  fi
  point host host0 last --observe double || fail "no observer"
  point host host0 ahead --observe double --clock-offset=5us || fail "no observer whose clock is ahead"
  point host host0 behind --observe double --clock-offset=-10us || fail "no observer whose clock is behind"
  listen client client0 out
  listen host host0 in
  ip netns exec "$name-client" python3 "$here/wire_delay.py" send 192.0.3.2 2001:db8:1::2 "$folder/stop" &
  local sending=$!
  # Rows of flows, not of the point itself; then some more intervals, in which they are all read.
  await "$folder/behind.csv" '"destination-port' 320
  touch "$folder/stop"
  wait $sending || fail "the sender"
  await "$folder/behind.csv" ',""$' "$(($(grep -c ',""$' "$folder/behind.csv") + 4))"
  kill -INT "${running[@]}" "${captures[@]}"
  wait "${running[@]}" "${captures[@]}" || fail "a point or a capture ended with an error"
  ! grep "packets dropped by kernel" "$folder/client.tcpdump.err" "$folder/host.tcpdump.err" | grep -v ":0 packets" ||
    fail "a capture lost packets"
  for last in last ahead behind; do
    "$sojourn" oneway "$folder/first.csv" "$folder/$last.csv" --json >"$folder/$last.json" 2>"$folder/$last.joined.err" || fail "$last is not joined"
  done
  python3 "$here/wire_delay.py" check "$folder/client.pcap" "$folder/host.pcap" "$folder"/{last,ahead,behind}.json ||
    fail "delays by marks"
}
for ((repeat = 0; repeat < repeats; ++repeat)); do measure; done
echo "all well"
