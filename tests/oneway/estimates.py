#!/usr/bin/env python3
"""Do the methods that estimate come near what `sojourn generate --points 2` did?

A queue at 90 % load, a reference packet ahead of every 20th packet.  RLI must know the mean of all
packets within 5 %, and half of the flows within 25 %; LDA the mean of all packets within 5 %.  All is
seeded, so there is no false alarm; that a delay off by a tenth would be noticed is tried as well.
"""
import csv
import json
import statistics
import sys

from tool import Sojourn


def flow_means(path):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    key = ("protocol", "source", "source_port", "destination", "destination_port")
    return {tuple(row[name] for name in key): (float(row["delay_mean_ns"]), int(row["packets"]) - int(row["lost"] or 0))
            for row in rows if row["delay_mean_ns"]}


def total_of(tool, first, last, *options):
    return json.loads(tool.run("oneway", first, last, "--json", *options).stdout)["delay"]["mean_ns"]


def is_near(found, true, limit):
    return abs(found - true) <= limit * true


def main():
    tool = Sojourn(sys.argv[1])
    first, last = tool.generate("estimates", "--packets", "100000", "--duration", "5s", "--path", "droptail",
                                "--utilisation", "0.9", "--references", "20", "--seed", "3")
    truth = flow_means("estimates.flows.csv")
    packets = sum(count for _, count in truth.values())
    true_mean = sum(mean * count for mean, count in truth.values()) / packets
    fine = True
    for method in ("rli", "rli-l"):
        tool.run("oneway", first, last, "--method", method, "--flows", f"{method}.flows.csv")
        found = flow_means(f"{method}.flows.csv")
        errors = [abs(found[key][0] - mean) / mean for key, (mean, _) in truth.items() if key in found]
        total = total_of(tool, first, last, "--method", method)
        middle = statistics.median(errors)
        good = len(errors) > 0.9 * len(truth) and middle < 0.25 and is_near(total, true_mean, 0.05)
        good &= not is_near(1.1 * total, true_mean, 0.05)
        print(f"{method}: {len(errors)} of {len(truth)} flows, half within {100 * middle:.1f} %; all packets "
              f"{total / 1e6:.4f} ms, truly {true_mean / 1e6:.4f} ms{'' if good else '  <-- WRONG'}")
        fine &= good
    total = total_of(tool, first, last, "--method", "lda")
    good = is_near(total, true_mean, 0.05) and not is_near(1.1 * total, true_mean, 0.05)
    print(f"lda: all packets {total / 1e6:.4f} ms{'' if good else '  <-- WRONG'}")
    text = tool.run("oneway", first, last, "--method", "lda").stdout
    if "all packets: mean" not in text:
        fine = False
        print("lda: the report does not say the mean  <-- WRONG")

    tool.generate("plain", "--packets", "1000", "--seed", "3")
    refused = tool.run("oneway", "plain.first.pcap", "plain.last.pcap", "--method", "rli", status=1).stderr
    if "no reference packets" not in refused:
        fine = False
        print(f"without reference packets: {refused}  <-- WRONG")
    return 0 if fine and good else 1


if __name__ == "__main__":
    sys.exit(main())
