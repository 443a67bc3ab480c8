# shellcheck shell=bash
# For live tests: how they fail, and how they wait for events.  Needs $NET_DIR.

fail() { echo "FAILED: $*" >&2; tail -n 30 "$NET_DIR"/*.err >&2; exit 1; }
# await_lines FILE TEXT COUNT: 60 seconds at most.
await_lines() {
  local tries
  for ((tries = 0; tries < 600; ++tries)); do
    [ "$(grep -c -- "$2" "$1" 2>/dev/null || true)" -lt "$3" ] || return 0
    sleep 0.1
  done
  fail "fewer than $3 lines with '$2' in ${1##*/}"
}
