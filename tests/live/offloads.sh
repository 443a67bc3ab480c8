#!/bin/bash
# offloads.sh SOJOURN: are super-packets timed as the packets themselves say?
#
# Two hosts on a veth pair with TSO, GSO and GRO on, one iperf3 of two seconds between them, `sojourn rtt` and tcpdump listening at
# the sender.  check_offloads.py holds the report against the capture; what the kernel says of the same connection (`ss -ti`) is
# shown beside them.  Three attempts: a machine that stops processes makes either listener lose packets.
set -eu
here=$(dirname "$0")
[ $# -eq 1 ] || { echo "usage: offloads.sh SOJOURN" >&2; exit 2; }
sojourn=$1
[ "$(id -u)" = 0 ] || { echo "skipped: network namespaces need root"; exit 77; }
for tool in ip iperf3 ss tcpdump python3; do
  command -v "$tool" >/dev/null || { echo "skipped: $tool is missing"; exit 77; }
done
name=offloads-$$
folder=$(mktemp -d)
chmod 755 "$folder"
clean_up() {
  ip netns pids "$name-client" 2>/dev/null | xargs -r kill 2>/dev/null || true
  ip netns pids "$name-server" 2>/dev/null | xargs -r kill 2>/dev/null || true
  ip netns del "$name-client" 2>/dev/null || true
  ip netns del "$name-server" 2>/dev/null || true
  rm -rf "$folder"
}
trap clean_up EXIT
ip netns add "$name-client" || { echo "skipped: no network namespaces"; exit 77; }
ip netns add "$name-server"
ip -n "$name-client" link add client0 type veth peer name server0 netns "$name-server" ||
  { echo "skipped: no veth"; exit 77; }
ip -n "$name-client" address add 10.99.0.1/24 dev client0
ip -n "$name-server" address add 10.99.0.2/24 dev server0
ip -n "$name-client" link set client0 up
ip -n "$name-server" link set server0 up
ip -n "$name-client" link set lo up
ip -n "$name-server" link set lo up

measure() {
  rm -f "$folder"/*
  ip netns exec "$name-server" iperf3 --server --one-off >"$folder/server.log" 2>&1 &
  ip netns exec "$name-client" tcpdump --nano -i client0 -s 100 -B 65536 -w - >"$folder/capture.pcap" 2>"$folder/tcpdump.err" &
  local listener=$!
  ip netns exec "$name-client" "$sojourn" rtt -i client0 --engine socket --kind tcp --json --samples "$folder/samples.csv" \
    >"$folder/report.json" 2>"$folder/sojourn.err" &
  local measurement=$!
  sleep 1
  ip netns exec "$name-client" iperf3 --client 10.99.0.2 --time 2 >"$folder/client.log" 2>&1 &
  local transfer=$! tries
  for ((tries = 0; tries < 8; ++tries)); do
    ip netns exec "$name-client" ss -tinH dst 10.99.0.2 >>"$folder/ss.log" 2>/dev/null || true
    sleep 0.2
  done
  wait "$transfer" || { echo "iperf3: $(tail -n 2 "$folder/client.log")"; return 1; }
  sleep 0.5
  kill -INT "$measurement" "$listener"
  wait "$listener" || true
  wait "$measurement" || { echo "sojourn failed: $(cat "$folder/sojourn.err")" >&2; exit 1; }
  python3 "$here/check_offloads.py" "$folder/report.json" "$folder/samples.csv" "$folder/capture.pcap" "$folder/ss.log"
}

for attempt in 1 2 3; do
  echo "attempt $attempt"
  if measure; then exit 0; fi
done
exit 1
