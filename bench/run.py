#!/usr/bin/env python3
"""How fast is `sojourn rtt`, beside the tools people use today?

    bench/run.py [--quick] [--json FILE] [--check]

All run on the same generated captures, on the same core, in turns, so that whatever else the
machine does meets all of them.  Of each the cheapest run counts: noise only ever adds.  Only
ratios of one run mean anything; the times are this machine's.
"""

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TCP_KINDS = "tcp,handshake,tcp-ts,flow"
FIXED_TABLES = ("staged", "fridge", "fridges", "leased")
# For the table and the state of 20 000 connections, half each.  Before `--memory` counted both, 4 MiB were for the table
# and connections took 8 MiB besides: the same job.
FIXED_MEMORY = "12MiB"


@dataclass
class Capture:
    """A generated file and the number of samples that each kind has to find in it."""

    path: Path
    flows: int
    timestamps: bool
    truth: dict

    @property
    def packets(self):
        return self.truth["packets"]


@dataclass
class Contender:
    """One command on one capture."""

    name: str
    capture: Capture
    command: list
    rounds: int
    pinned: bool = True
    runs: list = field(default_factory=list)

    @property
    def cpu(self):
        return min(run["user_s"] + run["system_s"] for run in self.runs)

    @property
    def wall(self):
        return min(run["wall_s"] for run in self.runs)

    @property
    def peak_mib(self):
        return max(run["peak_kib"] for run in self.runs) / 1024

    @property
    def rate(self):
        """Packets per second of CPU time."""
        return self.capture.packets / self.cpu

    @property
    def wall_rate(self):
        return self.capture.packets / self.wall


def forget(path):
    """Out of the page cache, so that it is read from the disk again.

    A kernel may let go of pages that rest and get them back one by one; a capture that has lain in
    the cache for hours is then there in single pages instead of large ones, which costs every reader
    more.  How long it has been there must not decide what is measured.
    """
    with open(path, "rb") as file:
        os.fsync(file.fileno())  # only what is on the disk can be let go
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def read_anew(path):
    """Into the page cache, as it would be after a first reading: we compare readers, not disks."""
    forget(path)
    with open(path, "rb") as file:
        while file.read(1 << 24):
            pass


class Bench:
    def __init__(self, options):
        self.options = options
        self.programs = options.build / "bench"
        self.sojourn = str(options.build / "sojourn")
        self.core = str(max(os.sched_getaffinity(0)))
        self.contenders = []
        self.problems = []

    def capture(self, packets, flows, timestamps):
        """Generates a capture once; its parameters are its name."""
        self.options.data.mkdir(parents=True, exist_ok=True)
        stamped = "with" if timestamps else "without"
        path = self.options.data / f"tcp-{packets}-packets-{flows}-flows-{stamped}-timestamps.pcap"
        truth = path.with_suffix(".truth.json")
        generator = self.programs / "sojourn-bench-capture"
        fresh = truth.exists() and truth.stat().st_mtime > generator.stat().st_mtime
        if not fresh:
            print(f"generating {path.name}", file=sys.stderr)
            made = subprocess.run(
                [generator, "--packets", str(packets), "--flows", str(flows),
                 "--timestamps", "on" if timestamps else "none", path],
                check=True, capture_output=True, text=True)
            truth.write_text(made.stdout)
        read_anew(path)
        return Capture(path, flows, timestamps, json.loads(truth.read_text()))

    def add(self, name, capture, command, rounds=None, pinned=True):
        contender = Contender(name, capture, command, rounds or self.options.rounds, pinned)
        self.contenders.append(contender)
        return contender

    def rtt(self, name, capture, *arguments, rounds=None, pinned=True):
        command = [self.sojourn, "rtt", str(capture.path), "--json", *arguments]
        return self.add(name, capture, command, rounds, pinned)

    def peer(self, name, capture, command, rounds=None):
        if shutil.which(command[0]):
            return self.add(name, capture, command, rounds)
        print(f"skipped: {command[0]} is not installed (tools/setup bench)", file=sys.stderr)
        return None

    def measure(self, contender, turn):
        """One run; gives what the command printed."""
        core = self.core if contender.pinned else "-"
        command = [str(self.programs / "sojourn-bench-measure"), core, *contender.command]
        if sys.stderr.isatty():
            print(f"\r\033[Kround {turn + 1}: {contender.name}", end="", file=sys.stderr)
        with tempfile.TemporaryFile() as report, tempfile.TemporaryFile() as output:
            # The measuring program reports on descriptor 3; the shell puts it there.
            shell = ["sh", "-c", f'exec 3>&{report.fileno()}; exec "$@"', "sh", *command]
            done = subprocess.run(shell, stdout=output, stderr=subprocess.PIPE,
                                  pass_fds=[report.fileno()])
            if done.returncode != 0:
                sys.exit(f"{contender.name}: {' '.join(contender.command)} ended with "
                         f"{done.returncode}: {done.stderr.decode().strip()}")
            report.seek(0)
            contender.runs.append(json.loads(report.read()))
            output.seek(0)
            return output.read()

    def run(self):
        for turn in range(max(contender.rounds for contender in self.contenders)):
            for contender in self.contenders:
                if turn >= contender.rounds:
                    continue
                printed = self.measure(contender, turn)
                if turn == 0 and contender.command[0] == self.sojourn:
                    self.check_samples(contender, json.loads(printed))
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr)

    def check_samples(self, contender, report):
        """A fast wrong answer is no answer.  Tables of fixed memory estimate; tests judge them."""
        if report["table"]["name"] != "exact":
            return
        for kind in ("tcp", "tcp-ts", "flow"):
            found = report["kinds"].get(kind, {}).get("samples")
            true = contender.capture.truth[kind]
            if found is not None and found != true:
                self.problems.append(f"{contender.name}: {found} {kind} samples, true are {true}")


