#!/usr/bin/env python3
"""Clocks that drift: what --correct-skew and --clock-error make of a generated pair.

The same traffic twice, once by clocks that agree and once with a drift of 80 ppm: 1.6 ms over 20 s, as
much as the delays themselves.  Corrected, every flow's mean must come within 60 us of the true one, and
the drift must be found within 5 ppm; not corrected it is off by a millisecond, which this test would
notice.  All is seeded, so there is no false alarm.
"""
import csv
import json
import sys

from tool import Sojourn

DRIFT_PPM = 80
NEAR_NS = 60_000


def means(path):
    with open(path, newline="") as file:
        return {tuple(list(row.values())[:5]): float(row["delay_mean_ns"]) for row in csv.DictReader(file) if row["delay_mean_ns"]}


def worst_error(truth, found):
    assert truth.keys() == found.keys(), "other flows"
    return max(abs(found[flow] - mean) for flow, mean in truth.items())


def main(tool):
    options = ["--packets", "100000", "--duration", "20s", "--seed", "4"]
    tool.generate("true", *options)
    first, last = tool.generate("drifting", *options, "--clock-drift", str(DRIFT_PPM))
    truth = means("true.flows.csv")
    plain = json.loads(tool.run("oneway", first, last, "--json").stdout)
    tool.run("oneway", first, last, "--flows", "plain.csv")
    corrected = json.loads(tool.run("oneway", first, last, "--correct-skew", "--clock-error", "25us", "--json").stdout)
    tool.run("oneway", first, last, "--correct-skew", "--flows", "corrected.csv")
    before, after = (worst_error(truth, means(name)) for name in ("plain.csv", "corrected.csv"))
    checks = {
        "the drift is found": abs(plain["clock"]["skew_ppm"] - DRIFT_PPM) < 5 and plain["clock"]["skew_significant"],
        "and not taken out unasked": not plain["clock"]["skew_corrected"] and before > 1_000_000,
        "asked, it is": corrected["clock"]["skew_corrected"] and after < NEAR_NS,
        "the clock error is said": corrected["clock"]["error_ns"] == 25_000 and plain["clock"]["error_ns"] is None,
    }
    text = " ".join(tool.run("oneway", first, last, "--correct-skew", "--clock-error", "25us").stdout.split())
    checks["in words, too"] = "within 25.00 us of the truth" in text and "gains" in text and "was taken out" in text
    print(f"drift {plain['clock']['skew_ppm']:.2f} ppm; worst flow off by {before / 1e3:.0f} us, corrected {after / 1e3:.1f} us")
    for what, fine in checks.items():
        print(f"{'ok     ' if fine else 'FAILED '} {what}")
    return all(checks.values())


if __name__ == "__main__":
    sys.exit(0 if main(Sojourn(sys.argv[1])) else 1)
