#!/bin/bash
# marking.sh SOJOURN EMULATOR [short|demo]: alternate marking between two hosts with a router between, against the emulator's log.
#
#     client (marks) --- emulator: delay, chosen losses --- server (a router, observes) --- host (restores)
#
# UDP and TCP, IPv4 and IPv6.  Loss of every interval that is given must be exact, delays near the log's; what cannot
# be trusted must say why: a link that goes down, a router that rewrites the DSCP, a marker that is killed.  `short` ends
# before these, and `demo` prints what it measured besides.
set -eu
here=$(dirname "$0")
# shellcheck source=tests/testbed/net.sh
. "$here/../../testbed/net.sh"
# shellcheck source=tests/live/marking/marking_net.sh
. "$here/marking_net.sh"

marking_begin "$@"
part=${3:-all}
# Two more observers, whose clocks are off: by less than the guard band leaves room for, and by more.
offset=(--observe multiplexed --interval 512ms "${flows[@]}")
first_points multiplexed --interval 512ms "${flows[@]}"
start_sink
net_emulate --delay 2ms --jitter 300us --loss 3% --seed 16
await_path

start server server0 ahead "${offset[@]}" --clock-offset=40ms || fail "no observer whose clock is ahead"
others=("$started")
start server server0 behind "${offset[@]}" --clock-offset=-200ms || fail "no observer whose clock is behind"
others+=("$started")

echo "multiplexed in one bit of the DSCP, 3 % loss, UDP and TCP, IPv4 and IPv6"
start_traffic
await_rows last 40
stop_traffic
points+=("${others[@]}")
stop_points
net_stop_emulator
[ "$part" != demo ] || join
[ "$part" != demo ] || cat "$NET_DIR/first.out"
check loss --length 500000000
for clock in ahead behind; do
  "$sojourn" oneway "$NET_DIR/first.csv" "$NET_DIR/$clock.csv" --json >"$NET_DIR/$clock.json" || fail "$clock is not joined"
done
python3 "$here/check_marking.py" clocks --length 500000000 --log "$NET_DIR/emulator.csv" --joined "$NET_DIR/segment.json" \
  --ahead "$NET_DIR/ahead.json" --behind "$NET_DIR/behind.json" || fail clocks
[ "$part" = all ] || exit 0

echo "double marking in two bits, and a link that goes down for some intervals"
net_emulate --delay 500us --loss 2% --seed 17
all_points double --carrier dscp:1,0 --interval 256ms "${flows[@]}"
start_traffic
await_rows last 40
on_middle ip link set left down
await_lines "$NET_DIR/first.csv" 'link-down,.*,""$' 3
on_middle ip link set left up
await_rows last 24
stop_traffic
stop_points
net_stop_emulator
check down --length 250000000 --bits 1,0

echo "a router that clears the DSCP, and one that writes another"
for value in 0 8; do
  cc=$(command -v clang-19 || command -v clang || true)
  if [ -z "$cc" ] || ! "$cc" -O2 -g -target bpf -DVALUE=$value -I"/usr/include/$(uname -m)-linux-gnu" \
    -c "$here/rewriting_router.c" -o "$NET_DIR/router$value.o"; then
    echo "  not tried: no clang"
    break
  fi
  on_server tc qdisc replace dev server1 clsact
  on_server tc filter add dev server1 egress bpf da obj "$NET_DIR/router$value.o" sec tc
  net_emulate --delay 500us --loss 2% --seed 18
  all_points multiplexed --interval 256ms "${flows[@]}"
  start_traffic
  await_rows last 32
  stop_traffic
  stop_points
  net_stop_emulator
  on_server tc qdisc delete dev server1 clsact
  cat "$NET_DIR/last.err"
  grep -q "rewrites" "$NET_DIR/last.err" || fail "the last point does not say that marks are rewritten"
  check rewritten --length 250000000
done

echo "a marker that is killed: marks stop, and nothing of it is left"
net_emulate --delay 500us --seed 19
all_points multiplexed --interval 256ms "${flows[@]}"
start_traffic
await_rows last 40
loaded=$(net_programs "${points[0]}")
kill -KILL "${points[0]}"
wait "${points[0]}" 2>/dev/null || true
date +%s%N >"$NET_DIR/killed"
await_rows last 24
stop_traffic
points=("${points[@]:1}")
stop_points
net_stop_emulator
# shellcheck disable=SC2086  # numbers
[ -n "$loaded" ] && net_await_unloaded $loaded || fail "something of the killed marker is left"
check killed --length 250000000 --killed "$(cat "$NET_DIR/killed")"

echo "intervals that are too short are refused"
if on_client "$sojourn" point -i client0 --mark multiplexed --interval 16ms --clock-error 1ms --largest-delay 5ms \
  2>"$NET_DIR/why"; then
  fail "16 ms with 6 ms of delay and clock error"
fi
cat "$NET_DIR/why"
grep -q "take intervals of 32ms" "$NET_DIR/why" || fail "no advice"
[ "$(wc -l <"$NET_DIR/why")" -eq 1 ] || fail "more than one line"
echo "all well"
