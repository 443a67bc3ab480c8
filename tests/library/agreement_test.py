"""The installed program and the installed library say the same of every capture, to the nanosecond.

    agreement_test.py PROGRAM FOLDER-OF-CAPTURES
"""
import glob
import json
import os
import subprocess
import sys

import sojourn

CHOICES = [({}, []), ({"memory": "64KiB"}, ["--memory", "64KiB"]),
           ({"table": "staged", "memory": "16KiB"}, ["--table", "staged", "--memory", "16KiB"])]


def captures(folder):
    names = (glob.glob(os.path.join(folder, pattern)) for pattern in ("*.pcap", "*.pcapng", "*.pcap.gz"))
    return sorted(name for group in names for name in group)


def compare(said, delays, where):
    """How many quantiles were compared."""
    compared = 0
    for kind, figures in said["kinds"].items():
        requests = delays.requests(kind)
        assert requests["requests"] == figures["requests"], (where, kind, requests, figures)
        distribution = delays.distribution(kind)
        assert len(distribution) == figures["samples"], (where, kind)
        for quantile in figures["quantiles"]:
            ours = distribution.quantile(quantile["q"])
            low, high = distribution.interval(quantile["q"])
            assert (ours, low, high) == (quantile["delay_ns"], quantile["low_ns"], quantile["high_ns"]), (
                where, kind, quantile, ours, low, high)
            compared += 1
    return compared


def main():
    program, folder = sys.argv[1:]
    compared = 0
    for capture in captures(folder):
        for options, arguments in CHOICES:
            done = subprocess.run([program, "rtt", capture, "--json", "--seed", "1", *arguments], check=True, capture_output=True)
            compared += compare(json.loads(done.stdout), sojourn.rtt(capture, seed=1, **options), (capture, arguments))
    assert compared > 500, f"only {compared} quantiles: this compares nothing"
    print(f"{compared} quantiles and their intervals agree")


main()
