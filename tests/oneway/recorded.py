#!/usr/bin/env python3
"""Recorded pairs of captures: client and server of the same connections.

tshark is not asked: it has no one-way delay.  What is known of these networks is: their emulated
delay, that packets go both ways, and that both ends were captured on one clock.  And every packet
found must be one that a plain comparison of the bytes finds, which this test makes itself.
"""
import csv
import gzip
import json
import os
import struct
import sys
from collections import defaultdict, deque

from tool import Sojourn

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
import traces  # noqa: E402

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def frames_of_pcapng(data):
    """Little-endian, enhanced packet blocks: what the recorded ones are."""
    links, units, at = [], [], 0
    while at + 12 <= len(data):
        kind, length = struct.unpack("<II", data[at:at + 8])
        block = data[at + 8:at + length - 4]
        if kind == 1:  # interface: link type, then options, of which 9 is the resolution of times
            links.append(struct.unpack("<H", block[:2])[0])
            units.append(10**3)
            option = 8
            while option + 4 <= len(block):
                code, size = struct.unpack("<HH", block[option:option + 4])
                if code == 9:
                    units[-1] = 10**(9 - block[option + 4])
                option += 4 + (size + 3) // 4 * 4
        elif kind == 6:
            interface, high, low, captured = struct.unpack("<IIII", block[:16])
            yield links[interface], (high << 32 | low) * units[interface], block[20:20 + captured]
        at += length


def frames_of_pcap(data):
    nano = data[:4] in (b"\x4d\x3c\xb2\xa1", b"\xa1\xb2\x3c\x4d")
    order = "<" if data[0] in (0xd4, 0x4d) else ">"
    link = struct.unpack(order + "I", data[20:24])[0] & 0xffff
    at = 24
    while at + 16 <= len(data):
        seconds, fraction, captured, _ = struct.unpack(order + "IIII", data[at:at + 16])
        yield link, seconds * 10**9 + fraction * (1 if nano else 1000), data[at + 16:at + 16 + captured]
        at += 16 + captured


def packets(path):
    """Time in nanoseconds and the IPv4 packet, of a capture with Ethernet or Linux cooked frames."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        data = file.read()
    frames = frames_of_pcapng if data[:4] == b"\x0a\x0d\x0d\x0a" else frames_of_pcap
    for link, time, frame in frames(data):
        kind, ip = (frame[12:14], frame[14:]) if link == 1 else (frame[14:16], frame[16:])
        if kind == b"\x08\x00":
            yield time, ip


def by_bytes(first, last, protocol):
    """Delays of all IPv4 packets of the protocol, matched by their bytes but TTL and TCP's checksum, in order."""
    def name(ip):
        head = 4 * (ip[0] & 15)
        length = struct.unpack(">H", ip[2:4])[0]
        rest = ip[head:length]
        if ip[9] != protocol:
            return None
        return ip[4:8] + ip[12:20] + (rest[:16] + rest[18:] if protocol == 6 else rest)

    seen = defaultdict(deque)
    events = [(time, 0, ip) for time, ip in packets(first)] + [(time, 1, ip) for time, ip in packets(last)]
    delays = []
    for time, point, ip in sorted(events, key=lambda event: event[:2]):
        key = name(ip)
        if key is None:
            continue
        queue = seen[key]
        if queue and queue[0][1] != point:
            other, _ = queue.popleft()
            delays.append(time - other if point == 1 else other - time)
        else:
            queue.append((time, point))
    return sorted(delays)


# First, last, protocol, least number of packets, one-way delay of the emulated link in milliseconds (None: a
# network between containers without one).
PAIRS = [
    ("PRES__exp001_TC_TEST_tcpdump_h1-eth0.pcap", "PRES__exp001_TC_TEST_tcpdump_sv_mp1-eth0.pcap", "tcp", 1000, 10),
    ("PRES__exp001_TC_TEST_tcpdump_h1-eth1.pcap", "PRES__exp001_TC_TEST_tcpdump_sv_mp1-eth1.pcap", "tcp", 1000, 10),
    ("PRES__exp001_TC_TEST_tcpdump_h1-eth1.pcap", "PRES__exp001_TC_TEST_tcpdump_sv_mp1-eth1.pcap", "icmp", 1000, 10),
    ("pymptcpanalyzer__client_1_tcp_only.pcap", "pymptcpanalyzer__server_1_tcp_only.pcap", "tcp", 1000, 50),
    ("connect-eth-go__client.pcap", "connect-eth-go__proxy_eth1.pcap", "icmp", 40, None),
    ("connect-eth-go__client.pcap", "connect-eth-go__server.pcap", "icmp", 40, None),
]


# The project's own pair: 10 ms each way.
SHIPPED = ("bulk.pcap.gz", "bulk.server.pcap.gz", "tcp", 400, 10)


def check(tool, folder, build, first_name, last_name, protocol, least, milliseconds):
    def opened(name):
        plain = os.path.join(folder, name)
        return plain if os.path.exists(plain) else traces.expanded(plain + ".xz", os.path.join(build, name))

    first, last = opened(first_name), opened(last_name)
    samples = os.path.join(build, first_name + ".delays.csv")
    report = json.loads(tool.run("oneway", first, last, "--json", "--samples", samples).stdout)
    with open(samples, newline="") as file:
        found = sorted(int(row["delay_ns"]) for row in csv.DictReader(file)
                       if row["protocol"] == protocol and ":" not in row["source"])
    expected = by_bytes(first, last, {"tcp": 6, "icmp": 1}[protocol])
    forward = [delay for delay in found if delay > 0]
    low, high = report["clock"]["offset_low_ns"], report["clock"]["offset_high_ns"]
    right = found == expected and len(found) >= least
    if milliseconds:
        right &= milliseconds * 1e6 <= min(forward) < milliseconds * 1.1e6  # the link's delay, and little more
        right &= low is not None and low < 0 < high  # one clock: its offset is 0
    print(f"{first_name}: {len(found)} {protocol} packets, {len(expected)} by their bytes, shortest "
          f"{min(forward) / 1e6:.2f} ms, offset {low} to {high}: {'ok' if right else 'FAILED'}")
    return right


if __name__ == "__main__":
    build = os.path.join(os.getcwd(), "recorded")
    os.makedirs(build, exist_ok=True)
    tool = Sojourn(sys.argv[1])
    results = [check(tool, os.path.join(SOURCE, "tests", "captures"), build, *SHIPPED)]
    more = os.path.join(traces.folder(SOURCE) or "", "twopoint")
    if os.path.isdir(more):
        results += [check(tool, more, build, *pair) for pair in PAIRS]
    else:
        print("without the recorded pairs of others ($SOJOURN_TRACES, ../shared/traces)")
    sys.exit(0 if all(results) else 1)
