#!/usr/bin/env python3
"""Compares `sojourn rtt --samples` with tshark, packet by packet and to the nanosecond.

    compare_tshark.py --sojourn build/release/sojourn capture.pcap...

Three parties: tshark, Sojourn, and the pairing rules written a second time (rules.py).  Sojourn
must give exactly the samples of the rules.  Where tshark differs from the rules, the difference
must belong to a class that the packets themselves prove (differences.py, README.md).  Everything
else is unexplained, and then the exit status is 1.
"""
import argparse
import csv
import gc
import io
import ipaddress
import os
import subprocess
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor

sys.dont_write_bytecode = True  # leave the source folder as it is
import copies
import differences
import packets
import rules

EXPIRE_NS = {"10s": 10 * 10**9, "1h": 3600 * 10**9}  # the default, and one that hides nothing
SKIPPED = 77
KINDS = ("tcp", "handshake", "dns", "icmp")
PARTS = [(kind, expire) for kind in KINDS for expire in EXPIRE_NS]


def canonical(address, known={}):
    if address not in known:
        known[address] = str(ipaddress.ip_address(address))
    return known[address]


def sojourn_samples(program, capture, expire):
    """{kind: Counter of (time, requester, delay[, leg])}, or an error line"""
    options = [] if expire == "10s" else ["--expire", expire]
    command = [program, "rtt", capture, "--kind", ",".join(KINDS), *options, "--samples", "-"]
    run = subprocess.run(command, capture_output=True, text=True)
    found = {kind: Counter() for kind in KINDS}
    if run.returncode != 0:
        return found, run.stderr.strip() or f"exit status {run.returncode}"
    for row in csv.DictReader(io.StringIO(run.stdout)):
        requester = (canonical(row["requester"]), int(row["requester_port"]),
                     canonical(row["responder"]), int(row["responder_port"]))
        found[row["kind"]][(int(row["time_ns"]), requester, int(row["delay_ns"]),
                            row["leg"] if row["kind"] == "handshake" else None)] += 1
    return found, None


def key_of(kind, sample):
    address, port, peer, peer_port = sample.requester
    return (sample.time, (canonical(address), port, canonical(peer), peer_port), sample.delay,
            sample.leg if kind == "handshake" else None)


