#!/usr/bin/env python3
"""How fast is `sojourn oneway`, beside tshark reading the same two captures?

    bench/oneway.py SOJOURN [--packets N] [--rounds N]

Packets are those of both captures together, seconds are those of the processor (user and system).
Runs take turns, the cheapest of each counts: noise only ever adds.  Only ratios of one run mean
anything.  tshark matches nothing here; it only prints time, addresses and identification, which a
script would have to join.
"""
import argparse
import os
import resource
import shutil
import subprocess
import tempfile


def seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sojourn")
    parser.add_argument("--packets", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    pin = ["taskset", "-c", "0"] if shutil.which("taskset") else []
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "two")
        made = subprocess.run([options.sojourn, "generate", "--points", "2", name, "--packets", str(options.packets),
                               "--loss", "0.01", "--seed", "1"], check=True, capture_output=True, text=True).stdout
        first, last = name + ".first.pcap", name + ".last.pcap"
        packets = sum(int(line.split(": ")[1].split(" packets")[0].replace(" ", "")) for line in made.splitlines()[:2])
        fields = ["-T", "fields", "-e", "frame.time_epoch", "-e", "ip.src", "-e", "ip.dst", "-e", "ip.id"]
        contenders = {
            "sojourn oneway": ([pin + [options.sojourn, "oneway", first, last]], options.rounds),
            "sojourn oneway --flows": ([pin + [options.sojourn, "oneway", first, last, "--flows", name + ".csv"]], options.rounds),
            "sojourn oneway --sampling 0.01": ([pin + [options.sojourn, "oneway", first, last, "--sampling", "0.01"]], options.rounds),
        }
        if shutil.which("tshark"):
            contenders["tshark -T fields, both"] = ([pin + ["tshark", "-n", "-r", path, *fields] for path in (first, last)], 1)
        best = {}
        for turn in range(options.rounds):
            for contender, (commands, rounds) in contenders.items():
                if turn < rounds:
                    took = sum(map(seconds, commands))
                    best[contender] = min(took, best.get(contender, took))
        base = best["sojourn oneway"]
        print(f"{packets} packets in both captures")
        for contender, took in best.items():
            print(f"{contender:32} {packets / took / 1e6:8.2f} M packets/s   {base / took:7.4f} of sojourn oneway")


if __name__ == "__main__":
    main()
