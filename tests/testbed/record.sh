#!/bin/bash
# record.sh SCENARIO FOLDER: real programs across the emulator, captured at the client's interface.
#
# Writes FOLDER/SCENARIO.pcap (the first 128 bytes of each packet) and the emulator's log
# FOLDER/SCENARIO.truth.csv.gz; "bulk" also writes bulk.server.pcap, the server's view.
# Needs root and the programs named below.  NET_EMULATOR names the emulator if it is
# not in PATH, SEED its seed (1).
set -eu
# shellcheck source=tests/testbed/net.sh
. "$(dirname "$0")/net.sh"

usage() {
  echo "usage: record.sh bulk|web|dns|ntp|ping|loss|reorder|delayed-ack|demo FOLDER" >&2
  exit 2
}
[ $# -eq 2 ] || usage
scenario=$1 folder=$2 seed=${SEED:-1}

# in_background END COMMAND...: its process id goes to $!; net_down ends it at the latest.
in_background() {
  local end=$1
  shift
  ip netns exec "$NET_NAME-$end" "$@" >>"$NET_DIR/background.log" 2>&1 &
}

# wait_for_port t|u PORT: until something listens on the server.
wait_for_port() {
  local tries
  for ((tries = 0; tries < 100; ++tries)); do
    [ -z "$(on_server ss -Hln"$1" "sport = :$2")" ] || return 0
    sleep 0.05
  done
  echo "nothing listens on port $2" >&2
  cat "$NET_DIR/background.log" >&2
  return 1
}

start_nginx() {
  mkdir -p "$NET_DIR/www"
  head -c 1000 /dev/zero >"$NET_DIR/www/small"
  head -c 20000 /dev/zero >"$NET_DIR/www/large"
  cat >"$NET_DIR/nginx.conf" <<END
daemon off; user root; pid $NET_DIR/nginx.pid; error_log stderr;
events {}
http { access_log off; client_body_temp_path $NET_DIR/body; proxy_temp_path $NET_DIR/proxy;
  fastcgi_temp_path $NET_DIR/fastcgi; uwsgi_temp_path $NET_DIR/uwsgi; scgi_temp_path $NET_DIR/scgi;
  server { listen 80; listen [::]:80; root $NET_DIR/www; } }
END
  in_background server nginx -c "$NET_DIR/nginx.conf" -e stderr
  wait_for_port t 80
}

start_dns() {
  in_background server dnsmasq --keep-in-foreground --conf-file=/dev/null --no-resolv --no-hosts --user=root \
    --pid-file="$NET_DIR/dnsmasq.pid" --address=/example/192.0.2.9 --address=/example/2001:db8::9
  wait_for_port u 53
}

start_ntp() {
  # -x: chronyd must not touch the clock, which all namespaces share.
  cat >"$NET_DIR/chrony.conf" <<END
local stratum 8
allow
cmdport 0
bindcmdaddress /
pidfile $NET_DIR/chronyd.pid
END
  in_background server chronyd -x -d -u root -f "$NET_DIR/chrony.conf"
  wait_for_port u 123
}

# ask_time ADDRESS: four packets; -Q only prints the offset.
ask_time() {
  on_client chronyd -Q -u root -t 10 -f /dev/null "pidfile $NET_DIR/client.pid" "cmdport 0" "server $1 iburst maxsamples 4" \
    >>"$NET_DIR/background.log" 2>&1 || true
}

# transfer BYTES [OPTION...]: one iperf3 run, upload unless -R.
transfer() {
  in_background server iperf3 --server --one-off
  local server=$!
  wait_for_port t 5201
  on_client iperf3 --client "$NET_SERVER" --bytes "$@" >>"$NET_DIR/background.log"
  wait $server
}

browse() { # browse FILE ADDRESS...
  local file=$1 address
  shift
  for address in "$@"; do on_client curl --silent --output /dev/null "http://$address/$file"; done
}

ask_names() { # ask_names COUNT TYPE OPTION...
  local count=$1 type=$2 i
  shift 2
  for ((i = 0; i < count; ++i)); do
    on_client dig "@$NET_SERVER" "$@" +tries=3 +timeout=1 +noedns "host$i.example" "$type" >>"$NET_DIR/background.log"
  done
}

# Small writes one way: the receiver has nothing to send, so it delays its ACKs (RFC 1122 4.2.3.2).
# Then silence, filled with keep-alives.
dribble() {
  in_background server python3 -c '
import socket
peer, _ = socket.create_server(("", 7000)).accept()
while peer.recv(4096): pass'
  wait_for_port t 7000
  on_client python3 -c '
import socket, time
peer = socket.create_connection(("192.0.2.2", 7000))
peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
for _ in range(60):
    peer.send(bytes(100))
    time.sleep(0.055)
peer.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 1)
peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 1)
time.sleep(2.3)
peer.send(b"end")'
}

