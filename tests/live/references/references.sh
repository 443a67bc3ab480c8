#!/bin/bash
# references.sh SOJOURN EMULATOR [short]: RLI between two live points, over a loaded link.
#
# The emulator's queue is drained at 20 Mbit/s.  One point sends reference packets into it, the other learns every flow's mean
# delay from them, in the kernel.  What each packet's delay was is in the emulator's log.
set -eu
here=$(dirname "$0")
# shellcheck source=tests/testbed/net.sh
. "$here/../../testbed/net.sh"
# shellcheck source=tests/live/references/references_net.sh
. "$here/references_net.sh"

[ $# -ge 2 ] || { echo "usage: references.sh SOJOURN EMULATOR [short]" >&2; exit 2; }
sojourn=$1 NET_EMULATOR=$2
missing=$(net_missing bpftool python3)
[ -z "$missing" ] || { echo "skipped: $missing"; exit 77; }

fail() { echo "FAILED: $*" >&2; exit 1; }
net_up
need_references
mbit=20
ip netns exec "$NET_NAME-server" python3 "$here/reference_traffic.py" sink $NET_SERVER $NET_SERVER6 >"$NET_DIR/sink" &
net_wait_for "$NET_DIR/sink" ready

# measure TO SCHEME: reference packets by a scheme, and how far the flows' means are off.
measure() {
  local to=$1 scheme=$2 sender receiver status=0
  rm -f "$NET_DIR"/flows.csv "$NET_DIR"/emulator.csv
  net_emulate --delay 100us --forward --rate ${mbit}Mbit --queue 512KiB
  ip netns exec "$NET_NAME-server" "$sojourn" point -i server0 --observe-references --capacity ${mbit}Mbit --every 2s \
    --flows "$NET_DIR/flows.csv" --top 3 >"$NET_DIR/received" &
  receiver=$!
  ip netns exec "$NET_NAME-client" "$sojourn" point -i client0 --reference "$scheme" --reference-to "$to" \
    --capacity ${mbit}Mbit >"$NET_DIR/sent" &
  sender=$!
  await_nobody $receiver && await_nobody $sender || fail "they did not start"
  on_client python3 "$here/reference_traffic.py" send "$to" $mbit 0.85 4
  sleep 0.3
  kill -INT $receiver
  wait $receiver
  kill -INT $sender
  wait $sender
  net_stop_emulator 2>"$NET_DIR/emulator.summary"
  cat "$NET_DIR/sent"
  tail -n 5 "$NET_DIR/received"
  python3 "$here/check_references.py" "$NET_DIR/flows.csv" "$NET_DIR/emulator.csv" $mbit "$scheme" || status=$?
  return $status
}

# A machine that stops the sender for long loads the link otherwise than it should: then nothing was shown (status 2), and it
# is tried again.  Where something was shown it has to be right at once.
ways=("$NET_SERVER|1-in-100" "$NET_SERVER6|adaptive")
[ "${3:-}" = short ] || ways+=("$NET_SERVER6|every 5ms" "$NET_SERVER|adaptive")
for way in "${ways[@]}"; do
  for attempt in 1 2 3; do
    echo "reference packets ${way#*|} to ${way%|*}, attempt $attempt"
    status=0
    measure "${way%|*}" "${way#*|}" || status=$?
    [ $status -ne 0 ] || break
    [ $status -eq 2 ] && [ $attempt -lt 3 ] || fail "$way"
  done
done

echo "kill -9 leaves nothing attached"
ip netns exec "$NET_NAME-client" "$sojourn" point -i client0 --reference both --reference-to $NET_SERVER >/dev/null &
sender=$!
ip netns exec "$NET_NAME-server" "$sojourn" point -i server0 --observe-references >/dev/null &
receiver=$!
await_nobody $receiver && await_nobody $sender || fail "they did not start"
# shellcheck disable=SC2207  # numbers
loaded=($(net_programs $sender $receiver))
[ ${#loaded[@]} -ge 2 ] || fail "not attached"
kill -KILL $sender $receiver
wait $sender $receiver 2>/dev/null || true
net_await_unloaded "${loaded[@]}" || fail "something is left"
echo "all well"
