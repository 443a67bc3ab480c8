#!/usr/bin/env python3
"""check_accuracy.py REPORT.json SAMPLES.csv EMULATOR.csv: the report's medians against the truth.

The truth is what the emulator logged of both directions and of the server's own time between
them: for each request and its response, response out minus request in (tests/testbed/oracle.py).
A frame comes out while the emulator hands it to the kernel, usually some 10 us; a machine that stops
the emulator then makes the truth itself that uncertain, so the median may lie between both ends.
"""

import csv
import json
import os
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "testbed"))
sys.dont_write_bytecode = True  # the source tree stays clean
import oracle  # noqa: E402

LIMIT_NS = 100_000
KINDS = {"icmp": 190, "tcp": 300}  # and how many samples there must be for a median to count


def median_of(report, kind):
    return next(q["delay_ns"] for q in report["kinds"][kind]["quantiles"] if abs(q["q"] - 0.5) < 1e-9)


def main():
    report_path, samples_path, log_path = sys.argv[1:]
    with open(report_path) as file:
        report = json.load(file)
    with open(samples_path) as file:
        measured = list(csv.DictReader(file))
    log = oracle.read_log(log_path)
    earliest, latest = oracle.all_samples(log), oracle.all_samples(log, "done_ns")

    failed = False
    for kind, enough in KINDS.items():
        truth = [sample.delay_ns for sample in earliest if sample.kind == kind]
        low = statistics.median(truth)
        high = statistics.median(sample.delay_ns for sample in latest if sample.kind == kind)
        samples = [row for row in measured if row["kind"] == kind]
        median = median_of(report, kind)
        off = median - min(max(median, low), high)
        # The measurement begins before the traffic and, unless the machine is slow, ends after it.
        fine = abs(off) <= LIMIT_NS and len(truth) >= enough and abs(len(samples) - len(truth)) <= 0.05 * len(truth)
        failed |= not fine
        print(f"{kind:5} {len(samples)} samples of {len(truth)}; median {median / 1e6:.4f} ms, "
              f"the emulator's {low / 1e6:.4f} to {high / 1e6:.4f} ms: off by {off / 1e3:+.1f} us"
              f"{'' if fine else '  <-- WRONG'}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
