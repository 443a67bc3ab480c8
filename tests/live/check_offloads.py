#!/usr/bin/env python3
"""check_offloads.py REPORT SS: the mean of kind tcp towards the server beside the kernel's own round-trip time."""
import json
import re
import statistics
import sys

FACTOR = 2


def kernel_means(path):
    """Smoothed round-trip times in ms of the connection that carries the data."""
    means = []
    with open(path) as file:
        for line in file:
            rtt, sent = re.search(r"\brtt:([\d.]+)/", line), re.search(r"\bbytes_sent:(\d+)", line)
            if rtt and sent and int(sent[1]) > 100_000_000:
                means.append(float(rtt[1]))
    return means


def main():
    with open(sys.argv[1]) as file:
        report = json.load(file)
    tcp = report["kinds"]["tcp"]
    kernel = kernel_means(sys.argv[2])
    if len(kernel) < 5:
        print(f"the transfer was too slow to tell: {len(kernel)} readings")
        return 1
    leg = tcp["legs"]["server"]
    ours, theirs = leg["mean_ns"] / 1e6, statistics.mean(kernel)
    print(f"tcp {ours:.3f} ms of {leg['samples']} samples, kernel {theirs:.3f} ms of {len(kernel)} readings, "
          f"{tcp.get('super_packets')} super-packets, {tcp['requests']} requests")
    if not tcp.get("super_packets"):
        print("no super-packets: are the offloads on?")
        return 1
    return not theirs / FACTOR <= ours <= theirs * FACTOR


if __name__ == "__main__":
    sys.exit(main())
