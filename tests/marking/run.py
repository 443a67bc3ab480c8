#!/usr/bin/env python3
"""Marks captures with every carrier and lets tshark judge: no checksum and no packet that was fine before
may be bad afterwards, the mark must be where tshark expects it, and --restore must give the capture back.

`run.py few` takes two of tests/captures, `run.py captures` all of them, `run.py traces` some of the recorded ones.
"""
import argparse
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
import traces  # noqa: E402

# Carrier, method, and where tshark shows a mark that is set: a field and its bits.
CARRIERS = [
    ("dscp", "multiplexed", {"ip.dsfield.dscp": 1, "ipv6.tclass.dscp": 1}),
    ("dscp:1,0", "double", {"ip.dsfield.dscp": 2, "ipv6.tclass.dscp": 2}),
    ("reserved", "step", {"ip.flags.rb": 1}),
    ("flow-label:3", "pulse", {"ipv6.flow": 8}),
    ("hop-by-hop", "double", {"ipv6.opt.type": 0x12}),
    ("destination", "multiplexed", {"ipv6.opt.type": 0x12}),
]
CHECKED = ["-o", "ip.check_checksum:TRUE", "-o", "tcp.check_checksum:TRUE", "-o", "udp.check_checksum:TRUE"]
STATUSES = ["ip.checksum.status", "tcp.checksum.status", "udp.checksum.status", "icmp.checksum.status",
            "icmpv6.checksum.status"]
FIELDS = [*STATUSES, "_ws.malformed", "ip.dsfield.dscp", "ipv6.tclass.dscp", "ip.flags.rb", "ipv6.flow", "ipv6.opt.type"]
BAD = "0"  # of a checksum's status: Bad, Good, Unverified
FEW = ["dns.pcap", "tunnels.pcapng"]
RECORDED = ["tcp", "dns", "icmp", "quic", "encap", "linktype"]  # folders of the recorded captures
MOST_A_FOLDER = 2
LARGEST = 3_000_000


def number(text):
    return int(text == "True") if text in ("True", "False") else int(text, 0)


def judged(capture, marks):
    """How many checksums are bad, packets malformed, and marks to be seen."""
    wanted = [option for field in FIELDS for option in ("-e", field)]
    done = subprocess.run(["tshark", "-n", "-r", str(capture), *CHECKED, "-T", "fields", "-E", "occurrence=a", *wanted],
                          capture_output=True, encoding="utf-8", errors="replace", timeout=300)
    bad = malformed = seen = 0
    for line in done.stdout.splitlines():
        row = dict(zip(FIELDS, line.split("\t")))
        bad += sum(row.get(field, "").split(",").count(BAD) for field in STATUSES)
        malformed += bool(row.get("_ws.malformed"))
        seen += any(number(value) & bits == bits for field, bits in marks.items()
                    for value in row.get(field, "").split(",") if value)
    return (bad, malformed), seen


def packets_of(capture):
    """Time, length and bytes of each packet."""
    done = subprocess.run(["tshark", "-n", "-r", str(capture), "-T", "fields", "-e", "frame.time_epoch", "-e", "frame.len", "-x"],
                          capture_output=True, timeout=300)
    return done.stdout


def mark(sojourn, *arguments):
    return subprocess.run([sojourn, "mark", *map(str, arguments)], capture_output=True, encoding="utf-8", timeout=120)


def check(sojourn, capture, folder):
    """All carriers on one capture; returns what is wrong, and how many marks tshark has seen."""
    trouble, marks_seen = [], 0
    before, _ = judged(capture, {})
    original = None
    for carrier, method, marks in CARRIERS:
        marked, restored = folder / "marked.pcap", folder / "restored.pcap"
        options = ["--carrier", carrier, "--method", method, "--interval", "16ms"]
        where = f"{capture} with {carrier}"
        free = mark(sojourn, capture, marked, *options)
        done = free if free.returncode == 0 else mark(sojourn, capture, marked, *options, "--force")
        if done.returncode != 0:
            if "mixes link types" not in done.stderr:
                trouble.append(f"{where}: {done.stderr.strip()}")
            continue
        if ": 0 of " in done.stdout:
            continue
        after, seen = judged(marked, marks)
        marks_seen += seen
        if after != before:
            trouble.append(f"{where}: bad checksums and malformed packets were {before} and are {after}")
        # Fields that were in use lose their old value: only free ones come back.
        if free.returncode != 0:
            continue
        original = original or packets_of(capture)
        back = mark(sojourn, marked, restored, "--carrier", carrier, "--restore")
        if back.returncode != 0:
            trouble.append(f"{where}: {back.stderr.strip()}")
        elif packets_of(restored) != original:
            trouble.append(f"{where}: --restore does not give the packets back")
    return trouble, marks_seen


def recorded(source, build):
    found = traces.folder_or_skip(source)
    per_folder = {}
    for path in traces.captures(found, build):
        path = Path(path)
        folder = path.parent.name
        if folder in RECORDED and path.stat().st_size < LARGEST // 10 and per_folder.get(folder, 0) < MOST_A_FOLDER:
            per_folder[folder] = per_folder.get(folder, 0) + 1
            yield path


def main():
    parser = argparse.ArgumentParser(description="marked captures through tshark")
    parser.add_argument("--sojourn", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--build", required=True)
    parser.add_argument("part", choices=["few", "captures", "traces"])
    arguments = parser.parse_args()
    if not shutil.which("tshark"):
        print("skipped: tshark is not installed")
        return traces.SKIPPED
    build = Path(arguments.build) / arguments.part
    build.mkdir(parents=True, exist_ok=True)
    if arguments.part == "few":
        paths = [Path(arguments.source) / "tests/captures" / name for name in FEW]
    elif arguments.part == "captures":
        paths = sorted(p for p in (Path(arguments.source) / "tests/captures").iterdir()
                       if p.name.endswith((".pcap", ".pcapng", ".pcap.gz")) and p.stat().st_size < LARGEST)
    else:
        paths = list(recorded(arguments.source, str(build)))
    trouble, seen = [], 0
    for path in paths:
        found, marks = check(arguments.sojourn, path, build)
        trouble += found
        seen += marks
    if seen == 0:
        trouble.append("tshark saw no mark at all: the test cannot fail")
    print(f"{len(paths)} captures, {len(CARRIERS)} carriers, {seen} marks seen by tshark")
    for line in trouble:
        print(line)
    return 1 if trouble else 0


if __name__ == "__main__":
    sys.exit(main())
