#!/bin/bash
# watch.sh SOJOURN EMULATOR: `sojourn watch` at the client's end of a path of 10 ms each way.  The page's API, /metrics
# and, after the end, the store have to match the emulator's log; the kernel may drop no packet.  Then it continues with
# the same store and is killed: nothing stays attached, and all that was stored can be read.
set -euo pipefail
sojourn=$(realpath "$1")
NET_EMULATOR=$(realpath "$2")
export NET_EMULATOR
here=$(dirname "$(realpath "$0")")
# shellcheck source=../testbed/net.sh
. "$here/../testbed/net.sh"
missing=$(net_missing ping curl python3)
[ -z "$missing" ] || { echo "skipped: $missing"; exit 77; }
net_up
net_emulate --delay 10ms --seed 17
start_watch() {
  rm -f "$NET_DIR/watch.err"
  ip netns exec "$NET_NAME-client" "$sojourn" watch -i client0 --store "$NET_DIR/sojourn.db" --web 8080 --kind icmp \
    >"$NET_DIR/watch.out" 2>"$NET_DIR/watch.err" &
  watch=$!
  net_wait_for "$NET_DIR/watch.err" 'http://127.0.0.1:8080/' ||
    { cat "$NET_DIR/watch.err"; grep -q 'without a web server' "$NET_DIR/watch.err" && exit 77; exit 1; }
}
ask() { on_client curl -s --max-time 20 "http://127.0.0.1:8080/$1"; }
# wait_for_samples NUMBER: until the page shows so many; they come with a report every 5 s.
wait_for_samples() {
  local tries
  for ((tries = 0; tries < 100; ++tries)); do
    ask 'api/v1/heatmap?subject=client0&kind=icmp' >"$NET_DIR/heatmap.json"
    python3 -c 'import json, sys; sys.exit(sum(json.load(open(sys.argv[1]))["cells"]["weight"]) < float(sys.argv[2]))' \
      "$NET_DIR/heatmap.json" "$1" && return
    sleep 0.2
  done
  echo "no $1 samples after 20 s: $(cat "$NET_DIR/heatmap.json")"
  exit 1
}
start_watch
on_client ping -q -i 0.01 -c 400 "$NET_SERVER" >/dev/null
wait_for_samples 400
ask api/v1/health >"$NET_DIR/health.json"
ask metrics >"$NET_DIR/metrics.txt"
kill -TERM "$watch"
wait "$watch" || { cat "$NET_DIR/watch.err"; exit 1; }
"$sojourn" query "$NET_DIR/sojourn.db" --json >"$NET_DIR/query.json"
python3 - "$NET_DIR" <<'PYTHON'
import json, re, sys
folder = sys.argv[1]
health = json.load(open(f"{folder}/health.json"))["process"]
heatmap = json.load(open(f"{folder}/heatmap.json"))
metrics = open(f"{folder}/metrics.txt").read()
row = json.load(open(f"{folder}/query.json"))["subjects"][0]["rows"][0]
samples = sum(heatmap["cells"]["weight"])
counted = float(re.search(r'sojourn_delay_seconds_count\{subject="client0",kind="icmp",leg="server"\} (\S+)', metrics)[1])
medians = [m / 1e6 for m in heatmap["series"]["median_ns"] if m]
print(f"{samples:.0f} samples on the page, {counted:.0f} in the metrics, {row['weight']} in the store; medians {medians} ms")
assert samples == counted == row["weight"] == 400, "each of the 400 pings once"
assert medians and all(19.5 < m < 30 for m in medians), "20 ms there and back"
assert health["dropped_by_kernel"] == 0 and health["packets"] >= 800, health
assert row["prefix"] is None and 19.5e6 < row["quantiles"][0]["delay_ns"] < 30e6
PYTHON

attached() { # packet sockets, promiscuous mode, programs on the interface
  on_client tail -n +2 /proc/net/packet
  ip -n "$NET_NAME-client" -d link show client0 | grep -oE 'promiscuity [1-9][0-9]*|prog/xdp.*|xdp[a-z]*/id:[0-9]+' || true
  on_client tc filter show dev client0 ingress 2>/dev/null
  on_client tc filter show dev client0 egress 2>/dev/null
}
start_watch
[ -n "$(attached)" ] || { echo "nothing is attached while it measures: this check cannot fail"; exit 1; }
on_client ping -q -i 0.01 -c 100 "$NET_SERVER" >/dev/null
wait_for_samples 500
kill -KILL "$watch"
wait "$watch" 2>/dev/null || true
[ -z "$(attached)" ] || { echo "killed, and still attached:"; attached; exit 1; }
weight() { "$sojourn" query "$NET_DIR/sojourn.db" --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["subjects"][0]["rows"][0]["weight"])'; }
[ "$(weight)" = 500 ] || { echo "after it was killed the store has $(weight) samples, not 500"; exit 1; }
start_watch # on the same store, as if nothing had been
on_client ping -q -i 0.01 -c 50 "$NET_SERVER" >/dev/null
wait_for_samples 550
kill -TERM "$watch"
wait "$watch" || { cat "$NET_DIR/watch.err"; exit 1; }
[ "$(weight)" = 550 ] || { echo "after it went on the store has $(weight) samples, not 550"; exit 1; }
echo "killed with 500 samples stored, went on to $(weight)"
