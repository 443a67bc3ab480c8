#!/usr/bin/env python3
"""`sojourn lab compare` and `tune` on every recorded TCP capture with 1000 samples and more.

    run.py --sojourn PROGRAM --source DIR --build DIR

For each capture: compare's exact quantiles are those of `sojourn rtt`; with ample memory every
table but fridges-ivw estimates the right number of pairs, and the median is right; tailored, the
choice of --memory alone, finds 99 % of the pairs; the command that
tune advises is accepted by `sojourn rtt`, and the median of its error over seven seeds is no more
than twice what was asked for.  All seeds are fixed, so the outcome does not depend on the day.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys

sys.dont_write_bytecode = True  # leave the source folder as it is
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import traces  # noqa: E402

LEAST_SAMPLES = 1000
AMPLE = "4MiB"
WITHIN = 0.1


def call(arguments, *words):
    run = subprocess.run([arguments.sojourn, *words], capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"run.py: sojourn {' '.join(words)} ended with {run.returncode}: {run.stderr.strip()}")
    return json.loads(run.stdout)


def of_rtt(arguments, capture, *options):
    return call(arguments, "rtt", capture, "--kind", "tcp", "--json", *options)["kinds"]["tcp"]


def quantiles(kind):
    return {q["q"]: q["delay_ns"] for q in kind["quantiles"]}


def complaints(arguments, capture, exact):
    truth = quantiles(exact)
    compared = call(arguments, "lab", "compare", capture, "--memory", f"4KiB,{AMPLE}", "--seeds", "3", "--json")
    for row in compared["input"]["quantiles"]:
        if row["q"] in truth and row["delay_ns"] != truth[row["q"]]:
            yield f"compare has {row}, rtt {truth[row['q']]}"
    if compared["input"]["pairs"] != exact["samples"]:
        yield f"compare has {compared['input']['pairs']} pairs, rtt {exact['samples']}"
    ample = [row for row in compared["tables"] if row["memory_bytes"] == 4 << 20]
    if len(ample) < 5:
        yield "tables are missing"
    for row in ample:
        if row["table"] != "fridges-ivw" and not (0.9 < row["estimated_by_true_pairs"] < 1.1 and row["p50_octaves"] < 0.1):
            yield f"with ample memory: {row}"
        if row["table"] == "tailored" and row["samples"] < 0.99 * exact["samples"]:
            yield f"with ample memory not every pair is found: {row}"
    tuned = call(arguments, "lab", "tune", capture, "--target", "p99 within 10%", "--seeds", "5", "--json")
    best = tuned["best"]
    if not best:
        print("   no table met the target")
        return
    errors = [abs(quantiles(of_rtt(arguments, capture, "--seed", str(seed), *best["arguments"].split()))[0.99] / truth[0.99] - 1)
              for seed in range(7)]
    print(f"   {best['arguments']}: p99 off by {100 * statistics.median(errors):.1f} %")
    if statistics.median(errors) > 2 * WITHIN:
        yield f"{best['arguments']} is off by {errors}"


def generated(arguments):
    """One capture that is there on every machine."""
    capture = os.path.join(arguments.build, "generated.pcap")
    subprocess.run([arguments.sojourn, "generate", "--model", "tcp", "--seed", "1", capture], check=True,
                   capture_output=True)
    return capture


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sojourn", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--build", required=True)
    arguments = parser.parse_args()
    tried, wrong = 0, 0
    more = traces.folder(arguments.source)
    captures = [generated(arguments)] + (list(traces.captures(more, arguments.build)) if more else [])
    for capture in captures:
        run = subprocess.run([arguments.sojourn, "rtt", capture, "--kind", "tcp", "--json"], capture_output=True, text=True)
        exact = json.loads(run.stdout)["kinds"]["tcp"] if run.returncode == 0 else {"samples": 0}
        if exact["samples"] < LEAST_SAMPLES:
            continue
        tried += 1
        print(f"{os.path.basename(capture)}: {exact['samples']} samples")
        for line in complaints(arguments, capture, exact):
            wrong += 1
            print(f"   WRONG: {line}")
    print(f"{tried} captures, {wrong} complaints")
    return 1 if wrong or tried < (5 if more else 1) else 0


if __name__ == "__main__":
    sys.exit(main())
