#!/usr/bin/env python3
"""check_flood.py FLOODED.json QUIET.json PING.log: did a flood of SYNs move memory or delays?"""
import json
import re
import sys


def quantile(report, level):
    return next(q for q in report["kinds"]["icmp"]["quantiles"] if abs(q["q"] - level) < 1e-9)


def median(report):
    return quantile(report, 0.5)


def outside(report, least, mean, most):
    """What ping itself measured, in ms, is the truth: the program sees each echo later and its reply earlier."""
    for level in (0.5, 0.9):
        delay = quantile(report, level)["delay_ns"] / 1e6
        if not least - 1.5 < delay <= most + 0.1:
            yield f"the quantile {level} is {delay:.3f} ms; ping saw {least} to {most} ms"
    delay = median(report)["delay_ns"] / 1e6
    if abs(delay - mean) > 0.1 * mean + 1:
        yield f"the median is {delay:.3f} ms, ping's mean {mean} ms"


def main():
    with open(sys.argv[1]) as file:
        flooded = json.load(file)
    with open(sys.argv[2]) as file:
        quiet = json.load(file)
    with open(sys.argv[3]) as file:
        log = file.read()
    answered = int(re.search(r"(\d+) received", log).group(1))
    least, mean, most = map(float, re.search(r"= ([\d.]+)/([\d.]+)/([\d.]+)/", log).groups())
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
    faults += outside(flooded, least, mean, most)
    for fault in faults:
        print("WRONG:", fault)
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
