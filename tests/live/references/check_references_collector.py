#!/usr/bin/env python3
"""check_references_collector.py FLOWS.csv ASKED.csv ASKED.json LEDGER.json: what a point wrote, and what the collector's store says.

Line by line, then added up by flow: packets, mean and deviation of all intervals.  And every packet is in the ledger.
"""
import csv
import json
import math
import sys

KEY = ("protocol", "source", "source_port", "destination", "destination_port")


def rows_of(path):
    with open(path, encoding="utf-8") as file:
        return sorted(tuple(row.items()) for row in csv.DictReader(file))


def main():
    flows_path, asked_path, json_path, ledger_path = sys.argv[1:]
    written, asked = rows_of(flows_path), rows_of(asked_path)
    if not written or len({dict(row)["begin_ns"] for row in written}) < 2:
        sys.exit("the point wrote nothing, or one interval only: nothing is shown")
    if not any(":" in dict(row)["source"] for row in written):
        sys.exit("no flow over IPv6")
    if written != asked:
        sys.exit(f"{len(written)} lines and {len(asked)}: {set(written) ^ set(asked)}")
    sums = {}
    for row in map(dict, written):
        flow = sums.setdefault(tuple(str(row[name]) for name in KEY), [0, 0, 0.0, 0.0])
        flow[0] += int(row["packets"])
        if row["delay_mean_ns"]:
            measured, mean, deviation = int(row["measured"]), float(row["delay_mean_ns"]), float(row["delay_stddev_ns"])
            flow[1] += measured
            flow[2] += measured * mean
            flow[3] += measured * (mean**2 + deviation**2)
    with open(json_path, encoding="utf-8") as file:
        points = [json.loads(line) for line in file]
    if [point["point"] for point in points] != ["south"]:
        sys.exit(f"points {points}")
    for flow in points[0]["flows"]:
        packets, measured, total, squares = sums.pop(tuple(str(flow[name]) for name in KEY))
        if (flow["packets"], flow["measured"]) != (packets, measured):
            sys.exit(f"{flow}: {packets} packets, {measured} measured")
        if measured == 0:
            continue
        mean = total / measured
        deviation = math.sqrt(max(0, squares / measured - mean**2))
        # Lines have whole nanoseconds.
        if abs(flow["delay_mean_ns"] - mean) > 1 or abs(flow["delay_stddev_ns"] - deviation) > 0.001 * deviation + 50:
            sys.exit(f"{flow}: mean {mean}, deviation {deviation}")
    if sums:
        sys.exit(f"flows are missing: {sums}")
    packets = sum(int(dict(row)["packets"]) for row in written)
    with open(ledger_path, encoding="utf-8") as file:
        ledger, = json.load(file)["ledgers"]
    intervals = len({dict(row)["begin_ns"] for row in written})
    if not ledger["adds_up"] or ledger["packets_selected"] != packets or ledger["packets_exported"] != packets:
        sys.exit(f"{packets} packets in the file: {ledger}")
    # A record for each flow and interval; an interval may have no flow, and a line none.
    if ledger["references"] < len(written) + intervals or ledger["references"] != ledger["received"] - ledger["repeated"]:
        sys.exit(f"{len(written)} lines: {ledger}")
    print(f"  the same: {len(written)} lines, {len(points[0]['flows'])} flows, {packets} packets, "
          f"{points[0]['references']['used']} references")


if __name__ == "__main__":
    main()
