#!/bin/bash
# intervals.sh SOJOURN EMULATOR: -i with --json --every, several interfaces and any, in both engines.
#
# Nothing is waited for by time alone: lines are read as they come.  Without root or namespaces it is skipped.
set -eu
here=$(dirname "$0")
# shellcheck source=tests/testbed/net.sh
. "$here/../testbed/net.sh"

[ $# -eq 2 ] || { echo "usage: intervals.sh SOJOURN EMULATOR" >&2; exit 2; }
sojourn=$1 NET_EMULATOR=$2
missing=$(net_missing ping python3)
[ -z "$missing" ] || { echo "skipped: $missing"; exit 77; }

net_up
net_emulate --delay 2ms --seed 1
engines=socket
if on_client "$sojourn" rtt -i client0 --engine kernel --duration 10ms >/dev/null 2>"$NET_DIR/why"; then
  engines="socket kernel"
else
  echo "only the socket: $(cat "$NET_DIR/why")"
fi
for engine in $engines; do
  echo "$engine: a line each interval"
  python3 "$here/check_intervals.py" "$NET_NAME" $NET_SERVER "$sojourn" client --engine "$engine" -i client0
  echo "$engine: two interfaces"
  python3 "$here/check_intervals.py" "$NET_NAME" $NET_SERVER "$sojourn" client --engine "$engine" -i lo -i client0
done
echo "socket: both sides of a way, each echo once"
python3 "$here/check_intervals.py" "$NET_NAME" $NET_SERVER "$sojourn" middle --engine socket -i left -i right
echo "socket: by which interface the replies came"
python3 "$here/check_intervals.py" "$NET_NAME" $NET_SERVER "$sojourn" middle -i left -i right --by interface
python3 "$here/check_intervals.py" "$NET_NAME" $NET_SERVER "$sojourn" middle -i any --by interface
echo "any: each echo once, though it passes two interfaces"
python3 "$here/check_intervals.py" "$NET_NAME" $NET_SERVER "$sojourn" middle -i any
if on_client "$sojourn" rtt -i any --engine kernel --duration 10ms >/dev/null 2>"$NET_DIR/why"; then
  echo "FAILED: any in the kernel?" >&2
  exit 1
fi
cat "$NET_DIR/why"
echo "all well"
