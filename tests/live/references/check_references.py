#!/usr/bin/env python3
"""check_references.py FLOWS.csv EMULATOR.csv MBIT SCHEME: flows' mean delays by RLI against what happened to their packets.

The truth is the emulator's log: out minus in of every frame, by flow.  Exit status 0 if the median relative error of flows of ten
packets and more is at most 12 %, and reference packets are as many as the scheme allows; 1 if not, 2 if the link was not loaded as
it should be, so that nothing was shown.

Overhead: 1-in-n is bounded by packets, every tau by time.  Adaptive must lie between the paper's least rate, 1-in-300, and what its
Algorithm 1 gives at the load that the log has in each tenth of a second.
"""
import csv
import math
import statistics
import struct
import sys

PORT, REFERENCE_PORT = 9, 4747
ENOUGH, LIMIT, LOADS = 10, 0.12, (0.70, 0.93)
LEAST_LOAD, MOST_LOAD, LEAST_RATE, MOST_RATE = 0.6, 0.85, 1 / 300, 1 / 10  # of the paper's Algorithm 1
WINDOW_NS = 100_000_000


def ports_at(head):
    """Where the ports of a UDP datagram are; 0 if it is none."""
    if len(head) >= 42 and head[12:14] == b"\x08\x00" and head[23] == 17:
        return 34
    if len(head) >= 62 and head[12:14] == b"\x86\xdd" and head[20] == 17:
        return 54
    return 0


def adaptive(windows, mbit):
    """How many reference packets Algorithm 1 allows for packets and bytes by window."""
    allowed = 0
    for packets, size in windows.values():
        load = size * 8e3 / mbit / WINDOW_NS
        above = min(max((load - LEAST_LOAD) / (MOST_LOAD - LEAST_LOAD), 0), 1)
        allowed += packets * (math.sqrt(1 - above**2) * (MOST_RATE - LEAST_RATE) + LEAST_RATE)
    return allowed


def bounds(scheme, packets, seconds, windows, mbit):
    """How many reference packets there have to be for the packets sent: a busy sender is late, but never early."""
    if scheme.startswith("1-in-"):
        most = packets / int(scheme.removeprefix("1-in-"))
    elif scheme.startswith("every "):
        most = seconds / (float(scheme.removeprefix("every ").removesuffix("ms")) / 1000)
    else:
        return packets * LEAST_RATE / 2, adaptive(windows, mbit) + 2
    return most / 2, most + 2


def main():
    flows_path, log_path, mbit, scheme = sys.argv[1], sys.argv[2], float(sys.argv[3]), sys.argv[4]
    truth, references, reference_bytes, dropped = {}, [], 0, 0
    carried, first, last, windows = 0, None, None, {}
    with open(log_path) as file:
        for row in csv.DictReader(file):
            if row["direction"] != "forward":
                continue
            head = bytes.fromhex(row["head"])
            at = ports_at(head)
            if at == 0:
                continue
            source, destination = struct.unpack("!HH", head[at:at + 4])
            if destination == PORT:  # what the sender saw, whether or not the queue had room for it
                window = windows.setdefault(int(row["in_ns"]) // WINDOW_NS, [0, 0])
                window[0] += 1
                window[1] += int(row["length"])
            if not row["out_ns"]:
                dropped += 1
                continue
            delay = int(row["out_ns"]) - int(row["in_ns"])
            if destination == REFERENCE_PORT:
                reference_bytes += int(row["length"])
                references.append((int(row["in_ns"]), delay))
                continue
            if destination != PORT:
                continue
            truth.setdefault(source, []).append(delay)
            carried += int(row["length"])
            first = first or int(row["in_ns"])
            last = int(row["in_ns"])
    seconds = (last - first) / 1e9
    load = carried * 8 / (mbit * 1e6) / seconds
    while_loaded = sum(first <= time <= last for time, _ in references)
    share = reference_bytes * 8 / (mbit * 1e6) / seconds

    sums = {}
    with open(flows_path) as file:
        for row in csv.DictReader(file):
            if int(row["destination_port"]) != PORT or not row["delay_mean_ns"]:
                continue
            packets, mean = int(row["measured"]), float(row["delay_mean_ns"])
            old = sums.get(int(row["source_port"]), (0, 0.0))
            sums[int(row["source_port"])] = (old[0] + packets, old[1] + packets * mean)
    measured = sum(packets for packets, _ in sums.values())
    total = sum(len(delays) for delays in truth.values())
    errors, by_average = [], []
    average = statistics.fmean(delay for delays in truth.values() for delay in delays)
    for flow, delays in truth.items():
        if len(delays) < ENOUGH:
            continue
        mean = statistics.fmean(delays)
        packets, sum_of_delays = sums.get(flow, (0, 0.0))
        errors.append(abs(sum_of_delays / packets - mean) / mean if packets else 1.0)
        by_average.append(abs(average - mean) / mean)
    error = statistics.median(errors)
    every = statistics.median(delay for delays in truth.values() for delay in delays)
    print(f"load {100 * load:.1f} %, median delay {every / 1e6:.2f} ms, {total} packets, {measured} measured, {dropped} dropped, "
          f"{len(references)} reference packets ({100 * len(references) / total:.2f} %, {100 * share:.3f} % of the link)")
    print(f"{len(errors)} flows of {ENOUGH} packets and more: median relative error {100 * error:.2f} %, "
          f"worst {100 * max(errors):.1f} %; all flows' average for each would be off by {100 * statistics.median(by_average):.1f} %")
    if not LOADS[0] <= load <= LOADS[1]:
        print("the link was not loaded as it should be")
        return 2
    if measured < 0.9 * total:
        print("too few packets measured")
        return 1
    if statistics.median(by_average) < 2 * LIMIT:
        print("all flows have the same delay: nothing was shown")
        return 2
    fewest, most = bounds(scheme, sum(packets for packets, _ in windows.values()), seconds, windows, mbit)
    print(f"while it was loaded {while_loaded} reference packets, {scheme} is {fewest:.0f} to {most:.0f}")
    if not fewest <= while_loaded <= most:
        return 1
    return 0 if error <= LIMIT else 1


sys.exit(main())
