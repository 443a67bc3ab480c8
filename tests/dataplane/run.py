#!/usr/bin/env python3
"""Every capture through the program in the kernel and through the exact table of user space.

    run.py REPLAY --source DIR --build DIR [--hook tc|xdp] [--traces] [--verbose]

Samples must be the same, packet by packet, except for the classes of docs/design/dataplane.md.  At
the end it prints how many pairs differed by each class, as that page lists them.
"""
import argparse
import collections
import glob
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
import traces

SKIPPED = 77


def all_captures(source, build, with_traces):
    yield from sorted(path for path in glob.glob(os.path.join(source, "tests", "captures", "*.pcap*")))
    if not with_traces:
        return
    folder = traces.folder(source)
    if not folder:
        print("no folder of recorded captures: only those of tests/captures")
        return
    yield from traces.captures(folder, build, skip=("oracle",))


def grouped(captures):
    """Small ones all together, in one replay: loading the program takes longer than their packets."""
    small = []
    for path in captures:
        if os.path.getsize(path) < 100_000 and os.path.join("tests", "captures") not in path:
            small.append(path)
        else:
            yield [path]
    if small:
        yield ["--together"] + small


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("replay")
    parser.add_argument("--source", required=True)
    parser.add_argument("--build", required=True)
    parser.add_argument("--hook", action="append")
    parser.add_argument("--traces", action="store_true", help="also the recorded captures of others")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()

    groups = list(grouped(all_captures(options.source, options.build, options.traces)))
    failed = False
    for hook in options.hook or ["tc", "xdp"]:
        totals = collections.Counter()
        for group in groups:
            done = subprocess.run([options.replay, hook] + group, text=True, capture_output=True)
            if done.returncode == SKIPPED:
                print(done.stdout.strip().splitlines()[-1])
                return SKIPPED
            failed |= done.returncode != 0
            for line in done.stdout.splitlines():
                if options.verbose or re.search("UNEXPLAINED|AMBIGUOUS|TWIN", line):
                    print(line)
                figures = re.search(r": (\d+) packets, (\d+) pairs, (\d+) equal(.*)", line)
                if not figures:
                    totals["captures without Ethernet"] += 1
                    continue
                totals["captures, small ones as one"] += 1
                for name, value in zip(("packets", "pairs", "equal"), figures.groups()):
                    totals[name] += int(value)
                for count, reason in re.findall(r"; (\d+) ([^;]+)", figures.group(4)):
                    totals[reason] += int(count)
                few = re.search(r"with 8 KiB (\d+) samples", line)
                totals["samples with 8 KiB, equal to the twin's byte by byte"] += int(few.group(1))
            if done.returncode not in (0, 1) or options.verbose:
                print(done.stderr.strip())
            elif done.returncode:
                print(done.stderr.strip()[:2000])
        print(f"{hook}:")
        for name, count in totals.items():
            print(f"  {count:>9}  {name}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
