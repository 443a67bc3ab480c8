#!/bin/bash
# point_engines.sh SOJOURN: two points on one interface, one that selects in the kernel and one from a socket.
#
# They select the same packets and write the same records: the collector takes them for a segment on which nothing is lost.
set -eu
here=$(dirname "$0")
# shellcheck source=tests/testbed/net.sh
. "$here/../testbed/net.sh"

[ $# -eq 1 ] || { echo "usage: point_engines.sh SOJOURN" >&2; exit 2; }
sojourn=$1
missing=$(net_missing python3)
[ -z "$missing" ] || { echo "skipped: $missing"; exit 77; }

net_up
ip link add direct0 netns "$NET_NAME-client" type veth peer name direct1 netns "$NET_NAME-server"
for end in client server; do
  [ $end = client ] && digit=1 device=direct0 other=2 || digit=2 device=direct1 other=1
  ip netns exec "$NET_NAME-$end" sysctl -qw "net.ipv6.conf.$device.router_solicitations=0"
  net_interface $end $device $digit
  ip -n "$NET_NAME-$end" address delete "192.0.2.$digit/24" dev $device
  ip -n "$NET_NAME-$end" address add "198.51.100.$digit/24" dev $device
  ip -n "$NET_NAME-$end" neighbour add "198.51.100.$other" lladdr "02:00:00:00:00:0$other" dev $device
  # Packets inside of others are for user space to find.
  ip -n "$NET_NAME-$end" link add tunnel0 type vxlan id 7 dstport 4789 remote "198.51.100.$other" dev $device
  ip -n "$NET_NAME-$end" link set tunnel0 addrgenmode none
  ip -n "$NET_NAME-$end" link set tunnel0 up
  ip -n "$NET_NAME-$end" address add "203.0.113.$digit/24" dev tunnel0
done

ip netns exec "$NET_NAME-client" "$sojourn" collect --listen 127.0.0.1 --store "$NET_DIR/sojourn.db" --wait 3s 2>"$NET_DIR/collect.err" &
collector=$!
net_wait_for "$NET_DIR/collect.err" listening
points=()
for engine in kernel socket; do
  ip netns exec "$NET_NAME-client" "$sojourn" point -i direct0 --engine $engine --name $engine --to 127.0.0.1 --sampling 0.3 \
    --inactive 1s --every 200ms --kind icmp >"$NET_DIR/$engine.out" 2>"$NET_DIR/$engine.err" &
  pid=$!
  for ((tries = 0; tries < 200; ++tries)); do # until it has opened all and given up root
    [ -e /proc/$pid ] || break
    [ "$(awk '/^Uid:/ {print $3}' /proc/$pid/status 2>/dev/null)" != 65534 ] || break
    sleep 0.05
  done
  if [ ! -e /proc/$pid ]; then
    [ $engine = kernel ] || { cat "$NET_DIR/$engine.err" >&2; exit 1; }
    echo "skipped: $(cat "$NET_DIR/$engine.err")"
    exit 77
  fi
  points+=($pid)
done

ip netns exec "$NET_NAME-server" python3 "$here/echo_traffic.py" serve 198.51.100.2 >"$NET_DIR/serve" 2>&1 &
ip netns exec "$NET_NAME-server" python3 "$here/../collector/flows.py" sink &
net_wait_for "$NET_DIR/serve" ready
on_client python3 "$here/echo_traffic.py" ask 198.51.100.2 80 8
on_client python3 "$here/../collector/flows.py" send 198.51.100.2 300 1
on_client ping -q -i 0.01 -c 100 198.51.100.2 >/dev/null
on_client ping -q -i 0.01 -c 100 203.0.113.2 >/dev/null
sleep 2 # the last flow has ended and was reported
kill -TERM "${points[@]}"
for point in "${points[@]}"; do wait "$point" || { cat "$NET_DIR"/*.err >&2; exit 1; }; done
cat "$NET_DIR/kernel.out" "$NET_DIR/socket.out"
sleep 1
kill -TERM "$collector"
wait "$collector" || { cat "$NET_DIR/collect.err" >&2; exit 1; }
"$sojourn" query "$NET_DIR/sojourn.db" --since 1h --loss --ledger
"$sojourn" query "$NET_DIR/sojourn.db" --since 1h --loss --ledger --json >"$NET_DIR/answer.json"
python3 "$here/check_point_engines.py" "$NET_DIR/answer.json"
