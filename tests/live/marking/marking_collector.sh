#!/bin/bash
# marking_collector.sh SOJOURN EMULATOR: marks that go to a collector, and a marker that dies.
#
#     client (marks) --- emulator: delay, losses --- server (observes; the collector is here, too) --- host (restores)
#
# What `sojourn query --marks` says must be what `sojourn oneway` says of the points' own files, also of what waited in
# spools until the collector came.  A point that is killed is missed, one that ends is not; traffic goes on either way.
set -eu
here=$(dirname "$0")
# shellcheck source=tests/testbed/net.sh
. "$here/../../testbed/net.sh"
# shellcheck source=tests/live/marking/marking_net.sh
. "$here/marking_net.sh"
# shellcheck source=tests/live/collector_net.sh
. "$here/../collector_net.sh"

marking_begin "$@"
# UDP alone: what goes to the collector is TCP, and of no monitored flow.
udp=(--flow "destination=198.51.100.0/24,protocol=udp" --flow "destination=2001:db8:1::/64,protocol=udp")
options=(multiplexed --interval 256ms "${udp[@]}" --to $NET_SERVER)
first_points "${options[@]}"
start_sink
net_emulate --delay 2ms --loss 3% --seed 24
await_path

echo "marks to a collector that comes later, 3 % loss"
start_traffic
await_rows last 6
collect
await_rows last 6
stop_traffic
stop_points
for point in first mid last; do
  grep -q "records sent, 0 left in the spool, 0 thrown away" "$NET_DIR/$point.out" || fail "$point keeps some"
  await_answer /api/v1/health "\"point\":\"$point\""
done
join --json >"$NET_DIR/joined.json" || fail "the files are not joined"
"$sojourn" query "$NET_DIR/store.db" --marks first:mid:last --json >"$NET_DIR/asked.json" || fail "the store is not asked"
python3 "$here/check_marking_collector.py" same "$NET_DIR/joined.json" "$NET_DIR/asked.json" || fail "they differ"
"$sojourn" query "$NET_DIR/store.db" --ledger >"$NET_DIR/ledger"
[ "$(grep -c "It adds up" "$NET_DIR/ledger")" -eq 3 ] || { cat "$NET_DIR/ledger"; fail "the ledgers do not add up"; }
[ "$(grep -c "Marking: ended" "$NET_DIR/ledger")" -eq 3 ] || { cat "$NET_DIR/ledger"; fail "nobody said goodbye"; }
if grep silent "$NET_DIR/collect.err"; then fail "a point that ended is called silent"; fi

echo "a marker that is killed: traffic goes on, and the collector says so"
all_points "${options[@]}" || fail "no points"
start_traffic
await_rows last 4
await_answer /metrics 'sojourn_marking_point_silent{point="first"} 0'
kill -KILL "${points[0]}"
wait "${points[0]}" 2>/dev/null || true
await_lines "$NET_DIR/collect.err" 'first has been silent for' 1
await_answer /metrics 'sojourn_marking_point_silent{point="first"} 1'
await_answer /metrics 'sojourn_marking_point_silent{point="last"} 0'
await_answer /api/v1/path '"marking":"silent","name":"first"\|"name":"first".*"marking":"silent"'
await_rows last 4
python3 "$here/check_marking_collector.py" flowing "$NET_DIR/last.csv" || fail "traffic does not go on"
start client client0 first --mark "${options[@]}" || fail "no second marker"
points[0]=$started
await_lines "$NET_DIR/collect.err" 'first reports again' 1
await_answer /metrics 'sojourn_marking_point_silent{point="first"} 0'
stop_traffic
stop_points
net_stop_emulator
stop_collecting
[ "$(grep -c "silent for" "$NET_DIR/collect.err")" -eq 1 ] || { cat "$NET_DIR/collect.err"; fail "others are called silent"; }
cat "$NET_DIR/collect.err"
echo "all well"