class Comparison:
    """One kind of one capture."""

    def __init__(self, kind, capture, ours, expire):
        self.kind, self.capture, self.ours, self.expire = kind, capture, ours, expire
        once = [packet for packet in capture.packets if packet.frame not in capture.copies]
        self.verdicts = getattr(rules, kind)(once, capture.times, EXPIRE_NS[expire])
        self.verdicts.expire = EXPIRE_NS[expire]
        self.equal, self.classes, self.unexplained = 0, Counter(), []
        self.theirs = getattr(differences, kind + "_samples")(capture)
        self.compare_with_rules()
        self.compare_with_tshark()

    def compare_with_rules(self):
        expected = Counter(key_of(self.kind, sample) for sample in self.verdicts.samples)
        self.missing = expected - self.ours
        for words, keys in (("sojourn lacks", self.missing), ("sojourn alone has", self.ours - expected)):
            for key, count in keys.items():
                for _ in range(count):
                    self.explain(differences.why_not_as_the_rules(self.capture, self.kind, key), f"{words} {key}")

    def compare_with_tshark(self):
        by_frame = {}
        for sample in self.verdicts.samples:
            if self.kind != "handshake" or sample.leg == "sum":
                by_frame.setdefault(sample.frame, []).append(sample)
        for frame in sorted(set(by_frame) | set(self.theirs), key=str):
            theirs = self.theirs.get(frame, [])
            self.compare_frame(by_frame.get(frame, []), theirs if isinstance(theirs, list) else [theirs])

    def compare_frame(self, expected, theirs):
        # One acknowledgment may answer two requests that were captured at the same time: the peer's is the one
        # whose request it names.
        named = {peer.request_frame for peer in theirs}
        for sample in sorted(expected, key=lambda sample: sample.request_frame not in named):
            equal = next((peer for peer in theirs if peer.delay == sample.delay), None)
            if equal:
                expected.remove(sample)
                theirs = [peer for peer in theirs if peer is not equal]
                key = key_of(self.kind, sample)
                if self.missing[key] > 0:
                    self.missing[key] -= 1
                else:
                    self.equal += 1
        for sample, peer in zip(expected, theirs):
            self.explain(self.why_delays_differ(sample, peer), f"tshark {peer}, rules {sample}")
        for sample in expected[len(theirs):]:
            why = getattr(differences, "why_only_rules_" + self.kind)
            copy = "copy" if self.meets_copy(sample.frame, sample.request_frame) else None
            self.explain(copy or why(self.capture, sample, self.theirs), f"tshark lacks {sample}")
        for peer in theirs[len(expected):]:
            why = getattr(differences, "why_only_tshark_" + self.kind)
            copy = "copy" if self.meets_copy(peer.frame, peer.request_frame) else None
            self.explain(copy or why(self.capture, peer, self.verdicts), f"tshark alone has {peer}")

    def meets_copy(self, *frames):
        """tshark takes copies for packets of their own."""
        return any(frame in self.capture.copies or frame in self.capture.copied for frame in frames)

    def why_delays_differ(self, sample, peer):
        if self.meets_copy(peer.frame, peer.request_frame, sample.request_frame):
            return "copy"
        if peer.delay is None and sample.delay == 0 and peer.request_frame == sample.request_frame:
            return "zero-delay"
        if sample.request_frame in self.verdicts.super_packets:
            return "super-packet"
        if self.kind == "dns":
            return differences.why_delays_differ_dns(self.capture, peer, sample)
        if self.kind == "handshake" and differences.why_delays_differ_handshake(self.capture, peer, sample):
            return "late-syn"
        return "fragmented" if self.capture.fragmented(sample.frame, sample.request_frame) else None

    def explain(self, reason, words):
        if reason:
            self.classes[reason] += 1
        else:
            self.unexplained.append(words)

    def peer_count(self):
        """Delays that tshark prints; one of zero it does not."""
        found = [peer for peers in self.theirs.values() for peer in (peers if isinstance(peers, list) else [peers])]
        return sum(peer.delay is not None for peer in found)


def read(path, arguments, version):
    capture = differences.Capture(*packets.read_packets(path, arguments.cache, version))
    capture.copies = copies.find(capture.packets)
    capture.copied = set(capture.copies.values())
    return capture


def corrupted(samples):
    """Small lies that the comparison has to notice: a nanosecond more, a sample less, one too many,
    the wrong way round."""
    for kind, found in samples.items():
        for key in list(found)[:1]:
            time, requester, delay, leg = key
            yield f"{kind}: delay + 1 ns", {**samples, kind: found - Counter([key]) + Counter([(time, requester, delay + 1, leg)])}
            yield f"{kind}: time + 1 ns", {**samples, kind: found - Counter([key]) + Counter([(time + 1, requester, delay, leg)])}
            yield f"{kind}: one sample lost", {**samples, kind: found - Counter([key])}
            yield f"{kind}: one sample twice", {**samples, kind: found + Counter([key])}
            turned = (*requester[2:], *requester[:2])
            if turned != requester:
                yield f"{kind}: ends swapped", {**samples, kind: found - Counter([key]) + Counter([(time, turned, delay, leg)])}


def self_test(paths, arguments, version):
    """True if every corruption of Sojourn's samples is noticed."""
    tried, unnoticed = Counter(), []
    for path in paths:
        capture = read(path, arguments, version)
        for expire in EXPIRE_NS:
            samples, _ = sojourn_samples(arguments.sojourn, path, expire)
            for lie, wrong in corrupted(samples):
                kind = lie.split(":")[0]
                tried[kind] += 1
                if not Comparison(kind, capture, wrong[kind], expire).unexplained:
                    unnoticed.append(f"{path}: {lie} with --expire {expire}")
    print("self-test: tried", dict(tried), "unnoticed", len(unnoticed), *unnoticed, sep="\n  ")
    return not unnoticed and set(tried) == set(KINDS)


