#!/usr/bin/env python3
"""check_flood.py FLOODED.json QUIET.json PING.log: did a flood of SYNs move memory or delays?"""
import json
import re
import sys


def median(report):
    return next(q for q in report["kinds"]["icmp"]["quantiles"] if abs(q["q"] - 0.5) < 1e-9)


def main():
    with open(sys.argv[1]) as file:
        flooded = json.load(file)
    with open(sys.argv[2]) as file:
        quiet = json.load(file)
    with open(sys.argv[3]) as file:
        answered = int(re.search(r"(\d+) received", file.read()).group(1))
    icmp, engine = flooded["kinds"]["icmp"], flooded["engine"]
    requests = flooded["kinds"]["handshake"]["requests"]
    samples = icmp["samples"]
    print(f"{requests} SYNs; {samples} of {answered} echoes, estimated {icmp['estimated_total']:.0f}, median "
          f"{median(flooded)['delay_ns'] / 1e6:.3f} ms, process {engine['process_bytes'] / 2**20:.1f} MiB, "
          f"missed {engine['missed']}, connections replaced {flooded['table'].get('connections-replaced')}")
    faults = []
    if requests < 20_000:
        faults.append("that was no flood")
    if engine["kernel_bytes"] != quiet["engine"]["kernel_bytes"]:
        faults.append("the kernel's memory moved")
    if engine["process_bytes"] > quiet["engine"]["process_bytes"] + (8 << 20):
        faults.append("the process grew")
    # Weights make up for what was overwritten: 25 % is five standard deviations of 150 echoes in a
    # table that keeps more than two thirds of them.
    if abs(icmp["estimated_total"] - answered) > 0.25 * answered:
        faults.append("echoes were lost and not made up for")
    if not 9.5e6 < median(flooded)["delay_ns"] < 30e6:
        faults.append("the median moved")
    for fault in faults:
        print("WRONG:", fault)
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
