#!/bin/bash
# agreement.sh SOJOURN EMULATOR: both engines measure the same packets, and their figures agree.
#
# IPv4 and IPv6 through the emulator, then bulk transfers over a direct link with offloads on and off.
set -eu
here=$(dirname "$0")
# shellcheck source=tests/testbed/net.sh
. "$here/../testbed/net.sh"

[ $# -eq 2 ] || { echo "usage: agreement.sh SOJOURN EMULATOR" >&2; exit 2; }
sojourn=$1 NET_EMULATOR=$2
missing=$(net_missing python3 iperf3)
[ -z "$missing" ] || { echo "skipped: $missing"; exit 77; }

net_up
if ! on_client "$sojourn" rtt -i client0 --engine kernel --duration 10ms >/dev/null 2>"$NET_DIR/why"; then
  echo "skipped: $(cat "$NET_DIR/why")"
  exit 77
fi

# both_engines INTERFACE COMMAND...: measure it; the reports go to kernel.json and socket.json.
both_engines() {
  local interface=$1 engine tries pids=()
  shift
  for engine in kernel socket; do
    ip netns exec "$NET_NAME-client" "$sojourn" rtt -i "$interface" --engine $engine --json >"$NET_DIR/$engine.json" &
    pids+=($!)
    for ((tries = 0; tries < 200; ++tries)); do # until it has opened all and given up root
      [ "$(awk '/^Uid:/ {print $3}' "/proc/$!/status" 2>/dev/null)" != 65534 ] || break
      sleep 0.05
    done
  done
  sleep 0.2
  "$@"
  sleep 0.3
  kill -INT "${pids[@]}"
  wait "${pids[@]}"
}

net_emulate --delay 5ms --seed 1
for address in $NET_SERVER $NET_SERVER6; do
  echo "many conversations with $address"
  ip netns exec "$NET_NAME-server" python3 "$here/echo_traffic.py" serve "$address" >"$NET_DIR/serve-$address" 2>&1 &
  net_wait_for "$NET_DIR/serve-$address" ready
  both_engines client0 on_client python3 "$here/echo_traffic.py" ask "$address" 80 8
  python3 "$here/check_agreement.py" "$NET_DIR/kernel.json" "$NET_DIR/socket.json" tcp handshake tcp-ts
done

ip link add direct0 netns "$NET_NAME-client" type veth peer name direct1 netns "$NET_NAME-server"
ip -n "$NET_NAME-client" address add 198.51.100.1/24 dev direct0
ip -n "$NET_NAME-server" address add 198.51.100.2/24 dev direct1
ip -n "$NET_NAME-client" link set direct0 up
ip -n "$NET_NAME-server" link set direct1 up
for state in on off; do
  echo "bulk transfer, offloads $state"
  on_client ethtool -K direct0 tso $state gso $state gro $state >/dev/null
  on_server ethtool -K direct1 tso $state gso $state gro $state >/dev/null
  # The stack makes super-packets also where no device divides them, and tc sees those; not so with this.
  [ $state = on ] || ip -n "$NET_NAME-client" link set direct0 gso_max_segs 1
  ip netns exec "$NET_NAME-server" iperf3 --server --one-off >"$NET_DIR/iperf3.log" 2>&1 &
  sleep 0.3
  both_engines direct0 on_client iperf3 --client 198.51.100.2 --time 2 --bitrate 400M >>"$NET_DIR/iperf3.log"
  python3 "$here/check_agreement.py" "$NET_DIR/kernel.json" "$NET_DIR/socket.json" --offloads $state
done
echo "all well"
