# shellcheck shell=bash
# Three network namespaces in a row, with the emulator in the middle.  Source this file; then
#
#   net_up                          client --- middle --- server, every namespace with its own stack
#   net_emulate --delay 10ms ...    starts sojourn-emulator between them, logs to $NET_DIR/emulator.csv
#   on_client ping 192.0.2.2        runs a command at one end (also on_server, on_middle)
#   net_stop_emulator               ends it, so that its log is whole
#
# In any case the trap at the end of net_up removes everything again: every process that
# still runs in these namespaces, the namespaces, and the scratch folder $NET_DIR.  Names carry the
# process id of the shell, so that several runs do not meet.  Needs root, ip and ethtool.

NET_CLIENT=192.0.2.1 NET_SERVER=192.0.2.2  # RFC 5737, RFC 3849: documentation, routed nowhere
NET_CLIENT6=2001:db8::1 NET_SERVER6=2001:db8::2
NET_EMULATOR=${NET_EMULATOR:-sojourn-emulator}
NET_NAME=sojourn-$$

# Why the testbed cannot run here, or nothing.
net_missing() {
  if [ "$(id -u)" -ne 0 ]; then echo "needs root"; return; fi
  local tool
  for tool in ip ethtool "$@"; do
    command -v "$tool" >/dev/null || { echo "needs $tool"; return; }
  done
  if ip netns add "$NET_NAME-probe" 2>/dev/null; then
    ip -n "$NET_NAME-probe" link add probe0 type veth peer name probe1 2>/dev/null || echo "needs veth interfaces"
    ip netns delete "$NET_NAME-probe"
  else
    echo "needs network namespaces"
  fi
}

on_client() { ip netns exec "$NET_NAME-client" "$@"; }
on_middle() { ip netns exec "$NET_NAME-middle" "$@"; }
on_server() { ip netns exec "$NET_NAME-server" "$@"; }

# net_remove NAMESPACE: with every process in it.
net_remove() {
  local pids
  pids=$(ip netns pids "$1")
  # shellcheck disable=SC2086  # one word per process id
  if [ -n "$pids" ]; then
    kill -TERM $pids 2>/dev/null
    sleep 0.3
    pids=$(ip netns pids "$1")
    [ -z "$pids" ] || kill -KILL $pids 2>/dev/null
  fi
  ip netns delete "$1"
}

net_down() {
  set +e # the rest must go even if a part is gone already
  local end
  for end in client server middle; do
    [ ! -e "/run/netns/$NET_NAME-$end" ] || net_remove "$NET_NAME-$end"
  done
  [ -z "${NET_DIR:-}" ] || rm -rf "$NET_DIR"
}

# Namespaces whose shell was killed before it could tidy up.
net_sweep() {
  local path name owner
  for path in /run/netns/sojourn-[0-9]*-*; do
    [ -e "$path" ] || continue
    name=${path##*/}
    owner=${name#sojourn-}
    [ -d "/proc/${owner%%-*}" ] || net_remove "$name"
  done
}

# net_interface END NAME LAST-DIGIT: addresses, and no unsolicited packets.
net_interface() {
  local namespace=$NET_NAME-$1 device=$2 digit=$3
  ip netns exec "$namespace" ethtool -K "$device" tso off gso off gro off tx off rx off >/dev/null
  ip -n "$namespace" link set "$device" address "02:00:00:00:00:0$digit" addrgenmode none
  ip -n "$namespace" link set lo up
  ip -n "$namespace" link set "$device" up
  [ "$1" = middle ] && return
  ip -n "$namespace" address add "192.0.2.$digit/24" dev "$device"
  ip -n "$namespace" address add "2001:db8::$digit/64" dev "$device" nodad
}

net_up() {
  net_sweep
  NET_DIR=$(mktemp -d /tmp/sojourn-net.XXXXXX)
  trap net_down EXIT
  trap 'exit 130' INT TERM HUP

  local end
  for end in client middle server; do ip netns add "$NET_NAME-$end"; done
  ip link add client0 netns "$NET_NAME-client" type veth peer name left netns "$NET_NAME-middle"
  ip link add server0 netns "$NET_NAME-server" type veth peer name right netns "$NET_NAME-middle"
  on_middle sysctl -qw net.ipv6.conf.all.disable_ipv6=1
  net_interface client client0 1
  net_interface server server0 2
  net_interface middle left 3
  net_interface middle right 4
  # Static neighbours: a lost ARP request would cost a second.
  ip -n "$NET_NAME-client" neighbour add $NET_SERVER lladdr 02:00:00:00:00:02 dev client0
  ip -n "$NET_NAME-client" neighbour add $NET_SERVER6 lladdr 02:00:00:00:00:02 dev client0
  ip -n "$NET_NAME-server" neighbour add $NET_CLIENT lladdr 02:00:00:00:00:01 dev server0
  ip -n "$NET_NAME-server" neighbour add $NET_CLIENT6 lladdr 02:00:00:00:00:01 dev server0
}

# net_wait_for FILE TEXT: until the line is there, 5 seconds at most.
net_wait_for() {
  local tries
  for ((tries = 0; tries < 100; ++tries)); do
    grep -qs -- "$2" "$1" && return
    sleep 0.05
  done
  echo "no '$2' in ${1##*/} after 5 seconds" >&2
  return 1
}

# net_programs PID...: the BPF programs that these processes hold, by number.
net_programs() {
  local pid
  for pid; do cat /proc/"$pid"/fdinfo/* 2>/dev/null; done | awk '/^prog_id:/ {print $2}' | sort -u
}
# net_await_unloaded NUMBER...: the kernel frees programs after a grace period; 10 seconds at most.
net_await_unloaded() {
  local number tries
  for number; do
    for ((tries = 0; tries < 100; ++tries)); do
      bpftool prog show id "$number" >/dev/null 2>&1 || break
      sleep 0.1
    done
    [ "$tries" -lt 100 ] || { echo "program $number is still loaded" >&2; return 1; }
  done
}

net_emulate() {
  # The duration is a safety net: an emulator that is not stopped ends by itself.
  # Not on_middle: for a function in the background we would get the process id of its shell.
  ip netns exec "$NET_NAME-middle" "$NET_EMULATOR" left right --log "$NET_DIR/emulator.csv" --duration 3min "$@" \
    >"$NET_DIR/emulator.out" 2>"$NET_DIR/emulator.err" &
  NET_EMULATOR_PID=$!
  if ! net_wait_for "$NET_DIR/emulator.out" ready; then
    cat "$NET_DIR/emulator.err" >&2
    return 1
  fi
}

net_stop_emulator() {
  kill -TERM "$NET_EMULATOR_PID"
  wait "$NET_EMULATOR_PID"
  cat "$NET_DIR/emulator.err" >&2
}
