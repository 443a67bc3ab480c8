#!/usr/bin/env python3
"""multipoint.py SOJOURN: loss where traffic splits and merges, four points and two ways, exact to the packet.

             +--> point 1 --+
    first ---+              +--> last        each way loses what this script takes out, and it knows in which interval
             +--> point 2 --+

Clusters (RFC 9342): from the first point to 1 and 2 together, and from these to the last.
"""
import json
import random
import struct
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

PCAP = struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 1)  # nanoseconds, Ethernet
START, SECONDS, PACKETS, MS = 1_700_000_000, 6, 12_000, 1_000_000


def frame(number, flow):
    payload = struct.pack("!I", number)
    udp = struct.pack("!HHHH", 4000 + flow, 9, 8 + len(payload), 0) + payload
    header = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), number & 0xFFFF, 0, 64, 17, 0,
                         bytes((10, 0, 0, 1)), bytes((10, 0, 1, 1)))
    total = sum(struct.unpack("!10H", header))
    total = (total & 0xFFFF) + (total >> 16)
    checksum = ~((total & 0xFFFF) + (total >> 16)) & 0xFFFF
    header = header[:10] + struct.pack("!H", checksum) + header[12:]
    return bytes(12) + b"\x08\x00" + header + udp


def write(path, packets):
    with open(path, "wb") as file:
        file.write(PCAP)
        for time_ns, data in sorted(packets):
            file.write(struct.pack("<IIII", time_ns // 10**9, time_ns % 10**9, len(data), len(data)) + data)


def read(path):
    data = Path(path).read_bytes()
    assert data[:4] == PCAP[:4], "sojourn mark keeps the format"
    at, packets = 24, []
    while at < len(data):
        seconds, fraction, captured, _ = struct.unpack_from("<IIII", data, at)
        packets.append((seconds * 10**9 + fraction, data[at + 16:at + 16 + captured]))
        at += 16 + captured
    return packets


def main():
    sojourn = sys.argv[1]
    random.seed(9342)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        times = sorted(random.randrange(START * 10**9, (START + SECONDS) * 10**9) for _ in range(PACKETS))
        write(folder / "plain.pcap", [(time, frame(number, number % 8)) for number, time in enumerate(times)])
        subprocess.run([sojourn, "mark", folder / "plain.pcap", folder / "first.pcap", "--interval", "500ms"],
                       check=True, stdout=subprocess.DEVNULL)
        ways, last = ([], []), []
        lost = Counter()  # by cluster and interval of 2^-1 s
        passed = Counter()
        for time, data in read(folder / "first.pcap"):
            interval = time * 2 // 10**9
            way = random.random() < 0.3  # packet by packet, and not evenly
            passed["first", interval] += 1
            if random.random() < (0.02, 0.0)[way]:
                lost["first", interval] += 1
                continue
            delay = (2 * MS, 15 * MS)[way] + random.randrange(MS)
            ways[way].append((time + delay, data))
            if random.random() < (0.0, 0.05)[way]:
                lost["middle", interval] += 1
                continue
            last.append((time + delay + 3 * MS + random.randrange(MS), data))
        write(folder / "one.pcap", ways[0])
        write(folder / "two.pcap", ways[1])
        write(folder / "last.pcap", last)
        command = [sojourn, "oneway", folder / "first.pcap", folder / "last.pcap", "--method", "marking", "--interval", "500ms",
                   "--via", folder / "one.pcap", "--via", folder / "two.pcap", "--json"]
        segments = ["--segments", "first-1,first-2,1-last,2-last"]
        done = subprocess.run(command + segments, check=True, capture_output=True, text=True)
        tables = json.loads(done.stdout)["tables"]
        rows = tables["cluster_intervals"]
        given = Counter()
        for row in rows:
            cluster = {"first": "first", "1+2": "middle"}[row["in"]]
            assert row["out"] == {"first": "1+2", "middle": "last"}[cluster], row
            if row["lost"] is None:
                continue
            interval = round(row["start_ns"] / 500_000_000)
            assert row["lost"] == lost[cluster, interval], (row, lost[cluster, interval])
            if cluster == "first":
                assert row["sent"] == passed["first", interval], row
            given[cluster] += 1
        # All but those at the edges, which some point has not observed whole.
        assert min(given["first"], given["middle"]) >= 2 * SECONDS - 3, given
        print(f"{given['first']} and {given['middle']} intervals, exact; clusters {tables['clusters']}")
        assert sum(lost[key] for key in lost if key[0] == "first") > 100, "the test would see nothing"

        for wrong, why in (("first-1,1-last", "point 2"), ("first-1,first-2,1-last,2-last,3-last", "no point 3"),
                           ("first-1,first-2", "ends at last"), ("first", "two points"), ("1-first,1-last", "nowhere")):
            done = subprocess.run(command + ["--segments", wrong], capture_output=True, text=True)
            assert done.returncode == 2 and why in done.stderr and done.stderr.count("\n") == 1, (wrong, done)
    return 0


sys.exit(main())
