#!/usr/bin/env python3
"""check_agreement.py KERNEL.json SOCKET.json [KIND...]: are each engine's figures within the other's intervals?

Both measured the same packets at the same time.  With --offloads on|off instead of kinds: medians of microseconds
differ by no more than the places where the two look.  The kernel engine sees segments before they are divided, also where
the device leaves that to the stack, unless the stack may not join any; then, and with offloads on, both count the same.
"""
import json
import sys


def quantiles(report, kind):
    return {q["q"]: q for q in report["kinds"][kind]["quantiles"] if q["q"] in (0.5, 0.9)}


def inside(value, interval):
    return interval["low_ns"] <= value["delay_ns"] <= interval["high_ns"]


def agree(kernel, socket, kind):
    faults, bounded = [], 0
    for level, ours in quantiles(kernel, kind).items():
        theirs = quantiles(socket, kind)[level]
        print(f"{kind} q{level}: kernel {ours['delay_ns'] / 1e6:.3f} ms [{ours['low_ns']}, {ours['high_ns']}], "
              f"socket {theirs['delay_ns'] / 1e6:.3f} ms [{theirs['low_ns']}, {theirs['high_ns']}]")
        if not (ours["bounded"] and theirs["bounded"]):
            continue
        bounded += 1
        if not (inside(ours, theirs) and inside(theirs, ours)):
            faults.append(f"{kind} q{level}: not within each other's intervals")
    if not bounded:
        faults.append(f"{kind}: no interval to compare with")
    return faults


def see_super_packets(kernel, socket, offloads):
    faults = []
    for name, report in (("kernel", kernel), ("socket", socket)):
        tcp = report["kinds"]["tcp"]
        print(f"{name}: {tcp['requests']} segments, {tcp['super_packets']} super-packets, {tcp['samples']} samples, "
              f"median {quantiles(report, 'tcp')[0.5]['delay_ns'] / 1e3:.1f} us")
        if (tcp["super_packets"] >= 100) != (offloads == "on"):
            faults.append(f"{name}: {tcp['super_packets']} super-packets with offloads {offloads}")
    medians = [quantiles(report, "tcp")[0.5]["delay_ns"] for report in (kernel, socket)]
    if offloads == "on" and kernel["kinds"]["tcp"]["requests"] != socket["kinds"]["tcp"]["requests"]:
        faults.append("they did not see the same segments")
    if max(medians) > 1.25 * min(medians) + 5_000:
        faults.append("the medians differ")
    return faults


def main():
    with open(sys.argv[1]) as first, open(sys.argv[2]) as second:
        kernel, socket = json.load(first), json.load(second)
    faults = [] if kernel["engine"]["name"] == "kernel" and socket["engine"]["name"] == "socket" else ["the engines"]
    if sys.argv[3] == "--offloads":
        faults += see_super_packets(kernel, socket, sys.argv[4])
    else:
        for kind in sys.argv[3:]:
            faults += agree(kernel, socket, kind)
    for fault in faults:
        print("WRONG:", fault)
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
