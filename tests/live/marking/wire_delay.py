#!/usr/bin/env python3
"""Delays of a few microseconds by marks, against two captures of the same packets.

    wire_delay.py send IPV4 IPV6 FILE                         numbered UDP to eight ports, until there is such a file
    wire_delay.py check FIRST.pcap LAST.pcap JOINED AHEAD BEHIND    joined with clocks 5 us ahead and 10 us behind
"""
import os
import socket
import statistics
import struct
import sys
import time

from check_marking import number_of, table

PORTS = range(9000, 9008)  # the first half by IPv4
PACKETS_A_SECOND = 2000
LENGTH = 62_500_000  # ns, of the interval
PULSE = 1  # in the DSCP
# The program reads its clock before the capture's when a packet leaves, and after it when one comes in, so delays by marks
# are longer: by the queue of a CPU and a copy of the packet, some 2 us.
MOST_NS = 5_000
AHEAD_NS, BEHIND_NS = 5_000, -10_000
APART_NS = 3_000  # programs run one behind the other: this much at most
FEWEST = 100


def send(hosts, stop):
    ways = [(socket.socket(socket.AF_INET, socket.SOCK_DGRAM), hosts[0]), (socket.socket(socket.AF_INET6, socket.SOCK_DGRAM), hosts[1])]
    end = due = time.monotonic()
    end += 120
    number = 0
    while time.monotonic() < end and not os.path.exists(stop):
        place = number % len(PORTS)
        one, host = ways[place // 4]
        try:
            one.sendto(number.to_bytes(8, "big") + bytes(64), (host, PORTS[place]))
        except OSError:
            pass  # nobody listens there
        number += 1
        due = max(due + 1 / PACKETS_A_SECOND, time.monotonic() - 0.05)
        time.sleep(max(0.0, due - time.monotonic()))


def packets(path):
    """Number of each packet: time in ns, port, DSCP."""
    with open(path, "rb") as file:
        data = file.read()
    magic, = struct.unpack_from("<I", data)
    if magic != 0xA1B23C4D:
        sys.exit(f"{path}: no capture with nanoseconds")
    at, found = 24, {}
    while at + 16 <= len(data):
        seconds, ns, captured, _ = struct.unpack_from("<IIII", data, at)
        frame = data[at + 16:at + 16 + captured]
        at += 16 + captured
        is_ipv6 = frame[12:14] == b"\x86\xdd"
        udp = 54 if is_ipv6 else 34
        traffic_class = (frame[14] & 15) << 4 | frame[15] >> 4 if is_ipv6 else frame[15]
        port, = struct.unpack_from(">H", frame, udp + 2)
        number, = struct.unpack_from(">Q", frame, udp + 8)
        found[number] = (seconds * 10**9 + ns, port, traffic_class >> 2)
    return found


def pulses(first, last):
    """Flow and interval of each pulse: its delay between the captures.  Nothing where two were sent."""
    found = {}
    for number, (time_ns, port, dscp) in first.items():
        if dscp & PULSE and number in last:
            place = f"destination-port={port},protocol=udp", time_ns // LENGTH
            found[place] = None if place in found else last[number][0] - time_ns
    return {place: delay for place, delay in found.items() if delay is not None}


def compare(name, path, truth):
    _, rows = table(path)
    delays, apart = [], []
    for row in rows:
        delay = truth.get((row["flow"], number_of(row, LENGTH)))
        if row["delay_ns"] is not None and delay is not None:
            delays.append(row["delay_ns"])
            apart.append(row["delay_ns"] - delay)
    if len(apart) < FEWEST:
        print(f"FAILED: {len(apart)} pulses by {name}: too few")
        sys.exit(1)
    apart.sort()
    median = statistics.median(apart)
    print(f"  {name}: {len(apart)} pulses, median {statistics.median(delays) / 1000:.2f} us by marks, "
          f"{statistics.median(truth.values()) / 1000:.2f} by captures; the same packet {median / 1000:.2f} us more by marks "
          f"(tenth {apart[len(apart) // 10] / 1000:.2f}, ninetieth {apart[len(apart) * 9 // 10] / 1000:.2f})")
    return median


def check(first, last, joined, ahead, behind):
    truth = pulses(packets(first), packets(last))
    apart = compare("true clock", joined, truth)
    if not 0 <= apart <= MOST_NS:
        print(f"FAILED: delays by marks are not 0 to {MOST_NS / 1000:g} us above those of the captures")
        return 1
    for name, path, offset in (("5 us ahead", ahead, AHEAD_NS), ("10 us behind", behind, BEHIND_NS)):
        other = compare(name, path, truth)
        if 0 <= other <= MOST_NS:
            print(f"FAILED: a clock that is {name} would not be noticed")
            return 1
        if abs(other - apart - offset) > APART_NS:
            print(f"FAILED: it is not {name}")
            return 1
    return 0


if __name__ == "__main__":
    if sys.argv[1] == "send":
        send(sys.argv[2:4], sys.argv[4])
    else:
        sys.exit(check(*sys.argv[2:7]))
