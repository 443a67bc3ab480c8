#!/usr/bin/env python3
"""Marks captures with every carrier and lets tshark judge: no checksum and no packet that was fine before
may be bad afterwards, the mark must be where tshark expects it, and --restore must give the capture back.

`run.py captures` takes those of tests/captures, `run.py traces` some of the recorded ones.
"""
import argparse
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
import traces  # noqa: E402

# Carrier, method, and what tshark shows of a mark that is set.
CARRIERS = [
    ("dscp", "multiplexed", "ip.dsfield.dscp & 1 or ipv6.tclass.dscp & 1"),
    ("dscp:1,0", "double", "ip.dsfield.dscp & 2 or ipv6.tclass.dscp & 2"),
    ("reserved", "step", "ip.flags.rb == 1"),
    ("flow-label:3", "pulse", "ipv6.flow & 8"),
    ("hop-by-hop", "double", "ipv6.opt.type == 0x12"),
    ("destination", "multiplexed", "ipv6.opt.type == 0x12"),
]
CHECKED = ["-o", "ip.check_checksum:TRUE", "-o", "tcp.check_checksum:TRUE", "-o", "udp.check_checksum:TRUE"]
BAD = ('ip.checksum.status == "Bad" or tcp.checksum.status == "Bad" or udp.checksum.status == "Bad" or '
       'icmpv6.checksum.status == "Bad" or icmp.checksum.status == "Bad"')
MALFORMED = "_ws.malformed"
RECORDED = ["tcp", "dns", "icmp", "quic", "encap", "linktype"]  # folders of the recorded captures
MOST_A_FOLDER = 4
LARGEST = 3_000_000


def count(capture, condition):
    done = subprocess.run(["tshark", "-n", "-r", str(capture), *CHECKED, "-Y", condition, "-T", "fields", "-e", "frame.number"],
                          capture_output=True, encoding="utf-8", errors="replace", timeout=300)
    return len(done.stdout.split())


def packets_of(capture):
    """Bytes and time of each packet, as tcpdump's own rewriting gives them."""
    done = subprocess.run(["tshark", "-n", "-r", str(capture), "-T", "fields", "-e", "frame.time_epoch", "-e", "frame.len", "-x"],
                          capture_output=True, timeout=300)
    return done.stdout


def mark(sojourn, *arguments):
    return subprocess.run([sojourn, "mark", *map(str, arguments)], capture_output=True, encoding="utf-8", timeout=120)


def check(sojourn, capture, folder):
    """All carriers on one capture; returns what is wrong, and how many marks tshark has seen."""
    trouble, seen = [], 0
    before = None
    for carrier, method, shown in CARRIERS:
        marked, restored = folder / "marked.pcap", folder / "restored.pcap"
        done = mark(sojourn, capture, marked, "--carrier", carrier, "--method", method, "--interval", "16ms", "--force")
        where = f"{capture} with {carrier}"
        if done.returncode != 0:
            if "mixes link types" not in done.stderr:
                trouble.append(f"{where}: {done.stderr.strip()}")
            continue
        if before is None:
            before = count(capture, BAD), count(capture, MALFORMED)
        after = count(marked, BAD), count(marked, MALFORMED)
        if after != before:
            trouble.append(f"{where}: bad checksums and malformed packets were {before} and are {after}")
        seen += count(marked, shown)
        if "\n" not in done.stdout or " 0 of " in done.stdout:
            continue
        # Fields that were in use lose their old value: only free ones come back.
        if mark(sojourn, capture, folder / "free.pcap", "--carrier", carrier, "--method", method).returncode != 0:
            continue
        if (done := mark(sojourn, marked, restored, "--carrier", carrier, "--restore")).returncode != 0:
            trouble.append(f"{where}: {done.stderr.strip()}")
        elif packets_of(restored) != packets_of(capture):
            trouble.append(f"{where}: --restore does not give the packets back")
    return trouble, seen


def recorded(source, build):
    found = traces.folder_or_skip(source)
    per_folder = {}
    for path in traces.captures(found, build):
        path = Path(path)
        folder = path.parent.name
        if folder in RECORDED and path.stat().st_size < LARGEST and per_folder.get(folder, 0) < MOST_A_FOLDER:
            per_folder[folder] = per_folder.get(folder, 0) + 1
            yield path


def main():
    parser = argparse.ArgumentParser(description="marked captures through tshark")
    parser.add_argument("--sojourn", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--build", required=True)
    parser.add_argument("part", choices=["captures", "traces"])
    arguments = parser.parse_args()
    if not shutil.which("tshark"):
        print("skipped: tshark is not installed")
        return traces.SKIPPED
    build = Path(arguments.build) / arguments.part
    build.mkdir(parents=True, exist_ok=True)
    if arguments.part == "captures":
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
