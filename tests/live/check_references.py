#!/usr/bin/env python3
"""check_references.py FLOWS.csv EMULATOR.csv MBIT: flows' mean delays by RLI against what happened to their packets.

The truth is the emulator's log: out minus in of every frame, by flow.  Exit status 0 if the median relative error of flows of ten
packets and more is at most 12 %, 1 if not, 2 if the link was not loaded as it should be, so that nothing was shown.
"""
import csv
import statistics
import struct
import sys

PORT, REFERENCE_PORT = 9, 4747
ENOUGH, LIMIT, LOADS = 10, 0.12, (0.70, 0.93)


def ports_at(head):
    """Where the ports of a UDP datagram are; 0 if it is none."""
    if len(head) >= 42 and head[12:14] == b"\x08\x00" and head[23] == 17:
        return 34
    if len(head) >= 62 and head[12:14] == b"\x86\xdd" and head[20] == 17:
        return 54
    return 0


def main():
    flows_path, log_path, mbit = sys.argv[1], sys.argv[2], float(sys.argv[3])
    truth, references, dropped = {}, [], 0
    carried, first, last = 0, None, None
    with open(log_path) as file:
        for row in csv.DictReader(file):
            if row["direction"] != "forward":
                continue
            head = bytes.fromhex(row["head"])
            at = ports_at(head)
            if at == 0:
                continue
            source, destination = struct.unpack("!HH", head[at:at + 4])
            if not row["out_ns"]:
                dropped += 1
                continue
            delay = int(row["out_ns"]) - int(row["in_ns"])
            if destination == REFERENCE_PORT:
                references.append(delay)
                continue
            if destination != PORT:
                continue
            truth.setdefault(source, []).append(delay)
            carried += int(row["length"])
            first = first or int(row["in_ns"])
            last = int(row["in_ns"])
    load = carried * 8 / (mbit * 1e6) / ((last - first) / 1e9)

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
          f"{len(references)} reference packets ({100 * len(references) / total:.2f} %)")
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
    return 0 if error <= LIMIT else 1


sys.exit(main())
