#!/usr/bin/env python3
"""Do the intervals of the fixed-memory tables contain what the exact table finds?

For every capture, kind, quantile and seed with an effective sample size over 50, `sojourn rtt
--table T --memory 64KiB` gives an interval.  At least 90 % of them must contain the exact quantile,
for each table; they claim 95 %.  Intervals that say that they are open on one side are left out.
They include the width of the histogram's buckets.  The seeds are fixed, so a run always has the
same outcome.

The twin narrows every interval to a tenth, and must be found out.
"""
import argparse
import glob
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support import traces  # noqa: E402

TABLES = ("staged", "fridge", "fridges", "fridges-ivw", "leased", "tailored")
SEEDS = ("1", "2", "3")
MEMORY = "64KiB"
ENOUGH_SAMPLES = 50
WANTED = 0.90
LARGEST = 60_000_000  # bytes of a capture: the rest takes longer than it tells


def report(sojourn, capture, *options):
    run = subprocess.run([sojourn, "rtt", capture, "--json", *options], capture_output=True, text=True, timeout=120)
    return json.loads(run.stdout) if run.returncode == 0 else None


def has_enough(exact):
    """Can a table find enough effective samples in it?"""
    return any(kind["effective_samples"] > ENOUGH_SAMPLES / 2 for kind in exact["kinds"].values())


def misses(exact, estimate, narrowing):
    """One truth value per interval: does it miss the exact quantile?"""
    for name, kind in estimate["kinds"].items():
        if kind["effective_samples"] <= ENOUGH_SAMPLES:
            continue
        for found, true in zip(kind["quantiles"], exact["kinds"][name]["quantiles"]):
            if not found["bounded"]:
                continue
            low = found["delay_ns"] - (found["delay_ns"] - found["low_ns"]) * narrowing
            high = found["delay_ns"] + (found["high_ns"] - found["delay_ns"]) * narrowing
            yield not low <= true["delay_ns"] <= high


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sojourn", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--build", required=True)
    arguments = parser.parse_args()

    # The project's own captures are too few for a share of 90 % to mean anything.
    more = traces.folder_or_skip(arguments.source)
    captures = sorted(glob.glob(os.path.join(arguments.source, "tests", "captures", "*.pcap*")))
    captures += traces.captures(more, arguments.build, every=True)
    captures = [path for path in captures if os.path.getsize(path) <= LARGEST]
    exact = {path: found for path in captures if (found := report(arguments.sojourn, path)) and has_enough(found)}

    failed = False
    for table in TABLES:
        honest, twin = [], []
        for path, truth in exact.items():
            for seed in SEEDS:
                found = report(arguments.sojourn, path, "--table", table, "--memory", MEMORY, "--seed", seed)
                honest += misses(truth, found, 1)
                twin += misses(truth, found, 0.1)
        if not honest:
            print(f"{table}: no capture gives {ENOUGH_SAMPLES} effective samples")
            failed = True
            continue
        share, narrow = 1 - sum(honest) / len(honest), 1 - sum(twin) / len(twin)
        print(f"{table:12} {len(honest):5} intervals, {share:6.1%} contain the exact quantile; "
              f"narrowed to a tenth {narrow:6.1%}")
        failed |= share < WANTED or narrow >= WANTED
    return failed


if __name__ == "__main__":
    sys.exit(main())