interface=client0 precision=nano

case $scenario in
bulk) link=(--delay 10ms --rate 50Mbit --queue 256KiB) ;;
web)
  link=(--delay 5ms --jitter 300us --shape exponential)
  precision=micro
  ;;
dns) link=(--delay 8ms --jitter 1ms --shape pareto --loss 3%) ;;
ntp) link=(--forward --delay 3ms --backward --delay 7ms) ;;
ping)
  link=(--delay 10ms --jitter 4ms --jitter-reorders --loss 2% --duplicate 2%)
  interface=any # Linux cooked packets
  ;;
loss) link=(--delay 5ms --rate 20Mbit --loss 3%) ;;
reorder) link=(--delay 5ms --rate 20Mbit --reorder '4%,4ms' --duplicate 1%) ;;
delayed-ack) link=(--delay 10ms) ;;
demo) link=(--delay 10ms --jitter 400us --shape normal --rate 30Mbit --queue 128KiB) ;;
*) usage ;;
esac

run() {
  case $scenario in
  bulk)
    transfer 500K
    transfer 500K -R
    ;;
  web)
    start_nginx
    for _ in 1 2 3 4 5 6 7 8; do browse small "$NET_SERVER" "[$NET_SERVER6]"; done
    browse large "$NET_SERVER" "[$NET_SERVER6]" "$NET_SERVER"
    on_client curl --silent --output /dev/null "http://$NET_SERVER:81/" || true # nobody there: a reset
    ;;
  dns)
    start_dns
    ask_names 60 A
    ask_names 30 AAAA "@$NET_SERVER6"
    ask_names 12 A +tcp
    ;;
  ntp)
    start_ntp
    ask_time "$NET_SERVER"
    ask_time "$NET_SERVER6"
    ;;
  ping)
    on_client ping -q -c 120 -i 0.01 "$NET_SERVER" >/dev/null
    on_client ping -q -c 120 -i 0.01 -s 900 "$NET_SERVER6" >/dev/null
    ;;
  loss)
    transfer 300K
    transfer 300K -R
    ;;
  reorder)
    transfer 300K
    transfer 300K -R
    ;;
  delayed-ack) dribble ;;
  demo)
    start_nginx
    start_dns
    start_ntp
    on_client ping -q -c 100 -i 0.05 "$NET_SERVER" >/dev/null &
    local pings=$!
    on_client ping -q -c 60 -i 0.08 "$NET_SERVER6" >/dev/null &
    pings="$pings $!"
    (ask_time "$NET_SERVER" && ask_time "$NET_SERVER6") &
    pings="$pings $!"
    for i in 1 2 3 4 5 6; do
      ask_names 6 A
      browse small "$NET_SERVER" "[$NET_SERVER6]" "$NET_SERVER"
      browse large "[$NET_SERVER6]"
    done
    transfer 500K
    transfer 500K -R
    # shellcheck disable=SC2086  # one word per process id
    wait $pings
    ;;
  esac
}

missing=$(net_missing tcpdump iperf3 nginx curl dnsmasq dig chronyd ping ss python3 gzip)
[ -z "$missing" ] || { echo "record.sh: $missing" >&2; exit 1; }
mkdir -p "$folder"
net_up
net_emulate --seed "$seed" "${link[@]}"

capture=(tcpdump -Z root -p --immediate-mode -s 128 "--time-stamp-precision=$precision")
captures=()
in_background client "${capture[@]}" -i "$interface" -w "$NET_DIR/client.pcap"
captures+=($!)
in_background server "${capture[@]}" -i server0 -w "$NET_DIR/server.pcap"
captures+=($!)
net_wait_for "$NET_DIR/background.log" "listening on $interface"
net_wait_for "$NET_DIR/background.log" "listening on server0"
run
sleep 0.3 # the last packets are on their way
kill -TERM "${captures[@]}"
wait "${captures[@]}"
net_stop_emulator

cp "$NET_DIR/client.pcap" "$folder/$scenario.pcap"
[ "$scenario" != bulk ] || cp "$NET_DIR/server.pcap" "$folder/$scenario.server.pcap"
gzip -9 -n -c "$NET_DIR/emulator.csv" >"$folder/$scenario.truth.csv.gz"
