#!/usr/bin/env python3
"""Is this build of `sojourn rtt` slower than another, such as that of an earlier commit?

    bench/beside.py OTHER [--rounds 20] [--only WORDS] [--memory 12MiB] [--other-memory SIZE]

OTHER is the program of the other build. Both do the same work on the same generated captures, one right after
the other, and who goes first changes with every round. Of one thread the CPU time on one core counts, of two
threads the wall clock. "least" compares the cheapest run of each: noise only ever adds. "median" is that of the ratios of
neighbouring runs. How far both lie from 0 without any difference is seen by giving the program itself as OTHER.
"""

import argparse
import statistics
import sys
from pathlib import Path

from run import FIXED_MEMORY, FIXED_TABLES, ROOT, TCP_KINDS, Bench, Contender, machine, read_anew


class Pair:
    """The same row of both programs."""

    def __init__(self, ours, theirs):
        self.ours, self.theirs = ours, theirs

    def times(self, contender):
        return [run["user_s"] + run["system_s"] if contender.pinned else run["wall_s"] for run in contender.runs]

    def line(self):
        ours, theirs = self.times(self.ours), self.times(self.theirs)
        least = min(ours) / min(theirs)
        median = statistics.median(mine / other for mine, other in zip(ours, theirs))
        return (f"{self.ours.name:50} {len(ours):>4} {min(theirs):>8.3f} {min(ours):>8.3f} "
                f"{100 * (least - 1):>+7.1f} % {100 * (median - 1):>+7.1f} %")


def pairs(bench, options):
    main = bench.capture(options.packets, options.flows, timestamps=False)
    stamped = bench.capture(options.packets, options.flows // 5, timestamps=True)
    one, tcp = ("--threads", "1"), ("--kind", TCP_KINDS)
    rows = [("TCP kinds", main, [*one, *tcp], True), ("TCP kinds, timestamps", stamped, [*one, *tcp], True),
            ("all kinds", main, [*one], True), ("reading and parsing (--kind flow)", main, [*one, "--kind", "flow"], True)]
    tables = [(f"--table {table} --memory", main, [*one, *tcp, "--seed", "1", "--table", table], True) for table in FIXED_TABLES]
    two = ("--threads", "2")
    rows_of_two = [("TCP kinds, two threads", main, [*two, *tcp], False),
                   ("TCP kinds, timestamps, two threads", stamped, [*two, *tcp], False),
                   ("all kinds, two threads", main, [*two], False)]
    for name, capture, arguments, pinned in rows + tables + rows_of_two:
        sizes = [("--memory", options.memory), ("--memory", options.other_memory)] if "--table" in arguments else [(), ()]
        if sizes[0]:
            name += f" {options.memory}" + (f" beside {options.other_memory}" if options.other_memory != options.memory else "")
        rounds = options.rounds if pinned else 2 * options.rounds  # two cores are rarely undisturbed at once
        yield Pair(*[Contender(name, capture, [program, "rtt", str(capture.path), "--json", *arguments, *size], rounds, pinned)
                     for program, size in zip((bench.sojourn, str(options.other)), sizes)])


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("other", type=Path, metavar="OTHER", help="the program of another build")
    parser.add_argument("--build", type=Path, default=ROOT / "build/release")
    parser.add_argument("--data", type=Path, default=ROOT / "build/bench", help="generated captures")
    parser.add_argument("--packets", type=int, default=5_000_000)
    parser.add_argument("--flows", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=20, help="default 20; twice as many with two threads")
    parser.add_argument("--memory", default=FIXED_MEMORY, help=f"of tables in fixed memory, default {FIXED_MEMORY}")
    parser.add_argument("--only", metavar="WORDS", default="", help="only the rows whose name has these words")
    parser.add_argument("--other-memory", help="the same for OTHER, if it counts memory in another way")
    options = parser.parse_args()
    options.other_memory = options.other_memory or options.memory
    if not options.other.is_file():
        parser.error(f"there is no program {options.other}")
    options.other = options.other.resolve()
    return options


def main():
    options = parse_options()
    bench = Bench(options)
    if not bench.programs.is_dir():
        sys.exit(f"bench/beside.py: nothing is built in {options.build}; make bench builds it")
    print(f"{machine()}\n\n{'':50} {'runs':>4} {'other, s':>8} {'this, s':>8} {'least':>9} {'median':>9}", flush=True)
    for pair in pairs(bench, options):
        if options.only not in pair.ours.name:
            continue
        read_anew(pair.ours.capture.path)
        for turn in range(pair.ours.rounds):
            for contender in (pair.ours, pair.theirs)[::1 if turn % 2 == 0 else -1]:
                bench.measure(contender, turn)
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr)
        print(pair.line(), flush=True)


if __name__ == "__main__":
    main()
