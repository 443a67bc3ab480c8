#!/bin/bash
# thinking.sh SOJOURN EMULATOR: a server that thinks for a known time, 20 ms away.  Live and from a capture, kinds
# response and tls must tell the server's time from the network's.
set -eu
here=$(dirname "$0")
# shellcheck source=tests/testbed/net.sh
. "$here/../testbed/net.sh"

[ $# -eq 2 ] || { echo "usage: thinking.sh SOJOURN EMULATOR" >&2; exit 2; }
sojourn=$1 NET_EMULATOR=$2
missing=$(net_missing python3 openssl tcpdump)
[ -z "$missing" ] || { echo "skipped: $missing"; exit 77; }
if ! why=$("$sojourn" rtt -i lo --engine socket --duration 10ms 2>&1 >/dev/null); then
  echo "skipped: $why"
  exit 77
fi

# The kernel's engine says why it does not.
why=$("$sojourn" rtt -i lo --engine kernel --kind response --duration 10ms 2>&1 >/dev/null) && { echo "no refusal" >&2; exit 1; }
case "$why" in
  *"kind response is not in the kernel"* | *"built without the kernel engine"*) ;;
  *) echo "a strange refusal: $why" >&2; exit 1 ;;
esac

net_up
net_emulate --delay 10ms --seed 20261116
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=thinking.example -keyout "$NET_DIR/key.pem" \
  -out "$NET_DIR/certificate.pem" 2>/dev/null
ip netns exec "$NET_NAME-server" python3 "$here/thinking.py" serve "$NET_SERVER" "$NET_DIR/certificate.pem" \
  "$NET_DIR/key.pem" >"$NET_DIR/serve.log" 2>&1 &
for ((tries = 0; tries < 200; ++tries)); do
  ! grep -qs ready "$NET_DIR/serve.log" || break
  sleep 0.05
done
measure() {
  ip netns exec "$NET_NAME-client" tcpdump -i client0 --immediate-mode -U -w "$NET_DIR/capture.pcap" tcp \
    2>"$NET_DIR/tcpdump.log" &
  recorder=$!
  ip netns exec "$NET_NAME-client" "$sojourn" rtt -i client0 --engine socket --duration 5min --kind response,tls --json \
    --samples "$NET_DIR/samples.csv" >"$NET_DIR/report.json" 2>"$NET_DIR/sojourn.err" &
  measurement=$!
  local looks
  for ((looks = 0; looks < 200; ++looks)); do # until they have opened all
    if [ "$(awk '/^Uid:/ {print $3}' "/proc/$measurement/status" 2>/dev/null)" = 65534 ] &&
      grep -qs "listening on" "$NET_DIR/tcpdump.log"; then break; fi
    sleep 0.05
  done
  sleep 0.2
  on_client python3 "$here/thinking.py" ask "$NET_SERVER" "$NET_DIR/truth.csv"
  sleep 0.5 # what was captured last is on its way
  kill -INT "$measurement" "$recorder"
  wait "$measurement" || { echo "sojourn failed: $(cat "$NET_DIR/sojourn.err")" >&2; exit 1; }
  wait "$recorder" || true
}

# A machine that stands still for longer than TCP waits sends segments twice.  Such exchanges are ambiguous and rightly give no
# delay, so that the answers cannot be counted: measure again then.
sent_again() {
  for end in on_client on_server; do "$end" cat /proc/net/snmp; done | awk '/^Tcp: [0-9]/ {sum += $13} END {print sum}'
}
for end in on_client on_server; do "$end" sysctl -qw net.ipv4.tcp_early_retrans=0; done # probes of the tail after 40 ms
for ((tries = 1; tries <= 3; ++tries)); do
  before=$(sent_again)
  measure
  again=$(($(sent_again) - before))
  [ "$again" -gt 0 ] || break
  echo "attempt $tries: TCP sent $again segments again"
done
echo "live:"
python3 "$here/thinking.py" check "$NET_DIR/truth.csv" "$NET_DIR/samples.csv" "$NET_DIR/report.json" 20000000
echo "from the capture:"
"$sojourn" rtt "$NET_DIR/capture.pcap" --kind response,tls --json --samples "$NET_DIR/samples.csv" >"$NET_DIR/report.json"
python3 "$here/thinking.py" check "$NET_DIR/truth.csv" "$NET_DIR/samples.csv" "$NET_DIR/report.json" 20000000
[ -z "${KEEP-}" ] || cp "$NET_DIR/capture.pcap" "$KEEP"
