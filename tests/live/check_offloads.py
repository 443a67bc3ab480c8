#!/usr/bin/env python3
"""check_offloads.py REPORT SS: kind tcp towards the server on super-packets, beside kind tcp-ts and the kernel's own figure.

Timestamps name the oldest packet of their millisecond, whatever its size, so their median is a second opinion on the same
packets.  It is one of milliseconds, not of packets, so a factor of 3 is allowed.  The kernel's figure is printed beside
it and not judged: it is an average over time, and it includes what an acknowledgment waits while the sender's socket is in use.
"""
import json
import re
import statistics
import sys

FACTOR = 3
LEAST_ANSWERED = 0.5


def kernel_means(path):
    """Smoothed round-trip times in ms of the connection that carries the data."""
    means = []
    with open(path) as file:
        for line in file:
            rtt, sent = re.search(r"\brtt:([\d.]+)/", line), re.search(r"\bbytes_sent:(\d+)", line)
            if rtt and sent and int(sent[1]) > 100_000_000:
                means.append(float(rtt[1]))
    return means


def median_us(kind):
    return next(q["delay_ns"] for q in kind["legs"]["server"]["quantiles"] if q["q"] == 0.5) / 1e3


def main():
    with open(sys.argv[1]) as file:
        kinds = json.load(file)["kinds"]
    kernel = kernel_means(sys.argv[2])
    if len(kernel) < 5:
        print(f"the transfer was too slow to tell: {len(kernel)} readings")
        return 1
    tcp = kinds["tcp"]
    answered = tcp["legs"]["server"]["samples"] / tcp["requests"]
    segments, stamps = median_us(tcp), median_us(kinds["tcp-ts"])
    print(f"median tcp {segments:.1f} us, tcp-ts {stamps:.1f} us; the kernel's mean {1e3 * statistics.mean(kernel):.1f} us; "
          f"{answered:.0%} of {tcp['requests']} requests answered, {tcp.get('super_packets')} super-packets")
    if not tcp.get("super_packets"):
        print("no super-packets: are the offloads on?")
        return 1
    return not (answered >= LEAST_ANSWERED and stamps / FACTOR <= segments <= stamps * FACTOR)


if __name__ == "__main__":
    sys.exit(main())
