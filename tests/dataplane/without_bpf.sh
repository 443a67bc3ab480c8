#!/bin/bash
# without_bpf.sh REPLAY UNIT-TESTS SOJOURN EMULATOR: a machine where BPF is not allowed.
#
# Tests that need it report that they were skipped, and why; a measurement falls back to the socket and reports it.
set -u
here=$(dirname "$0")
[ $# -eq 4 ] || { echo "usage: without_bpf.sh REPLAY UNIT-TESTS SOJOURN EMULATOR" >&2; exit 2; }
replay=$1 unit_tests=$2 sojourn=$3 emulator=$4
refused() { "$here/../support/without_bpf.py" "$@"; }
fail() { echo "FAILED: $*" >&2; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

refused true || { echo "skipped: no seccomp filter on this machine"; exit 77; }

expect_skipped() {
  refused "$@" >"$folder/out" 2>&1
  local status=$?
  tail -1 "$folder/out"
  [ $status -eq 77 ] || fail "$1 ended with $status, not as skipped"
  grep -q "^skipped: " "$folder/out" || fail "$1 does not say why"
}
expect_skipped "$replay" tc --random 1
expect_skipped "$here/../live/engine.sh" "$sojourn" "$emulator"
expect_skipped "$here/../live/agreement.sh" "$sojourn" "$emulator"

refused "$unit_tests" >"$folder/out" 2>&1 || { tail -20 "$folder/out"; fail "the unit tests"; }
grep -q "SKIPPED" "$folder/out" || fail "the unit tests used BPF all the same"
grep -A20 "tests, listed below" "$folder/out" || true

[ "$(id -u)" -eq 0 ] || { echo "the fallback was not tried: needs root"; exit 0; }
refused "$sojourn" rtt -i lo --duration 200ms --json >"$folder/report" 2>"$folder/err" || fail "no fallback: $(cat "$folder/err")"
python3 - "$folder/report" <<'END' || fail "the report does not say which engine, and why"
import json, sys
engine = json.load(open(sys.argv[1]))["engine"]
print(f"engine {engine['name']}: {engine['why']}")
sys.exit(not (engine["name"] == "socket" and "CAP_BPF" in engine["why"]))
END
if refused "$sojourn" rtt -i lo --engine kernel --duration 200ms >/dev/null 2>"$folder/err"; then fail "the kernel engine without BPF?"; fi
cat "$folder/err"
[ "$(wc -l <"$folder/err")" -eq 1 ] || fail "more than one line"
echo "all well"