def verdicts(rows):
    """What we promise (the numbers), and whether this run kept it."""
    targets = []

    def compare(text, target, peer, base="base", rate="rate"):
        if rows.get(peer) and rows.get(base):
            ratio = getattr(rows[base], rate) / getattr(rows[peer], rate)
            targets.append({"target": text, "at_least": target, "measured": ratio,
                            "met": ratio >= target})

    compare("times tcptrace's packets/s", 20, "tcptrace")
    compare("times tcptrace's packets/s, with timestamps and fewer flows", 20, "tcptrace_stamped",
            "stamped")
    compare("times tshark's packets/s", 300, "tshark")
    compare("times the bare libpcap loop's packets/s", 1, "libpcap")
    compare("times the bare libpcap loop's packets/s, with timestamps and fewer flows", 1,
            "libpcap_stamped", "stamped")
    compare("times one thread's speed with two, by the wall clock", 1.6, "base", "two", "wall_rate")
    for table in FIXED_TABLES:
        rate = rows[table].rate / 1e6
        targets.append({"target": f"M packets/s with --table {table} --memory {FIXED_MEMORY}", "at_least": 20,
                        "measured": rate, "met": rate >= 20})
    return targets


def operations(bench, name):
    """What one part does a second, alone: {(what, size): rate}, best of three."""
    program = bench.programs / f"bench_{name}"
    if bench.options.skip_operations:
        return {}
    if not program.exists():
        print(f"skipped: no bench_{name} (libbenchmark-dev; tools/setup bench)", file=sys.stderr)
        return {}
    done = subprocess.run(
        ["taskset", "-c", bench.core, program, "--benchmark_format=json", "--benchmark_repetitions=3",
         "--benchmark_min_time=0.2"],
        check=True, capture_output=True, text=True)
    best = {}
    for run in json.loads(done.stdout)["benchmarks"]:
        if run["run_type"] == "iteration":
            table, size = run["run_name"].split("/")[:2]
            key = (table, int(size))
            best[key] = max(best.get(key, 0), run["items_per_second"])
    return best


def print_operations(best):
    sizes = sorted({size for _, size in best})
    names = {64 << 10: "64 KiB", 4 << 20: "4 MiB", 256 << 20: "256 MiB"}
    print(f"\n{'M requests and responses/s, one core':44}" + "".join(f"{names[size]:>10}" for size in sizes))
    for table in dict.fromkeys(table for table, _ in best):
        print(f"{table:44}" + "".join(f"{best[table, size] / 1e6:>10.1f}" for size in sizes))


def print_table(contenders, base):
    print(f"{'':44} {'packets':>9} {'flows':>6} {'CPU s':>7} {'wall s':>7} {'Mpackets/s':>10} "
          f"{'times slower':>12} {'peak MiB':>8}")
    for row in contenders:
        print(f"{row.name:44} {row.capture.packets:>9} {row.capture.flows:>6} {row.cpu:>7.3f} "
              f"{row.wall:>7.3f} {row.rate / 1e6:>10.3f} {base.rate / row.rate:>12.2f} "
              f"{row.peak_mib:>8.1f}")


def machine():
    with open("/proc/cpuinfo") as file:
        names = {line.split(":")[1].strip() for line in file if line.startswith("model name")}
    return f"{', '.join(sorted(names))}, {os.cpu_count()} cores, Linux {platform.release()}"


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build/release")
    parser.add_argument("--data", type=Path, default=ROOT / "build/bench", help="generated captures")
    parser.add_argument("--packets", type=int, default=5_000_000)
    parser.add_argument("--flows", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=20, help="default 20; 3 at most for peers that take seconds")
    parser.add_argument("--quick", action="store_true", help="a million packets, two rounds")
    parser.add_argument("--skip-operations", action="store_true", help="not the tables alone")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers there, too")
    parser.add_argument("--check", action="store_true", help="exit 1 if a target is missed")
    options = parser.parse_args()
    if options.quick:
        options.packets, options.rounds = 1_000_000, 2
    return options