def lines_about(name, comparison, details):
    classes = ", ".join(f"{reason} {count}" for reason, count in sorted(comparison.classes.items()))
    yield (f"{name[:52]:52} {comparison.kind:9} {comparison.expire:>6} {comparison.peer_count():8} {sum(comparison.ours.values()):8} "
           f"{comparison.equal:8} {len(comparison.unexplained):6}  {classes}")
    for line in comparison.unexplained[:details]:
        yield f"    unexplained: {line}"


def compare_capture(path, arguments, version):
    """(printed lines, {(kind, expire): numbers}, {(kind, expire): classes})"""
    gc.disable()  # millions of small strings that all live to the end of their capture
    try:
        capture = read(path, arguments, version)
    except packets.ImpossibleTime:
        return [f"{os.path.basename(path)[:52]:52} left out: its times are impossible"], {}, {}
    samples = {expire: sojourn_samples(arguments.sojourn, path, expire) for expire in EXPIRE_NS}
    lines, numbers, classes = [], {}, {}
    for part in PARTS:
        kind, expire = part
        found, error = samples[expire]
        comparison = Comparison(kind, capture, found[kind], expire)
        if error and comparison.unexplained:
            comparison.unexplained = [f"sojourn refused the capture: {error}"]
        classes[part] = comparison.classes
        numbers[part] = Counter(tshark=comparison.peer_count(), sojourn=sum(found[kind].values()),
                                equal=comparison.equal, unexplained=len(comparison.unexplained))
        if sum(numbers[part].values()):
            lines += lines_about(os.path.basename(path), comparison, arguments.details)
    return lines, numbers, classes


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sojourn", required=True, help="the program to compare")
    parser.add_argument("--cache", help="folder that remembers tshark's output")
    parser.add_argument("--details", type=int, default=5, help="unexplained differences to print per line")
    parser.add_argument("--self-test", action="store_true", help="corrupt the samples: must be noticed")
    parser.add_argument("--jobs", type=int, default=2, help="captures at a time")
    parser.add_argument("--require", default="", help="classes that must occur, separated by commas")
    parser.add_argument("captures", nargs="+")
    arguments = parser.parse_args()
    version = packets.tshark_version()
    if not version:
        print("skipped: tshark is not installed")
        return SKIPPED
    if arguments.self_test:
        return 0 if self_test(arguments.captures, arguments, version) else 1
    return compare_all(arguments, version)


def compare_all(arguments, version):
    print(f"{'capture':52} {'kind':9} {'expire':>6} {'tshark':>8} {'sojourn':>8} {'equal':>8} {'unexpl':>6}  explained")
    totals, classes = {part: Counter() for part in PARTS}, {part: Counter() for part in PARTS}
    with ProcessPoolExecutor(arguments.jobs) as pool:
        count = len(arguments.captures)
        for lines, numbers, found in pool.map(compare_capture, arguments.captures, [arguments] * count,
                                              [version] * count):
            for line in lines:
                print(line, flush=True)
            for part in numbers:
                totals[part].update(numbers[part])
                classes[part].update(found[part])
    print()
    for part in PARTS:
        words = ", ".join(f"{reason} {count}" for reason, count in sorted(classes[part].items()))
        print(f"{part[0]}, --expire {part[1]}: "
              + ", ".join(f"{name} {number}" for name, number in totals[part].items()) + f"; {words}")
    failures = sum(total["unexplained"] for total in totals.values())
    print(f"{len(arguments.captures)} captures, {version} {failures} unexplained differences")
    unmet = sorted(set(filter(None, arguments.require.split(","))) - set().union(*classes.values()))
    if unmet:
        print("classes that did not occur:", ", ".join(unmet))
    return 1 if failures or unmet else 0


if __name__ == "__main__":
    sys.exit(main())
