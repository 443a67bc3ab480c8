#!/usr/bin/env python3
"""Checks of marking_collector.sh.

    same JOINED ASKED    the report of the points' files, and that of the collector's store
    flowing LAST.csv     the last interval that was read has packets, marked or not
"""
import csv
import json
import sys


def without_names(report):
    """What is measured: names of files, the seed and the time it took are not."""
    if isinstance(report, dict):
        return {key: without_names(value) for key, value in report.items()
                if key not in ("elapsed_s", "elapsed_ns", "seconds", "file", "name", "capture", "seed")}
    if isinstance(report, list):
        return [without_names(each) for each in report]
    return report


def same(joined, asked):
    with open(joined, encoding="utf-8") as one, open(asked, encoding="utf-8") as other:
        files, store = json.load(one), json.load(other)
    tables = json.dumps(files)
    if '"lost"' not in tables:
        sys.exit("no losses are in the report: the check compares nothing")
    for key in sorted(set(files) | set(store)):
        if without_names(files.get(key)) != without_names(store.get(key)):
            print(f"{key}:\n  files {json.dumps(files.get(key))[:2000]}\n  store {json.dumps(store.get(key))[:2000]}")
            sys.exit(1)
    print(f"  the same: {len(tables)} characters of report")


def flowing(last):
    with open(last, encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["flow"]]
    newest = max(int(row["number"]) for row in rows)
    packets = sum(int(row["packets"]) + int(row["other"]) for row in rows if int(row["number"]) == newest)
    print(f"  {packets} packets in the newest interval")
    sys.exit(0 if packets > 0 else 1)


if __name__ == "__main__":
    {"same": same, "flowing": flowing}[sys.argv[1]](*sys.argv[2:])
