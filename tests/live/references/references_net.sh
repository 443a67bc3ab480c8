# shellcheck shell=bash
# What live tests of reference packets share.  Source this file behind testbed/net.sh; it needs $sojourn.

# The process has given up root: it is attached.  Ten seconds at most.
await_nobody() {
  local tries
  for ((tries = 0; tries < 200; ++tries)); do
    [ "$(awk '/^Uid:/ {print $3}' "/proc/$1/status" 2>/dev/null)" != 65534 ] || return 0
    sleep 0.05
  done
  return 1
}
# Skips the test where the kernel does not take the programs.
need_references() {
  if ! on_server "$sojourn" point -i server0 --observe-references --duration 10ms >/dev/null 2>"$NET_DIR/why"; then
    grep -q "CAP_BPF\|no BPF\|built without" "$NET_DIR/why" || { cat "$NET_DIR/why" >&2; exit 1; }
    echo "skipped: $(cat "$NET_DIR/why")"
    exit 77
  fi
}
