#!/bin/bash
# watch.sh SOJOURN EMULATOR: `sojourn watch` at the client's end of a path of 10 ms each way.  The page's API, /metrics
# and, after the end, the store have to tell what the emulator did; the kernel may drop no packet.
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
ip netns exec "$NET_NAME-client" "$sojourn" watch -i client0 --store "$NET_DIR/sojourn.db" --web 8080 --kind icmp \
  >"$NET_DIR/watch.out" 2>"$NET_DIR/watch.err" &
watch=$!
net_wait_for "$NET_DIR/watch.err" 'open http://127.0.0.1:8080/' ||
  { cat "$NET_DIR/watch.err"; grep -q 'without a web server' "$NET_DIR/watch.err" && exit 77; exit 1; }
on_client ping -q -i 0.02 -c 400 "$NET_SERVER" >/dev/null
sleep 6 # until the next report
on_client curl -s --max-time 20 http://127.0.0.1:8080/api/v1/health >"$NET_DIR/health.json"
on_client curl -s --max-time 20 'http://127.0.0.1:8080/api/v1/heatmap?subject=client0&kind=icmp' >"$NET_DIR/heatmap.json"
on_client curl -s --max-time 20 http://127.0.0.1:8080/metrics >"$NET_DIR/metrics.txt"
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
