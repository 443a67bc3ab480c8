#!/bin/bash
# flood.sh SOJOURN EMULATOR: a flood of SYNs beside honest conversations.
#
# The kernel engine in 256 KiB, which the flood would fill many times over.  What the honest conversations really took is in a
# capture of them alone.  Their percentiles stay within the intervals, memory does not move, and the report states the
# share of requests that was not let in.
set -eu
here=$(dirname "$0")
# shellcheck source=tests/testbed/net.sh
. "$here/../testbed/net.sh"

[ $# -eq 2 ] || { echo "usage: flood.sh SOJOURN EMULATOR" >&2; exit 2; }
sojourn=$1 NET_EMULATOR=$2
missing=$(net_missing python3 tcpdump)
[ -z "$missing" ] || { echo "skipped: $missing"; exit 77; }

net_up
if ! on_client "$sojourn" rtt -i client0 --engine kernel --duration 10ms >/dev/null 2>"$NET_DIR/why"; then
  echo "skipped: $(cat "$NET_DIR/why")"
  exit 77
fi
net_emulate --delay 5ms --seed 1
ip netns exec "$NET_NAME-server" python3 "$here/echo_traffic.py" serve $NET_SERVER >"$NET_DIR/serve" 2>&1 &
net_wait_for "$NET_DIR/serve" ready

# Its filter is in the kernel: the flood does not reach it.
ip netns exec "$NET_NAME-client" tcpdump -Z root -q -n -s 128 -B 8192 -i client0 -w "$NET_DIR/honest.pcap" tcp port 7007 \
  2>"$NET_DIR/tcpdump" &
capturing=$!
net_wait_for "$NET_DIR/tcpdump" "listening on"

# measure NAME OPTION...: in the background, attached when this returns.
measure() {
  local name=$1 tries
  shift
  ip netns exec "$NET_NAME-client" "$sojourn" rtt -i client0 --engine kernel --seed 7 --json "$@" >"$NET_DIR/$name.json" &
  for ((tries = 0; tries < 200; ++tries)); do
    [ "$(awk '/^Uid:/ {print $3}' "/proc/$!/status" 2>/dev/null)" != 65534 ] || return 0
    sleep 0.05
  done
  return 1
}
memory() { awk -v name="$2:" '$1 == name {print $2}' "/proc/$1/status"; }

measure samples --memory 256KiB --kind tcp,handshake --samples "$NET_DIR/samples.csv"
flooded=$!
measure histograms --memory 3MiB --kind handshake --kernel-output histograms
counted=$!
sleep 0.5
before=$(memory $flooded VmRSS)
# As long as the conversations last; 60 s at most, which only a machine that stands still would need.
ip netns exec "$NET_NAME-server" timeout 60 python3 "$here/syn_flood.py" server0 02:00:00:00:00:01 3000000 &
flood=$!
sleep 1 # honest traffic that begins before the entry probability has fallen would prove little
on_client timeout 50 python3 "$here/echo_traffic.py" ask $NET_SERVER 240 8
kill $flood 2>/dev/null || true
wait $flood 2>/dev/null || true
sleep 0.5
after=$(memory $flooded VmHWM)
kill -INT $flooded $counted
wait $flooded $counted
kill -INT $capturing
wait $capturing
"$sojourn" rtt "$NET_DIR/honest.pcap" --kind tcp,handshake --json >"$NET_DIR/honest.json"
python3 "$here/check_flood.py" "$NET_DIR" "$before" "$after"
echo "all well"
