#!/bin/bash
# three_points.sh SOJOURN EMULATOR TRANSPORT: three points in a row, and the collector's results.
#
#     client (north) --- veth --- left (mid) --- emulator: 5 ms, 5 % loss --- server (south)
#
# Flows of UDP in both directions, of which `left` sees one: what the emulator sends passes no tap; check_three_points.py compares delays and losses of each segment with the
# emulator's log.  The collector is killed (-9) on the way and started again.
set -eu
here=$(dirname "$0")
# shellcheck source=tests/testbed/net.sh
. "$here/../testbed/net.sh"

[ $# -eq 3 ] || { echo "usage: three_points.sh SOJOURN EMULATOR tcp|tls|udp" >&2; exit 2; }
sojourn=$1 NET_EMULATOR=$2 transport=$3
tools=python3
[ "$transport" != tls ] || tools="python3 certtool"
# shellcheck disable=SC2086  # one word per tool
missing=$(net_missing $tools)
[ -z "$missing" ] || { echo "skipped: $missing"; exit 77; }
"$sojourn" point --help >/dev/null 2>&1 || { echo "skipped: needs sojourn point"; exit 77; }

net_up
# A separate network for the reports, so that they are not measured.
for end in middle server; do
  ip link add "m-$end" netns "$NET_NAME-client" type veth peer name manage netns "$NET_NAME-$end"
  [ $end = middle ] && net=1 || net=2
  ip -n "$NET_NAME-client" address add "198.51.100.$((net * 16 + 1))/28" dev "m-$end"
  ip -n "$NET_NAME-$end" address add "198.51.100.$((net * 16 + 2))/28" dev manage
  ip -n "$NET_NAME-client" link set "m-$end" up
  ip -n "$NET_NAME-$end" link set manage up
done

# Each end has a prefix of its own.
for end in client server; do
  [ $end = client ] && own=1 other=2 || own=2 other=1
  ip -n "$NET_NAME-$end" address add "198.18.$own.1/32" dev "${end}0"
  ip -n "$NET_NAME-$end" route add "198.18.$other.1/32" dev "${end}0" src "198.18.$own.1"
  ip -n "$NET_NAME-$end" neighbour add "198.18.$other.1" lladdr "02:00:00:00:00:0$other" dev "${end}0"
done

files=()
case $transport in
  tls)
    python3 "$here/certificates.py" "$NET_DIR"
    listen=(--tls 0.0.0.0 --certificate "$NET_DIR/collector.pem" --key "$NET_DIR/collector.key" --authority "$NET_DIR/ca.pem")
    files=(--certificate "$NET_DIR/point.pem" --key "$NET_DIR/point.key" --authority "$NET_DIR/ca.pem")
    ;;
  udp) listen=(--udp 0.0.0.0) ;;
  *) listen=(--listen 0.0.0.0) ;;
esac
start_collector() {
  ip netns exec "$NET_NAME-client" "$sojourn" collect "${listen[@]}" --store "$NET_DIR/sojourn.db" --path north,mid,south \
    --wait 8s 2>>"$NET_DIR/collect.err" &
  collector=$!
  net_wait_for "$NET_DIR/collect.err" listening
}
# (The filter excludes packets that the kernels send by themselves.)
start_point() { # NAMESPACE INTERFACE NAME COLLECTOR
  ip netns exec "$NET_NAME-$1" "$sojourn" point -i "$2" --name "$3" --to "$4" --transport "$transport" "${files[@]}" \
    --sampling 1 --inactive 2s --active 10s --every 1s --kind none --filter 'net 198.18.0.0/16' 2>"$NET_DIR/$3.err" &
  points+=($!)
}
points=()
net_emulate --delay 5ms --jitter 2ms --loss 5% --seed 20261116
ip netns exec "$NET_NAME-client" timeout 200 python3 "$here/flows.py" sink &
ip netns exec "$NET_NAME-server" timeout 200 python3 "$here/flows.py" sink &
start_collector
start_point client client0 north 127.0.0.1
start_point middle left mid 198.51.100.17
start_point server server0 south 198.51.100.33
sleep 3
# Killed and restarted before the measured traffic: nothing is counted twice.
on_client python3 "$here/flows.py" send 198.18.2.1 50 1
sleep 4
kill -KILL "$collector"
wait "$collector" 2>/dev/null || true
start_collector
sleep 17 # what began before a point or the collector did is not judged
# Over UDP the points do not notice the restart: the collector knows them only when templates are sent again.
[ "$transport" != udp ] || sleep 35

python3 -c 'import time; print(time.time_ns())' >"$NET_DIR/begin"
on_client python3 "$here/flows.py" send 198.18.2.1 400 10 &
sender=$!
on_server python3 "$here/flows.py" send 198.18.1.1 400 10
wait "$sender"
sleep 30 # until the last flow has ended, been reported and judged
net_stop_emulator
for point in "${points[@]}"; do kill -TERM "$point"; done
for point in "${points[@]}"; do wait "$point" || { cat "$NET_DIR"/*.err >&2; exit 1; }; done
sleep 1
kill -TERM "$collector"
wait "$collector" || { cat "$NET_DIR/collect.err" >&2; exit 1; }
"$sojourn" query "$NET_DIR/sojourn.db" --since 1h --loss --ledger
"$sojourn" query "$NET_DIR/sojourn.db" --since 1h --loss --ledger --by prefix/24 --segment north:mid --segment mid:south \
  --segment north:south --segment south:north --json >"$NET_DIR/answer.json"
python3 "$here/check_three_points.py" "$NET_DIR/answer.json" "$NET_DIR/emulator.csv" "$(cat "$NET_DIR/begin")"
