#!/bin/bash
# Records every capture of this folder anew (README.md).  Needs root and half a minute more than the
# programs it runs; NET_EMULATOR names the emulator: build/release/sojourn-emulator.
set -eu
cd "$(dirname "$0")"
export SEED=20261115
for scenario in bulk web dns ntp ping loss reorder delayed-ack demo; do
  ../testbed/record.sh "$scenario" .
done
# One of each common file format.
gzip -9 -n -f bulk.pcap bulk.server.pcap reorder.pcap
editcap -F pcapng demo.pcap demo.pcapng
editcap -F pcapng loss.pcap loss.pcapng
rm demo.pcap loss.pcap
