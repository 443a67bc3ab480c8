#!/bin/bash
# engine.sh SOJOURN EMULATOR: the kernel engine as a guest on somebody's machine.
#
# Each part says what it tried.  Without root, namespaces or leave to load programs it is skipped.
set -eu
here=$(dirname "$0")
# shellcheck source=tests/testbed/net.sh
. "$here/../testbed/net.sh"

[ $# -eq 2 ] || { echo "usage: engine.sh SOJOURN EMULATOR" >&2; exit 2; }
sojourn=$1 NET_EMULATOR=$2
missing=$(net_missing bpftool ping python3 setpriv iperf3)
[ -z "$missing" ] || { echo "skipped: $missing"; exit 77; }

fail() { echo "FAILED: $*" >&2; exit 1; }
measure() { on_client "$sojourn" rtt -i client0 "$@"; }
# The process has given up root: it is attached.  Ten seconds at most.
await_nobody() {
  local tries
  for ((tries = 0; tries < 200; ++tries)); do
    [ "$(awk '/^Uid:/ {print $3}' "/proc/$1/status" 2>/dev/null)" != 65534 ] || return 0
    sleep 0.05
  done
  return 1
}
# The programs in the kernel that a process holds.
programs_of() { awk '/^prog_id:/ {print $2}' /proc/"$1"/fdinfo/* 2>/dev/null | sort -u; }
# await_freed ID...: they are, after a grace period.
await_freed() {
  local id tries
  for id; do
    for ((tries = 0; tries < 100; ++tries)); do
      bpftool prog show id "$id" >/dev/null 2>&1 || continue 2
      sleep 0.1
    done
    fail "program $id is still in the kernel"
  done
}
figure() { python3 -c "import json,sys; r=json.load(open('$1')); print($2)"; }

net_up
if ! measure --engine kernel --duration 10ms >/dev/null 2>"$NET_DIR/why"; then
  echo "skipped: $(cat "$NET_DIR/why")"
  exit 77
fi
net_emulate --delay 5ms --seed 1

echo "privileges: nobody, and no capabilities"
ip netns exec "$NET_NAME-client" "$sojourn" rtt -i client0 --engine kernel --json >"$NET_DIR/first.json" &
first=$!
await_nobody $first || fail "it is still root"
for set in CapPrm CapEff CapInh CapAmb; do
  grep -q "^$set:.0000000000000000$" "/proc/$first/status" || fail "$set is not empty"
done
grep -q "^NoNewPrivs:.1$" "/proc/$first/status" || fail "it could win privileges back"

echo "a second instance measures beside the first"
ip netns exec "$NET_NAME-client" "$sojourn" rtt -i client0 --engine kernel --json >"$NET_DIR/second.json" &
second=$!
await_nobody $second || fail "the second did not start"
on_client ping -q -i 0.02 -c 50 $NET_SERVER >/dev/null
on_client ping -q -i 0.02 -c 50 $NET_SERVER6 >/dev/null
sleep 0.2
kill -INT $second && wait $second
echo "kill -9 leaves nothing attached"
held=$(programs_of $first)
[ -n "$held" ] || fail "it holds no program"
kill -KILL $first
wait $first 2>/dev/null || true
# shellcheck disable=SC2086  # one word per program
await_freed $held
[ "$(figure "$NET_DIR/second.json" "r['kinds']['icmp']['samples']")" -eq 100 ] || fail "not all echoes, IPv4 and IPv6"
[ "$(figure "$NET_DIR/second.json" "r['engine']['name']")" = kernel ] || fail "not in the kernel"

[ "$(figure "$NET_DIR/second.json" "r['engine']['kernel_bytes'] <= 16 << 20")" = True ] || fail "more than --memory in the kernel"

echo "xdp on both sides of a way, joined: about 5 ms to the server"
ip netns exec "$NET_NAME-middle" "$sojourn" rtt -i left -i right --hook xdp --engine kernel --json >"$NET_DIR/xdp.json" &
both=$!
await_nobody $both || fail "xdp did not start"
on_client ping -q -i 0.02 -c 50 $NET_SERVER >/dev/null
sleep 0.2
kill -INT $both && wait $both
figure "$NET_DIR/xdp.json" "r['engine']['how']"
[ "$(figure "$NET_DIR/xdp.json" "r['kinds']['icmp']['samples']")" -eq 50 ] || fail "not all echoes by xdp"
[ "$(figure "$NET_DIR/xdp.json" "4.9e6 < r['kinds']['icmp']['quantiles'][2]['delay_ns'] < 9e6")" = True ] ||
  fail "not one way and the server: $(figure "$NET_DIR/xdp.json" "r['kinds']['icmp']['quantiles'][2]")"

echo "a foreign XDP program stays"
cc=$(command -v clang-19 || command -v clang || true)
if [ -n "$cc" ] && "$cc" -O2 -target bpf -c "$here/foreign_xdp.c" -o "$NET_DIR/foreign.o" &&
  on_middle ip link set dev left xdp obj "$NET_DIR/foreign.o" sec xdp; then
  if on_middle "$sojourn" rtt -i left --hook xdp --engine kernel --duration 1s >/dev/null 2>"$NET_DIR/why"; then
    fail "it took the place of another program"
  fi
  cat "$NET_DIR/why"
  grep -q "another XDP program is attached and stays" "$NET_DIR/why" || fail "no word about the other program"
  [ "$(wc -l <"$NET_DIR/why")" -eq 1 ] || fail "more than one line"
  on_middle "$sojourn" rtt -i left --engine kernel --duration 100ms >/dev/null || fail "tc beside a foreign XDP program"
  on_middle ip link show left | grep -q "name foreign" || fail "the foreign program is gone"
  on_middle ip link set dev left xdp off
else
  echo "  not tried: no clang, or ip cannot load programs"
fi

echo "no type information of the kernel (BTF): none is needed"
# shellcheck disable=SC2016  # the inner shell's
on_client sh -c 'mount -t tmpfs none /sys/kernel/btf && [ -z "$(ls /sys/kernel/btf)" ] && exec "$@"' sh \
  "$sojourn" rtt -i client0 --engine kernel --duration 100ms >/dev/null || fail "it needs the kernel's BTF"

echo "tags: echoes in a VLAN" # over a link of its own: the emulator's sockets lose tags
ip link add tagged0 netns "$NET_NAME-client" type veth peer name tagged1 netns "$NET_NAME-server"
ip -n "$NET_NAME-client" link set tagged0 up
ip -n "$NET_NAME-server" link set tagged1 up
ip netns exec "$NET_NAME-client" "$sojourn" rtt -i tagged0 --engine kernel --by vlan --json >"$NET_DIR/vlan.json" &
tagged=$!
await_nobody $tagged || fail "it did not start"
on_server python3 "$here/tagged_echo.py" answer tagged1 &
answering=$!
sleep 0.3
on_client python3 "$here/tagged_echo.py" ask tagged0 7 40 || fail "no answers in the VLAN"
wait $answering || true
sleep 0.2
kill -INT $tagged && wait $tagged
figure "$NET_DIR/vlan.json" "[(g['group'], g['kind'], g['samples']) for g in r['groups']]"
[ "$(figure "$NET_DIR/vlan.json" "[(g['samples']) for g in r['groups'] if '7' in g['group']]")" = "[40]" ] ||
  fail "not all echoes of the VLAN"

echo "missing capabilities"
if on_client setpriv --reuid 65534 --regid 65534 --clear-groups "$sojourn" rtt -i client0 --engine kernel \
  --duration 1s >/dev/null 2>"$NET_DIR/why"; then
  fail "an ordinary user may load programs?"
fi
cat "$NET_DIR/why"
grep -q "CAP_BPF.*setcap" "$NET_DIR/why" || fail "no word about capabilities"

echo "histograms: delays added up in the kernel, and too little memory for them"
ip netns exec "$NET_NAME-client" "$sojourn" rtt -i client0 --engine kernel --kernel-output histograms --json >"$NET_DIR/histograms.json" &
counted=$!
await_nobody $counted || fail "it did not start"
on_client ping -q -i 0.02 -c 50 $NET_SERVER >/dev/null
on_client ping -q -i 0.02 -c 50 $NET_SERVER6 >/dev/null
sleep 0.2
kill -INT $counted && wait $counted
figure "$NET_DIR/histograms.json" "r['engine']['how']"
[ "$(figure "$NET_DIR/histograms.json" "r['kinds']['icmp']['samples']")" -eq 100 ] || fail "not all echoes in the histograms"
[ "$(figure "$NET_DIR/histograms.json" "9.9e6 < r['kinds']['icmp']['quantiles'][2]['delay_ns'] < 14e6")" = True ] ||
  fail "not 10 ms: $(figure "$NET_DIR/histograms.json" "r['kinds']['icmp']['quantiles'][2]")"
if measure --engine kernel --kernel-output histograms --memory 1MiB --duration 10ms >/dev/null 2>"$NET_DIR/why"; then
  fail "histograms of all kinds in 1 MiB?"
fi
cat "$NET_DIR/why"
grep -q "needs --memory 7MiB or more, or fewer kinds" "$NET_DIR/why" || fail "no word about memory"

echo "the interface goes away"
ip netns exec "$NET_NAME-client" "$sojourn" rtt -i client0 --engine kernel --duration 1min >"$NET_DIR/gone" &
gone=$!
await_nobody $gone
held=$(programs_of $gone)
[ -n "$held" ] || fail "it holds no program"
ip -n "$NET_NAME-client" link delete client0
wait $gone
grep -q "client0: the interface is gone" "$NET_DIR/gone" || fail "no word about the interface"
# shellcheck disable=SC2086  # one word per program
await_freed $held
echo "all well"