def enter(bench, options):
    """The contenders by the name that verdicts() knows them by."""
    main = bench.capture(options.packets, options.flows, timestamps=False)
    stamped = bench.capture(options.packets, options.flows // 5, timestamps=True)
    # tshark would take minutes and gigabytes for the whole; its cost per packet does not shrink.
    slice_packets = max(options.packets // 25, 12 * options.flows)
    small = bench.capture(slice_packets, options.flows, timestamps=False)
    few = min(options.rounds, 3)
    # Two threads need both cores undisturbed at once, which takes more tries; what they are held against gets
    # as many.
    many = 4 * options.rounds
    kinds = ("--threads", "1", "--kind", TCP_KINDS)
    libpcap = [str(bench.programs / "sojourn-bench-libpcap"), str(main.path)]
    rows = {
        "base": bench.rtt("sojourn rtt, TCP kinds", main, *kinds, rounds=many),
        "all": bench.rtt("sojourn rtt, all kinds", main, "--threads", "1"),
        "two": bench.rtt("sojourn rtt, TCP kinds, two threads", main, "--threads", "2", "--kind",
                         TCP_KINDS, rounds=many, pinned=False),
        "libpcap": bench.add("libpcap, reading only", main, libpcap, rounds=many),
        "tcptrace": bench.peer("tcptrace -lrn", main, ["tcptrace", "-lrn", str(main.path)], few),
        "tshark": bench.peer("tshark ack_rtt", small, [
            "tshark", "-n", "-r", str(small.path), "-T", "fields", "-e", "tcp.analysis.ack_rtt"],
            few),
        "stamped": bench.rtt("sojourn rtt, TCP kinds, timestamps", stamped, *kinds),
        "libpcap_stamped": bench.add("libpcap, reading only, timestamps", stamped,
                                     [*libpcap[:1], str(stamped.path)]),
        "tcptrace_stamped": bench.peer("tcptrace -lrn, timestamps", stamped,
                                       ["tcptrace", "-lrn", str(stamped.path)], few),
        "floor": bench.rtt("sojourn rtt, reading and parsing (--kind flow)", main, "--threads", "1",
                           "--kind", "flow"),
    }
    for table in FIXED_TABLES:
        rows[table] = bench.rtt(f"sojourn rtt, --table {table} --memory {FIXED_MEMORY}", main, *kinds,
                                "--table", table, "--memory", FIXED_MEMORY, "--seed", "1")
    return rows


def main():
    options = parse_options()
    bench = Bench(options)
    if not bench.programs.is_dir():
        sys.exit(f"bench/run.py: nothing is built in {options.build}; make bench builds it")
    rows = enter(bench, options)
    bench.run()

    print(f"{machine()}; cheapest of {options.rounds} rounds (one and two threads "
          f"and libpcap: {4 * options.rounds}; other peers: {min(options.rounds, 3)})\n")
    print_table(bench.contenders, rows["base"])
    truth = rows["base"].capture.truth
    print(f"\nsamples: {truth['tcp']} tcp, {truth['tcp-ts']} tcp-ts, {truth['flow']} flow in the "
          f"capture" + ("; all found" if not bench.problems else ""))
    for problem in bench.problems:
        print(f"WRONG     {problem}")
    targets = verdicts(rows)
    best = operations(bench, "tables")
    if best:
        print_operations(best)
    parts = {**operations(bench, "marking"), **operations(bench, "oneway")}
    if parts:
        print(f"\n{'M packets/s (multiflow: M flows/s), one core':44}{'flows':>10}")
    for (what, flows), rate in parts.items():
        print(f"{what:44}{flows:>10}{rate / 1e6:>10.1f}")
    print()
    targets += [{"target": f"M requests and responses/s in {table} alone, 4 MiB", "at_least": 30,
                 "measured": best[table, 4 << 20] / 1e6, "met": best[table, 4 << 20] >= 30e6}
                for table in FIXED_TABLES if best]
    for target in targets:
        print(f"{'met' if target['met'] else 'MISSED':9} {target['measured']:8.2f} {target['target']} "
              f"(target {target['at_least']})")

    if options.json:
        options.json.write_text(json.dumps({
            "machine": machine(), "rounds": options.rounds, "targets": targets,
            "problems": bench.problems,
            "operations": [{"table": table, "bytes": size, "per_second": rate}
                           for (table, size), rate in best.items()],
            "parts": [{"what": what, "flows": flows, "per_second": rate}
                      for (what, flows), rate in parts.items()],
            "rows": [{"name": row.name, "packets": row.capture.packets,
                      "flows": row.capture.flows, "runs": row.runs} for row in bench.contenders],
        }, indent=1) + "\n")
    missed = any(not target["met"] for target in targets)
    return 1 if bench.problems or (options.check and missed) else 0


if __name__ == "__main__":
    sys.exit(main())
