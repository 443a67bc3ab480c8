# shellcheck shell=bash
# A collector on the server, for live tests.  Source this file behind testbed/net.sh; then
#
#   collect                     starts it, with the store $NET_DIR/store.db and its page on port 8080
#   await_answer PATH TEXT      until its page says so
#   stop_collecting             and it ends well
#
# Needs $sojourn, fail and await_lines.

collect() {
  ip netns exec "$NET_NAME-server" "$sojourn" collect --listen 0.0.0.0 --store "$NET_DIR/store.db" --web 8080 \
    >"$NET_DIR/collect.out" 2>"$NET_DIR/collect.err" &
  collecting=$!
  await_lines "$NET_DIR/collect.err" 'listening on' 1
}
# api PATH: what the collector answers.
api() { on_server python3 -c 'import sys, urllib.request as u; print(u.urlopen(sys.argv[1]).read().decode())' "http://127.0.0.1:8080$1"; }
# await_answer PATH TEXT: 30 seconds at most.
await_answer() {
  local tries
  for ((tries = 0; tries < 150; ++tries)); do
    api "$1" >"$NET_DIR/answer" 2>/dev/null && grep -q -- "$2" "$NET_DIR/answer" && return 0
    sleep 0.2
  done
  cat "$NET_DIR/answer" "$NET_DIR/collect.err" >&2
  fail "no '$2' in $1"
}
stop_collecting() {
  kill -INT "$collecting"
  wait "$collecting" || fail "the collector ended with an error"
}
