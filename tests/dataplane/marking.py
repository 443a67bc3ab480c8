#!/usr/bin/env python3
"""Captures, and traces of the lab, through the marking program in the kernel and through that of user space.

    marking.py REPLAY SOJOURN --source DIR --build DIR [--verbose]

The recorded captures of others are among them where they are there: the small ones, or all with $SOJOURN_ALL_TRACES.
At the end it prints how many frames and records were equal.
"""
import argparse
import collections
import os
import re
import subprocess
import sys

from run import SKIPPED, all_captures

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
import traces

TWO_POINTS = ["--points", "2", "--loss", "0.01", "--duplicates", "0.01", "--spikes", "0.01", "--vlan", "--references", "100"]
FIGURES = re.compile(r": (\d+) packets \((\d+) left out\), (\d+) frames and (\d+) records equal, "
                     r"(\d+) pulses, (\d+) records with late packets, (\d+) copies \((\d+) found by one side alone\)")
NAMES = ("packets", "packets left out: no plain IP", "frames equal, byte by byte", "records equal", "pulses in them",
         "records with late packets", "copies in them", "copies found by one side alone")


def lab_traces(sojourn, folder):
    """Of every model: backbone traffic at two points, connections and queries."""
    os.makedirs(folder, exist_ok=True)
    scale = 10 if traces.all_wanted() else 1
    models = [(name, [f"{name}.first.pcap", f"{name}.last.pcap"], TWO_POINTS + ["--packets", str(2000 * scale)])
              for name in ("chic", "sanj", "ipls")]
    models += [(name, [name], ["--packets", str(3000 * scale)]) for name in ("isp", "tcp")]
    models += [(name, [name], ["--requests", str(2000 * scale)]) for name in ("fridge", "bursts")]
    for name, files, options in models:
        subprocess.run([sojourn, "generate", "--model", name, *options, name], cwd=folder, check=True, capture_output=True)
        yield from (os.path.join(folder, file) for file in files)


def groups(options):
    yield "lab traces", list(lab_traces(options.sojourn, os.path.join(options.build, "lab-marking")))
    captures = list(all_captures(options.source, options.build, True))
    if not traces.all_wanted():  # our own, and some of the others: seconds instead of minutes
        own = [path for path in captures if os.path.join("tests", "captures") in path]
        captures = own + captures[len(own)::6]
    for first in range(0, len(captures), 500):
        yield "captures", captures[first:first + 500]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("replay")
    parser.add_argument("sojourn")
    parser.add_argument("--source", required=True)
    parser.add_argument("--build", required=True)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()

    failed = False
    totals = {}
    for kind, captures in groups(options):
        done = subprocess.run([options.replay, "--together", *captures], text=True, capture_output=True)
        if done.returncode == SKIPPED:
            print(done.stdout.strip().splitlines()[-1])
            return SKIPPED
        failed |= done.returncode != 0
        if options.verbose or done.returncode:
            said = [line for line in done.stderr.splitlines() if not line.startswith("not read")]
            print(done.stdout.strip(), *said[:30], sep="\n")
        count = totals.setdefault(kind, collections.Counter())
        count[f"{kind}"] += len(captures)
        for line in done.stdout.splitlines():
            if figures := FIGURES.search(line):
                for name, value in zip(NAMES, figures.groups()):
                    count[name] += int(value)
    for count in totals.values():
        for name, value in count.items():
            print(f"{value:>9}  {name}")
        if not count[NAMES[2]] or not count[NAMES[3]] or not count[NAMES[4]]:
            print("nothing was compared")
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
