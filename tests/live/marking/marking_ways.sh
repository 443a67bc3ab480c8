#!/bin/bash
# marking_ways.sh SOJOURN EMULATOR: alternate marking over ways that are not kind, against the emulator's log.
#
# Packets that overtake each other across the edges of intervals, copies made on the way, 10 000 flows, and delays from
# those of a wire to 100 ms.  Loss of every interval that is given is exact, delays are those of the log.
set -eu
here=$(dirname "$0")
# shellcheck source=tests/testbed/net.sh
. "$here/../../testbed/net.sh"
# shellcheck source=tests/live/marking/marking_net.sh
. "$here/marking_net.sh"

marking_begin "$@"
double=(double --carrier dscp:1,0)
first_points "${double[@]}" --interval 256ms --copies "${flows[@]}"
start_sink

echo "one in five takes 40 ms longer, 3 % come twice, 3 % are lost"
net_emulate --delay 2ms --reorder 20%,40ms --duplicate 3% --loss 3% --seed 20
await_path
start_traffic
await_rows last 40
stop_traffic
stop_points
net_stop_emulator
check unkind --length 250000000 --bits 1,0
# Who does not look for copies takes them for packets that arrived: the check above can fail.
for point in first mid last; do
  awk -F, -v OFS=, 'NR > 1 { $21 = "" } { print }' "$NET_DIR/$point.csv" >"$NET_DIR/blind"
  mv "$NET_DIR/blind" "$NET_DIR/$point.csv"
done
if (check unkind --length 250000000 --bits 1,0) >"$NET_DIR/blind" 2>&1; then fail "copies are not missed"; fi
grep -q "in the log" "$NET_DIR/blind" || { cat "$NET_DIR/blind"; fail "copies are missed for another reason"; }

echo "the option of RFC 9343, put in by the first point and taken out by the last"
net_emulate --delay 2ms --loss 3% --seed 23
all_points double --carrier hop-by-hop --interval 256ms "${flows[@]:2:2}" "${flows[@]:6:2}" || fail "no points with the option"
start_traffic
await_rows last 24
stop_traffic
stop_points
net_stop_emulator
check option --length 250000000 --bits option
grep "no room for the option" "$NET_DIR/first.out" || fail "nothing is said about packets that were too long"
if grep option "$NET_DIR/sink"; then fail "packets arrive with the option"; fi

echo "10 000 flows"
many=()
for ((port = 10000; port < 20000; ++port)); do many+=(--flow "destination-port=$port,protocol=udp"); done
# One bit as well: a pulse that arrives behind its quarter would make all flows doubt their clocks.
for way in "double --carrier dscp:1,0|1,0" "multiplexed|0"; do
  echo "  ${way%|*}"
  net_emulate --delay 2ms --loss 3% --seed 21
  # shellcheck disable=SC2086  # words
  all_points ${way%|*} --interval 512ms "${many[@]}" || fail "no points for 10 000 flows"
  start_traffic ports
  await_rows last 8000
  stop_traffic
  stop_points
  net_stop_emulator
  check many --length 500000000 --bits "${way#*|}"
done

# The marks' delays, from next to nothing to 100 ms.
for delay in 0ms 100ms; do
  echo "a way of $delay"
  net_emulate --delay $delay --loss 1% --seed 22
  all_points "${double[@]}" --interval 512ms "${flows[@]}"
  start_traffic
  await_rows last 20
  stop_traffic
  stop_points
  net_stop_emulator
  "$sojourn" oneway "$NET_DIR/mid.csv" "$NET_DIR/last.csv" --json >"$NET_DIR/wire.json" || fail "the wire's ends are not joined"
  check delay --length 500000000 --bits 1,0 --wire "$NET_DIR/wire.json" --least "$delay"
done
echo "all well"
