#!/usr/bin/env python3
"""What does a live measurement take from the traffic that it measures?

    bench/kernel_live.py [--build DIR] [--rounds N] [--seconds S] [--warm-up S] [--only small|iperf3] [--json FILE]

Two network namespaces and a veth pair between them.  Small packets as fast as a socket sends them, then iperf3, each
without us, with the kernel engine and with the socket engine on the receiving interface, in turns.  The sender
pays for the receiver's kernel too: what the program costs is missing from its rate, which is by the second of its CPU.
Small packets are sent for --warm-up seconds before they are measured: the engine admits 50 000 requests a second, but those that came
before it measured the rate may still wait, and are looked up, until --expire (10 s) is over; --warm-up 0 shows what that costs.
iperf3 is shown twice: as the rate that it reached, which other programs disturb, and by the second of CPU that its two ends used.
Only ratios of one run mean anything; behind each stands the 95 % interval of the median of the rounds.  Needs root; says so and ends with 77 otherwise.
"""
import argparse
import json
import math
import os
import re
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path

from two_namespaces import FAR, NEAR, inside, run, set_up, tear_down

ROOT = Path(__file__).resolve().parent.parent
WAYS = ("without", "kernel", "socket")


class Engine:
    """A measurement beside the traffic; none for "without"."""

    def __init__(self, sojourn, way):
        self.process, self.report = None, None
        if way == "without":
            return
        self.process = subprocess.Popen(inside(FAR, sojourn, "rtt", "-i", "far0", "--engine", way, "--json"),
                                        text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(200):  # until it has opened all and given up root
            status = Path(f"/proc/{self.process.pid}/status").read_text()
            if re.search(r"^Uid:\s+65534", status, re.M) or self.process.poll() is not None:
                break
            time.sleep(0.05)
        time.sleep(1.3)  # in the first second it measures its own cost, which costs

    def end(self):
        if not self.process:
            return None
        time.sleep(0.2)
        self.process.send_signal(signal.SIGINT)
        out, err = self.process.communicate(timeout=60)
        if self.process.returncode:
            raise RuntimeError(err.strip())
        return json.loads(out)


def small_packets(options, way):
    engine = Engine(options.sojourn, way)
    before, sending = 0, [*inside(NEAR, "taskset", "-c", "0", options.queries, "198.51.100.2")]
    if options.warm_up > 0 and way == "kernel":
        before = int(run(*sending, str(options.warm_up)).stdout.split()[0])
    sent, _, seconds = run(*sending, str(options.seconds)).stdout.split()  # of the CPU, the receiving kernel's part included
    report = engine.end()
    lost = {}
    if report:
        lost = {"missed": report["engine"]["missed"], "seen": report["kinds"]["dns"]["requests"], "sent": int(sent) + before}
    return float(sent) / float(seconds), lost


def bulk(options, way):
    server = subprocess.Popen(inside(FAR, "iperf3", "--server", "--one-off"), stdout=subprocess.DEVNULL)
    time.sleep(0.3)
    engine = Engine(options.sojourn, way)
    done = run(*inside(NEAR, "iperf3", "--client", "198.51.100.2", "--json", "--time", str(max(1, round(options.seconds)))))
    server.wait(timeout=30)
    report = engine.end()
    end = json.loads(done.stdout)["end"]
    rate, busy = end["sum_received"]["bits_per_second"], end["cpu_utilization_percent"]
    cores = (busy["host_total"] + busy["remote_total"]) / 100
    return rate, {"missed": report["engine"]["missed"] if report else 0, "by_cpu": rate / cores}


def measure(options, what):
    """By way: the rates of all rounds, and what was lost in them."""
    rates, lost = {way: [] for way in WAYS}, {way: [] for way in WAYS}
    for turn in range(options.rounds):
        for way in WAYS[turn % 3:] + WAYS[:turn % 3]:
            rate, loss = what(options, way)
            rates[way].append(rate)
            lost[way].append(loss)
    return rates, lost


def interval(ratios):
    """The 95 % interval of the median by order statistics: the k-th least and the k-th most, k by the binomial law."""
    count, k, tail = len(ratios), 0, 0.0
    while k < count // 2 and tail + math.comb(count, k) / 2**count <= 0.025:
        tail += math.comb(count, k) / 2**count
        k += 1
    return sorted(ratios)[max(k - 1, 0)], sorted(ratios)[-max(k, 1)]


def table(title, unit, scale, rates, lost):
    print(f"\n{title}\n  {'':<9}{'least':>9}{'median':>9}{'most':>9}  {unit:<12}{'of the rate without us':<26}lost")
    rows = {}
    for way in WAYS:
        ratios = [rate / base for rate, base in zip(rates[way], rates["without"])]
        middle, low, high = statistics.median(ratios), *interval(ratios)
        best = max(rates[way]) / max(rates["without"])
        missed = sum(loss.get("missed", 0) for loss in lost[way])
        unseen = sum(loss["sent"] - loss["seen"] for loss in lost[way] if "sent" in loss)
        share = "" if way == "without" else f"{middle:.3f} ({low:.3f} to {high:.3f})"
        words = "" if way == "without" else f"{missed} missed" + (f", {unseen} requests not seen" if unseen else "")
        print(f"  {way:<9}{min(rates[way]) / scale:>9.3g}{statistics.median(rates[way]) / scale:>9.3g}"
              f"{max(rates[way]) / scale:>9.3g}  {'':<12}{share:<26}{words}")
        rows[way] = {"rates": rates[way], "ratio": middle, "least": low, "most": high, "of_the_best": best,
                     "missed": missed, "unseen": unseen}
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=str(ROOT / "build" / "release"))
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--warm-up", type=float, default=12)
    parser.add_argument("--only", choices=("small", "iperf3"))
    parser.add_argument("--json")
    options = parser.parse_args()
    options.sojourn = os.path.join(options.build, "sojourn")
    options.queries = os.path.join(options.build, "bench", "sojourn-bench-queries")
    if not os.path.exists(options.queries):
        options.queries = os.path.join(options.build, "sojourn-bench-queries")
    if os.geteuid() != 0:
        print("skipped: needs root")
        return 77
    try:
        trouble = set_up()
        if trouble:
            print(f"skipped: {trouble}")
            return 77
        for namespace, device, address in ((NEAR, "near0", "198.51.100.1/24"), (FAR, "far0", "198.51.100.2/24")):
            run("ip", "-n", namespace, "address", "add", address, "dev", device)
        sink = subprocess.Popen(inside(FAR, sys.executable, "-c",  # takes the queries and lets them lie
                                       "import socket,time; s=socket.socket(socket.AF_INET, socket.SOCK_DGRAM); "
                                       "s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096); "
                                       "s.bind(('198.51.100.2', 53)); time.sleep(3600)"))
        time.sleep(0.5)
        probe = run(*inside(FAR, options.sojourn, "rtt", "-i", "far0", "--engine", "kernel", "--duration", "10ms"))
        if probe.returncode:
            print(f"skipped: {probe.stderr.strip()}")
            return 77
        print(f"veth pair, in turns, {options.rounds} rounds of {options.seconds:g} s")
        figures = {}
        if options.only != "iperf3":
            figures["small_packets"] = table("small packets, by a second of the sender's CPU", "million/s", 1e6, *measure(options, small_packets))
        if options.only != "small":
            rates, lost = measure(options, bulk)
            figures["iperf3"] = table("iperf3", "Gbit/s", 1e9, rates, lost)
            by_cpu = {way: [loss["by_cpu"] for loss in lost[way]] for way in WAYS}
            figures["iperf3_by_cpu"] = table("iperf3, by a second of CPU of both its ends", "Gbit/s", 1e9, by_cpu, lost)
        sink.kill()
    finally:
        tear_down()
    if options.json:
        Path(options.json).write_text(json.dumps(figures, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
