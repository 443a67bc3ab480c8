"""The installed program and the installed library say the same of every capture, to the nanosecond.

    agreement_test.py PROGRAM FOLDER-OF-CAPTURES
"""
import csv
import glob
import io
import json
import os
import subprocess
import sys

import sojourn

CHOICES = [({}, []), ({"memory": "64KiB"}, ["--memory", "64KiB"]),
           ({"table": "staged", "memory": "16KiB"}, ["--table", "staged", "--memory", "16KiB"]),
           ({"by": "host", "filter": "tcp or udp port 53"}, ["--by", "host", "--filter", "tcp or udp port 53"]),
           ({"threads": 2, "kinds": ["tcp", "response", "tls", "dns"]}, ["--threads", "2", "--kind", "tcp,response,tls,dns"])]
PROTOCOLS = {"icmp": 1, "tcp": 6, "udp": 17, "icmpv6": 58}


def captures(folder):
    names = (glob.glob(os.path.join(folder, pattern)) for pattern in ("*.pcap", "*.pcapng", "*.pcap.gz"))
    return sorted(name for group in names for name in group)


def compare_distributions(said, ours, where):
    """How many quantiles were compared."""
    assert len(ours) == said["samples"], (where, len(ours), said["samples"])
    for figure, value in (("min_ns", ours.min), ("max_ns", ours.max), ("mean_ns", ours.mean)):
        assert said[figure] == value, (where, figure, said[figure], value)
    for quantile in said["quantiles"]:
        low, high = ours.interval(quantile["q"])
        found = (ours.quantile(quantile["q"]), low, high)
        assert found == (quantile["delay_ns"], quantile["low_ns"], quantile["high_ns"]), (where, quantile, found)
    return len(said["quantiles"])


def compare(said, delays, where):
    """How many quantiles of kinds, legs and groups were compared."""
    kinds = legs = 0
    for kind, figures in said["kinds"].items():
        requests = delays.requests(kind)
        wanted = {"requests": figures["requests"], "ambiguous": figures["ambiguous"], "unanswered": figures["unmatched_requests"]}
        assert requests == wanted, (where, kind, requests, wanted)
        kinds += compare_distributions(figures, delays.distribution(kind), (where, kind))
        for leg, of_leg in figures.get("legs", {}).items():
            legs += compare_distributions(of_leg, delays.distribution(kind, leg), (where, kind, leg))
    ours = {(label, kind, leg): distribution for label, kind, leg, distribution in delays.groups(1_000_000)}
    theirs = {(group["group"], group["kind"], group["leg"]): group for group in said["groups"]}
    assert not said["groups"] or set(theirs) <= set(ours), (where, set(theirs) - set(ours))
    groups = sum(compare_distributions(group, ours[key], (where, key)) for key, group in theirs.items())
    return kinds, legs, groups


def number(text):
    return float(text) if text else float("nan")


def compare_flows(program, first, last, method, sampling):
    """How many flows were compared.  The program writes whole nanoseconds."""
    command = [program, "oneway", first, last, "--method", method, "--sampling", str(sampling), "--seed", "1", "--flows", "-"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    columns = (("delay_mean_ns", "mean_ns"), ("delay_stddev_ns", "stddev_ns"), ("delay_min_ns", "min_ns"), ("delay_max_ns", "max_ns"),
               ("lost", "lost"), ("delay_margin_ns", "margin_ns"))
    theirs = {}
    for row in csv.DictReader(io.StringIO(done.stdout)):
        key = (PROTOCOLS.get(row["protocol"], row["protocol"]), row["source"], int(row["source_port"]), row["destination"],
               int(row["destination_port"]))
        theirs[key] = [number(row["packets"])] + [number(row[column]) for column, _ in columns]
    flows = sojourn.oneway(first, last, method=method, sampling=sampling, seed=1).flows
    ours = {}
    for flow in flows:
        key = (int(flow["protocol"]), str(sojourn.address(flow["source"])), int(flow["source_port"]),
               str(sojourn.address(flow["destination"])), int(flow["destination_port"]))
        ours[key] = [float(flow["packets"])] + [float(flow[column]) for _, column in columns]
    assert set(ours) == set(theirs), (first, method, set(ours) ^ set(theirs))
    for key, values in ours.items():
        for value, said in zip(values, theirs[key]):
            assert value == said or abs(value - said) <= 0.5 or (value != value and said != said), (first, method, key, values, theirs[key])
    return len(ours)


def main():
    program, folder = sys.argv[1:]
    compared = [0, 0, 0]
    for capture in captures(folder):
        for options, arguments in CHOICES:
            done = subprocess.run([program, "rtt", capture, "--json", "--seed", "1", *arguments], check=True, capture_output=True)
            found = compare(json.loads(done.stdout), sojourn.rtt(capture, seed=1, samples=False, **options), (capture, arguments))
            compared = [before + more for before, more in zip(compared, found)]
    pair = [os.path.join(folder, name) for name in ("bulk.pcap.gz", "bulk.server.pcap.gz")]
    flows = sum(compare_flows(program, *pair, method, sampling) for method, sampling in (("exact", 1.0), ("multiflow", 0.5)))
    print(f"{compared[0]} quantiles of kinds, {compared[1]} of legs, {compared[2]} of groups and their intervals agree, {flows} flows")
    assert min(compared) > 500 and flows >= 8, "this compares too little"


main()
