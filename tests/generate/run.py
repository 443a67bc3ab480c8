#!/usr/bin/env python3
"""Generated captures hold exactly what their truth says, and other tools find the same.

    run.py --sojourn PROGRAM --build DIR truth|tcptrace|tshark

truth:    every sample of `sojourn rtt` is in FILE.truth.csv and the other way round, to the
          nanosecond, for each model and several seeds; equal seeds give equal files; a truth with
          one sample changed or missing is noticed.
tcptrace: without losses, tcptrace counts as many round trips each way, of the same extremes.
tshark:   with losses and reordering, no difference to tshark that tests/peers cannot explain.
"""
import argparse
import collections
import csv
import filecmp
import io
import os
import re
import shutil
import subprocess
import sys

SKIPPED = 77
HERE = os.path.dirname(os.path.abspath(__file__))
COLUMNS = "time_ns,kind,leg,requester,requester_port,responder,responder_port,delay_ns,weight".split(",")

CASES = [
    ["--model", "fridge", "--requests", "30000"],
    ["--model", "fridge", "--requests", "20000", "--longest", "64ms", "--rate", "2e5", "--answered", "1"],
    ["--model", "bursts", "--requests", "100000"],
    ["--model", "isp", "--packets", "100000"],
    ["--model", "isp", "--packets", "20000", "--flows", "3", "--duration", "2s"],
    ["--model", "tcp", "--packets", "20000"],
    ["--model", "tcp", "--packets", "40000", "--loss", "0.02", "--reorder", "0.02"],
    ["--model", "tcp", "--packets", "20000", "--flows", "4", "--loss", "0.1", "--reorder", "0.1", "--snap-length", "2000"],
]


def generated(arguments, name, options, seed=1):
    path = os.path.join(arguments.build, name)
    subprocess.run([arguments.sojourn, "generate", path, "--seed", str(seed), *options], check=True, stdout=subprocess.DEVNULL)
    return path


def rows(text):
    reader = csv.DictReader(text)
    if reader.fieldnames != COLUMNS:
        sys.exit(f"run.py: the columns are {reader.fieldnames}")
    return collections.Counter(tuple(row.values()) for row in reader)


def measured(arguments, path, *options):
    run = subprocess.run([arguments.sojourn, "rtt", path, "--samples", "-", *options], capture_output=True, text=True, check=True)
    return rows(io.StringIO(run.stdout))


def differences(found, truth):
    return sum((found - truth).values()) + sum((truth - found).values())


def check_truth(arguments):
    failed = False
    for seed in (1, 2):
        for number, options in enumerate(CASES):
            path = generated(arguments, f"case{number}.pcap", options, seed)
            with open(path + ".truth.csv") as file:
                truth = rows(file)
            found = measured(arguments, path)
            wrong = differences(found, truth)
            print(f"seed {seed} {' '.join(options)}: {sum(truth.values())} samples, {wrong} differ")
            failed |= wrong != 0 or not truth
    sample = next(iter(truth))
    longer = (*sample[:7], str(int(sample[7]) + 1), sample[8])
    for lie in (truth - collections.Counter([sample]), truth - collections.Counter([sample]) + collections.Counter([longer])):
        if not differences(found, lie):
            print("a wrong truth was not noticed")
            failed = True
    first, second, third = (generated(arguments, f"again{n}.pcap", CASES[6], seed) for n, seed in enumerate((1, 1, 2)))
    if not filecmp.cmp(first, second, False) or filecmp.cmp(first, third, False):
        print("equal seeds must give equal captures, others other ones")
        failed = True
    return failed


def of_tcptrace(path):
    """{(sender, port, receiver, port): (samples, least, most)} as printed"""
    text = subprocess.run(["tcptrace", "-nlr", path], capture_output=True, text=True, check=True).stdout
    found = {}
    for part in text.split("TCP connection ")[1:]:
        ends = re.search(r"host \w+:\s+(\S+):(\d+)\n\s+host \w+:\s+(\S+):(\d+)", part)
        if not ends:
            continue
        pairs = [re.search(name + r":\s+(\S+)(?: ms)?\s+" + name + r":\s+(\S+)", part).groups()
                 for name in ("RTT samples", "RTT min", "RTT max")]
        a, b = ends.groups()[:2], ends.groups()[2:]
        found[a + b], found[b + a] = (tuple(pair[way] for pair in pairs) for way in (0, 1))
    return found


def check_tcptrace(arguments):
    if not shutil.which("tcptrace"):
        print("skipped: tcptrace is not installed")
        sys.exit(SKIPPED)
    path = generated(arguments, "tcptrace.pcap", ["--model", "tcp", "--packets", "20000"])
    theirs, ours = of_tcptrace(path), collections.defaultdict(list)
    for row in measured(arguments, path, "--kind", "tcp").elements():
        ours[row[3:7]].append(int(row[7]) / 1e6)
    wrong = [(way, printed, values) for way, printed in theirs.items() if (values := ours[way]) and
             printed != (str(len(values)), f"{min(values):.1f}", f"{max(values):.1f}")]
    print(f"{len(theirs)} directions, {len(wrong)} differ", *wrong[:5], sep="\n")
    return bool(wrong) or len(theirs) < 100 or set(ours) - set(theirs)


def check_tshark(arguments):
    if not shutil.which("tshark"):
        print("skipped: tshark is not installed")
        sys.exit(SKIPPED)
    paths = [generated(arguments, "tshark.pcap", ["--model", "tcp", "--packets", "12000", "--loss", "0.03", "--reorder", "0.03"]),
             generated(arguments, "tshark-isp.pcap", ["--model", "isp", "--packets", "5000"]),
             generated(arguments, "tshark-bursts.pcap", ["--model", "bursts", "--requests", "5000"])]
    compare = os.path.join(HERE, "..", "peers", "compare_tshark.py")
    return subprocess.run([sys.executable, compare, "--sojourn", arguments.sojourn,
                           "--cache", os.path.join(arguments.build, "tshark"), *paths]).returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sojourn", required=True)
    parser.add_argument("--build", required=True)
    parser.add_argument("part", choices=("truth", "tcptrace", "tshark"))
    arguments = parser.parse_args()
    os.makedirs(arguments.build, exist_ok=True)
    failed = {"truth": check_truth, "tcptrace": check_tcptrace, "tshark": check_tshark}[arguments.part](arguments)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
