#!/bin/bash
# references_collector.sh SOJOURN EMULATOR: delays by reference packets that go to a collector.
#
#     client (sends references) --- emulator: a link of 20 Mbit/s --- server (observes; the collector is here, too)
#
# What `sojourn query --references` says must be what the point writes itself, also of what waited in its spool until the
# collector came, and every packet must be in the ledger.  A point that is killed is missed, and two of one name are told.
set -eu
here=$(dirname "$0")
# shellcheck source=tests/testbed/net.sh
. "$here/../../testbed/net.sh"
# shellcheck source=tests/live/waiting.sh
. "$here/../waiting.sh"
# shellcheck source=tests/live/references/references_net.sh
. "$here/references_net.sh"
# shellcheck source=tests/live/collector_net.sh
. "$here/../collector_net.sh"

[ $# -eq 2 ] || { echo "usage: references_collector.sh SOJOURN EMULATOR" >&2; exit 2; }
sojourn=$1 NET_EMULATOR=$2
missing=$(net_missing python3)
[ -z "$missing" ] || { echo "skipped: $missing"; exit 77; }
net_up
need_references
net_emulate --delay 100us --forward --rate 20Mbit --queue 512KiB
ip netns exec "$NET_NAME-server" python3 "$here/reference_traffic.py" sink $NET_SERVER $NET_SERVER6 >"$NET_DIR/sink" &
net_wait_for "$NET_DIR/sink" ready

# observe NAMESPACE FILE OPTIONS...: a point called south; its process in $observing.
observe() {
  local namespace=$1 file=$2
  shift 2
  ip netns exec "$NET_NAME-$namespace" "$sojourn" point -i "${namespace}0" --observe-references --every 1s --name south \
    --to $NET_SERVER "$@" >"$NET_DIR/$file.out" 2>"$NET_DIR/$file.err" &
  observing=$!
  await_nobody $observing || fail "no point"
}
send() { on_client python3 "$here/reference_traffic.py" send "$1" 20 0.5 1.5; }

echo "references to a collector that comes later, IPv4 and IPv6"
observe server south --flows "$NET_DIR/flows.csv"
first=$observing
ip netns exec "$NET_NAME-client" "$sojourn" point -i client0 --reference 1-in-50 --reference-to $NET_SERVER \
  >"$NET_DIR/sent" 2>"$NET_DIR/sent.err" &
sender=$!
await_nobody $sender || fail "nobody sends references"
send $NET_SERVER
collect
send $NET_SERVER6
kill -INT $first
wait $first || fail "the point ended with an error"
grep "records sent, 0 left in the spool, 0 thrown away" "$NET_DIR/south.out" || fail "it keeps some"
await_answer /api/v1/health '"references":[1-9]'
await_answer /api/v1/path '"reports":"references","marking":"ended"'
stop_collecting # and all is in the store, the point's last counters as well
"$sojourn" query "$NET_DIR/store.db" --references south --csv >"$NET_DIR/asked.csv" || fail "the store is not asked"
"$sojourn" query "$NET_DIR/store.db" --references --json >"$NET_DIR/asked.json" || fail "nor for all points"
"$sojourn" query "$NET_DIR/store.db" --ledger --json >"$NET_DIR/ledger.json"
"$sojourn" query "$NET_DIR/store.db" --references | head -n 4
python3 "$here/check_references_collector.py" "$NET_DIR/flows.csv" "$NET_DIR/asked.csv" "$NET_DIR/asked.json" \
  "$NET_DIR/ledger.json" || fail "they differ"

echo "two points of one name, and one that is killed"
collect
observe server south
first=$observing
observe client other
other=$observing
await_lines "$NET_DIR/collect.err" 'two points called south report delays by reference packets' 1
await_answer /metrics 'sojourn_ledger_total{point="south",account="same_name"} [1-9]'
kill -INT $first
wait $first || fail "the point ended with an error"
kill -KILL $other
wait $other 2>/dev/null || true
await_lines "$NET_DIR/collect.err" 'south has been silent for' 1
await_answer /metrics 'sojourn_marking_point_silent{point="south"} 1'
kill -INT $sender
wait $sender || fail "the sender ended with an error"
net_stop_emulator 2>"$NET_DIR/emulator.summary"
stop_collecting
cat "$NET_DIR/collect.err"
echo "all well"
