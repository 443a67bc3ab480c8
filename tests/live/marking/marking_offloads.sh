#!/bin/bash
# marking_offloads.sh SOJOURN: marks in packets that the stack hands over whole and divides later.
#
#     client (marks) --- router (observes) --- host (restores; no offloads: real checksums, one packet at a time)
#
# A bulk transfer by TCP.  Its content arrives as it was sent, no checksum is wrong, and all points count what tcpdump
# sees at the host.  Marks in the DSCP and in the option of IPv6; super-packets divided at the client or by the router;
# and through a tunnel, where the host has summed up the whole packet before (CHECKSUM_COMPLETE), as many network cards do.  A
# wrong sum of that kind harms nothing by itself; that ours are right is shown by sojourn-replay-marking.
set -eu
here=$(dirname "$0")
# shellcheck source=tests/testbed/net.sh
. "$here/../../testbed/net.sh"
[ $# -eq 1 ] || { echo "usage: marking_offloads.sh SOJOURN" >&2; exit 2; }
sojourn=$1
missing=$(net_missing python3 tcpdump ethtool nstat)
[ -z "$missing" ] || { echo "skipped: $missing"; exit 77; }

# shellcheck source=tests/live/marking/router_net.sh
. "$here/router_net.sh"
router_net_up
on router ethtool -K router1 tx off gso off tso off gro off >/dev/null
on host ethtool -K host0 tx off rx off gro off gso off tso off >/dev/null
# A tunnel from end to end.  Its outer checksum, once verified, tells the sum of what is inside.
for place in "client client0 192.0.2.1 192.0.3.2 1" "host host0 192.0.3.2 192.0.2.1 2"; do
  # shellcheck disable=SC2086  # five words
  set -- $place
  ip -n "$NET_NAME-$1" link add tunnel0 type vxlan id 16 local "$3" remote "$4" dstport 4789 udpcsum
  ip -n "$NET_NAME-$1" link set tunnel0 up
  ip -n "$NET_NAME-$1" address add "198.51.100.$5/24" dev tunnel0
  ip -n "$NET_NAME-$1" address add "2001:db8:16::$5/64" dev tunnel0 nodad
done

# packets NAME: all that the point has counted.
packets() {
  python3 - "$NET_DIR/$1.csv" <<'END'
import csv, sys
with open(sys.argv[1], encoding="utf-8") as file:
    rows = csv.DictReader(line for line in file if not line.startswith("#"))
    print(sum(int(row["packets"]) for row in rows if row.get("packets")))
END
}

# transfer TITLE FIRST LAST HOST FILTER OPTIONS...: FIRST and LAST are interfaces, FILTER is tcpdump's for one packet.
transfer() {
  local title=$1 first=$2 last=$3 to=$4 filter=$5 wire sent
  shift 5
  local flow=(--flow "destination=$to,protocol=tcp")
  rm -f "$NET_DIR"/*.csv "$NET_DIR/digest"
  points=()
  first_point client "$first" first --mark "$@" "${flow[@]}"
  [ "$first" = tunnel0 ] || point router router0 mid --observe "$@" "${flow[@]}" || fail "no observer"
  point host "$last" last --restore "$@" "${flow[@]}" || fail "no point at the end"
  ip netns exec "$NET_NAME-host" tcpdump -U -s 128 -B 65536 -i "$last" -w /dev/null "$filter" 2>"$NET_DIR/tcpdump.err" &
  local listener=$!
  await_lines "$NET_DIR/tcpdump.err" listening 1
  ip netns exec "$NET_NAME-host" timeout 100 python3 "$here/bulk_transfer.py" receive "$NET_DIR/digest" &
  local receiver=$!
  sent=$(on client timeout 100 python3 "$here/bulk_transfer.py" send "$to" 24) || fail "$title: nothing is sent"
  wait $receiver || fail "$title: nothing arrives"
  sleep 0.3 # the last acknowledgments
  kill -INT "${points[@]}"
  kill -TERM $listener
  wait "${points[@]}" || fail "$title: a point ended with an error"
  wait $listener || true
  grep -q "^0 packets dropped by kernel" "$NET_DIR/tcpdump.err" || { echo "  $title: tcpdump lost packets"; return 1; }
  [ "$sent" = "$(cat "$NET_DIR/digest")" ] || fail "$title: the content differs"
  wire=$(awk '/packets received by filter/ { print $1 }' "$NET_DIR/tcpdump.err")
  local counts called
  counts="first $(packets first)"
  [ "$first" = tunnel0 ] || counts+=", mid $(packets mid)"
  counts+=", last $(packets last)"
  echo "  $title: tcpdump $wire, $counts packets"
  for called in first mid last; do
    [ ! -e "$NET_DIR/$called.csv" ] || [ "$(packets $called)" = "$wire" ] || fail "$title: $called counts something else"
  done
  [ "$wire" -ge 15000 ] || fail "$title: 24 MB are more packets than $wire"
}
# Three attempts: a machine that stops tcpdump makes it lose packets.
try() {
  transfer "$@" || transfer "$@" || transfer "$@" || fail "$1: tcpdump loses packets"
}

dscp=(double --carrier "dscp:1,0" --interval 256ms)
option=(double --carrier hop-by-hop --interval 256ms)

echo "super-packets that the router divides"
try "IPv4, DSCP" client0 host0 192.0.3.2 "tcp dst port 5017" "${dscp[@]}"
try "IPv6, DSCP" client0 host0 2001:db8:1::2 "tcp dst port 5017" "${dscp[@]}"
try "IPv6, option" client0 host0 2001:db8:1::2 "ip6[6] = 0 and dst host 2001:db8:1::2" "${option[@]}"
echo "super-packets that the client divides, behind the marks"
on client ethtool -K client0 tso off >/dev/null
try "IPv4, DSCP" client0 host0 192.0.3.2 "tcp dst port 5017" "${dscp[@]}"
try "IPv6, option" client0 host0 2001:db8:1::2 "ip6[6] = 0 and dst host 2001:db8:1::2" "${option[@]}"
echo "through a tunnel, with the sum of the whole packet"
on host ethtool -K tunnel0 gro off >/dev/null
try "IPv4, DSCP" tunnel0 tunnel0 198.51.100.2 "tcp dst port 5017" "${dscp[@]}"
try "IPv6, DSCP" tunnel0 tunnel0 2001:db8:16::2 "tcp dst port 5017" "${dscp[@]}"
try "IPv6, option" tunnel0 tunnel0 2001:db8:16::2 "ip6[6] = 0 and dst host 2001:db8:16::2" "${option[@]}"

for counter in TcpInCsumErrors Icmp6InCsumErrors UdpInCsumErrors Ip6InHdrErrors IpInHdrErrors; do
  [ "$(on host nstat -asz "$counter" | awk -v c="$counter" '$1 == c { print $2 }')" = 0 ] || fail "$counter is not 0"
done
echo "all well"
