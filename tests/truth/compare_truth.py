#!/usr/bin/env python3
"""Every sample of a recorded capture against the emulator's log of the same packets.

    compare_truth.py SOJOURN CAPTURE TRUTH

The oracle (tests/testbed/oracle.py) tells from the log alone which samples there must be, between
whom and how long; `sojourn rtt` tells the same from the capture.  Both must have the same samples
in the same order, and their delays may differ by the veth hops between tcpdump and emulator only.
"""

import collections
import csv
import os
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "testbed"))
sys.dont_write_bytecode = True  # the source tree stays clean
import oracle  # noqa: E402

# A hop is 3 to 30 us, and now and then the sender is interrupted in it.
MEDIAN_LIMIT_NS = 50_000
EACH_LIMIT_NS = 100_000


def measured_samples(sojourn, capture):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "samples.csv")
        done = subprocess.run([sojourn, "rtt", capture, "--samples", path, "--json"], stdout=subprocess.DEVNULL)
        if done.returncode != 0 or not os.path.exists(path):
            sys.exit(f"sojourn ended with status {done.returncode} and {'' if os.path.exists(path) else 'no '}samples")
        with open(path) as file:
            return [oracle.Sample(int(row["time_ns"]), row["kind"], row["leg"], row["requester"],
                                  int(row["requester_port"]), row["responder"], int(row["responder_port"]),
                                  int(row["delay_ns"])) for row in csv.DictReader(file)]


def by_conversation(samples):
    """Who asked whom, and how long the answers took, in order."""
    conversations = collections.defaultdict(list)
    for sample in sorted(samples, key=lambda s: s.time_ns):
        ports = (0, 0) if sample.kind == "icmp" else (sample.requester_port, sample.responder_port)
        conversations[(sample.kind, sample.leg, sample.requester, sample.responder, *ports)].append(sample.delay_ns)
    return conversations


def complaints(measured, expected):
    """Lines that say what is wrong; none if all is well."""
    ours, truth = by_conversation(measured), by_conversation(expected)
    lines, differences = [], collections.defaultdict(list)
    for who in sorted(ours.keys() | truth.keys()):
        if len(ours[who]) != len(truth[who]):
            lines.append(f"{who}: {len(ours[who])} samples, the truth has {len(truth[who])}")
            continue
        for mine, true in zip(ours[who], truth[who]):
            differences[who[0]].append(mine - true)
            if abs(mine - true) > EACH_LIMIT_NS:
                lines.append(f"{who}: measured {mine} ns, the truth is {true} ns")
    for kind, values in differences.items():
        median = statistics.median(values)
        print(f"{kind:10} {len(values):5} samples, off by {median / 1e3:+6.1f} us at the median, "
              f"{min(values) / 1e3:+.1f} to {max(values) / 1e3:+.1f} us")
        if abs(median) > MEDIAN_LIMIT_NS:
            lines.append(f"{kind}: off by {median} ns at the median")
    return lines


def notices_errors(measured, expected):
    """A comparison that cannot fail would be worth nothing: does it see a lost and a wrong sample?"""
    wrong = oracle.dataclasses.replace(measured[0], delay_ns=measured[0].delay_ns + 2 * EACH_LIMIT_NS)
    return complaints(measured[1:], expected) and complaints([wrong, *measured[1:]], expected)


def main():
    sojourn, capture, truth = sys.argv[1:]
    expected = oracle.all_samples(oracle.read_log(truth))
    measured = measured_samples(sojourn, capture)
    wrong = complaints(measured, expected)
    if not expected:
        wrong.append("the truth has no samples")
    for line in wrong:
        print(line, file=sys.stderr)
    if wrong:
        return 1
    print("and with one sample lost, and one wrong:")
    if not notices_errors(measured, expected):
        print("the comparison does not notice a wrong sample", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
