#!/bin/bash
# accuracy.sh SOJOURN EMULATOR ENGINE: does a live measurement tell the delay that there was?
#
# Two hosts 20 ms apart (10 ms each way), echoes and a TCP transfer between them, and `sojourn rtt`
# listening at the client.  Its medians must be within 100 us of what the emulator logged.
#
# A machine that stops our processes for milliseconds at a time spoils the emulator's log as much as
# the measurement, so there are three attempts.  A fault of ours would show in every one of them.
set -eu
here=$(dirname "$0")
# shellcheck source=tests/testbed/net.sh
. "$here/../testbed/net.sh"

[ $# -eq 3 ] || { echo "usage: accuracy.sh SOJOURN EMULATOR kernel|socket" >&2; exit 2; }
sojourn=$1 NET_EMULATOR=$2 engine=$3
missing=$(net_missing ping iperf3 python3)
[ -z "$missing" ] || { echo "skipped: $missing"; exit 77; }
if ! why=$("$sojourn" rtt -i lo --engine "$engine" --duration 10ms 2>&1 >/dev/null); then
  echo "skipped: $why"
  exit 77
fi

measure() {
  rm -f "$NET_DIR"/report.json "$NET_DIR"/samples.csv "$NET_DIR"/emulator.csv  # of the attempt before
  net_emulate --delay 10ms --seed 20261115
  ip netns exec "$NET_NAME-server" iperf3 --server --one-off >"$NET_DIR/iperf3.log" 2>&1 &
  ip netns exec "$NET_NAME-client" "$sojourn" rtt -i client0 --engine "$engine" --duration 1min --json \
    --samples "$NET_DIR/samples.csv" >"$NET_DIR/report.json" 2>"$NET_DIR/sojourn.err" &
  local measurement=$!
  local tries
  for ((tries = 0; tries < 100; ++tries)); do # until it has opened all and given up root
    [ "$(awk '/^Uid:/ {print $3}' "/proc/$measurement/status" 2>/dev/null)" != 65534 ] || break
    sleep 0.05
  done
  sleep 0.2

  on_client ping -q -i 0.02 -c 200 "$NET_SERVER" >"$NET_DIR/ping.log" &
  local pings=$!
  on_client iperf3 --client "$NET_SERVER" --time 4 --bitrate 4M >>"$NET_DIR/iperf3.log"
  wait "$pings"
  sleep 0.3 # what was captured last is on its way
  kill -INT "$measurement"
  wait "$measurement" || { echo "sojourn failed: $(cat "$NET_DIR/sojourn.err")" >&2; exit 1; }
  sleep 0.1
  net_stop_emulator
  python3 "$here/check_accuracy.py" "$NET_DIR/report.json" "$NET_DIR/samples.csv" "$NET_DIR/emulator.csv"
}

net_up
# What passes tc is not cut into packets yet, even with offloads off; the emulator counts packets.
ip -n "$NET_NAME-client" link set client0 gso_max_segs 1
for attempt in 1 2 3; do
  echo "attempt $attempt"
  if measure; then exit 0; fi
done
exit 1
