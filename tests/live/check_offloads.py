#!/usr/bin/env python3
"""check_offloads.py REPORT SAMPLES CAPTURE SS: kind tcp on super-packets, beside what a capture of the same packets says.

The rule of docs/design/pairing.md written a second time, over tcpdump's capture of the interface: an acknowledgment answers the oldest
super-packet that none has reached into before, and the ordinary segment that it ends with.  The kernel gives each listener a time stamp of its own, less than a
microsecond after the other's, so whatever else the machine does, the figures must agree for as long as both listened: tcpdump does not write the last block of its ring when it is ended.
The kernel's own figure for the connection is printed beside them and not judged: it is an average over time.
"""
import bisect
import csv
import json
import re
import statistics
import struct
import sys

SAMPLES_APART = 0.01  # share
MEDIAN_APART = 0.03  # share
STAMPS_APART = 2_000  # ns between the time stamps of two listeners
LEAST_SAMPLES = 100
LARGEST_SEGMENT = 1460  # bytes of data in a packet of this link


def packets(path):
    """(time in ns, source port, destination port, sequence, acknowledgment, flags, bytes of data) of IPv4 with TCP."""
    with open(path, "rb") as file:
        content = file.read()
    magic, = struct.unpack_from("<I", content)
    assert magic == 0xa1b23c4d, "not a capture with nanoseconds"
    place = 24
    while place + 16 <= len(content):
        seconds, nanoseconds, captured, length = struct.unpack_from("<IIII", content, place)
        frame = content[place + 16:place + 16 + captured]
        place += 16 + captured
        if len(frame) < 54 or frame[12:14] != b"\x08\x00" or frame[23] != 6:
            continue
        tcp = 14 + (frame[14] & 15) * 4
        source, destination, sequence, acknowledgment = struct.unpack_from("!HHII", frame, tcp)
        total, = struct.unpack_from("!H", frame, 16)
        headers = tcp - 14 + (frame[tcp + 12] >> 4) * 4
        yield (seconds * 10**9 + nanoseconds, source, destination, sequence, acknowledgment, frame[tcp + 13],
               (total or length - 14) - headers)


class Direction:
    """Data that one side of a connection sent."""

    def __init__(self):
        self.ends, self.sent, self.acknowledged, self.reached, self.first = [], [], 0, 0, None

    def data(self, time, sequence, size):
        if self.first is None:
            self.first = sequence
        sent = self.ends[-1] if self.ends else 0
        behind = (self.first + sent - sequence) & 0xffffffff
        if behind >= 1 << 31:
            raise ValueError("data that was not captured")
        if behind > 0:  # sent again: nobody knows which copy is acknowledged (Karn)
            for index in range(bisect.bisect_right(self.ends, sent - behind), len(self.ends)):
                if self.ends[index] - self.size(index) < sent - behind + size:
                    self.sent[index] = None
        if size > behind:
            self.ends.append(sent + size - behind)
            self.sent.append(None if behind else time)

    def answers(self, time, acknowledgment):
        """The delays that this acknowledgment tells."""
        behind = (self.ends[-1] + self.first - acknowledgment) & 0xffffffff
        end = self.ends[-1] - behind
        if behind >= 1 << 31 or end <= self.acknowledged:
            return []
        self.acknowledged = end
        last = bisect.bisect_left(self.ends, end)  # the acknowledgment ends in it
        newly, self.reached = range(self.reached, last + 1), last + 1
        answered = [index for index in newly if self.size(index) > LARGEST_SEGMENT][:1]
        if newly and self.ends[last] == end and self.size(last) <= LARGEST_SEGMENT:
            answered.append(last)
        return [time - self.sent[index] for index in answered if self.sent[index] is not None]

    def size(self, index):
        return self.ends[index] - (self.ends[index - 1] if index else 0)


def delays_of(path):
    """The delays on the server's leg, the number of super-packets, the time of the last packet."""
    directions, delays, super_packets, time = {}, [], 0, 0
    for time, source, destination, sequence, acknowledgment, flags, size in packets(path):
        if destination == 5201 and size > 0:
            super_packets += size > LARGEST_SEGMENT
            directions.setdefault(source, Direction()).data(time, sequence, size)
        if source == 5201 and flags & 0x10 and destination in directions:
            delays += directions[destination].answers(time, acknowledgment)
    return delays, super_packets, time


def kernel_means(path):
    """Smoothed round-trip times in ms of the connection that carries the data."""
    means = []
    with open(path) as file:
        for line in file:
            rtt, sent = re.search(r"\brtt:([\d.]+)/", line), re.search(r"\bbytes_sent:(\d+)", line)
            if rtt and sent and int(sent[1]) > 10_000_000:
                means.append(float(rtt[1]))
    return means


def main():
    with open(sys.argv[1]) as file:
        missed = json.load(file)["engine"]["missed"]
    try:
        delays, super_packets, end = delays_of(sys.argv[3])
    except ValueError as error:
        print(f"not to be judged: {error}")
        return 1
    with open(sys.argv[2]) as file:
        found = [int(row["delay_ns"]) for row in csv.DictReader(file) if row["leg"] == "server" and int(row["time_ns"]) <= end]
    if super_packets < LEAST_SAMPLES or len(delays) < LEAST_SAMPLES or not found:
        print(f"too few super-packets: are the offloads on?  {super_packets}, {len(delays)} delays, {len(found)} in the report")
        return 1
    means = kernel_means(sys.argv[4])
    kernel = f"{1e3 * statistics.mean(means):.0f} us" if means else "not read"
    expected, median = statistics.median(delays), statistics.median(found)
    print(f"report: {len(found)} samples, median {median / 1e3:.1f} us, {missed} packets missed; capture: {len(delays)} samples, "
          f"median {expected / 1e3:.1f} us, {super_packets} super-packets; the kernel's mean {kernel}")
    return not (abs(len(found) - len(delays)) <= SAMPLES_APART * len(delays)
                and abs(median - expected) <= max(MEDIAN_APART * expected, STAMPS_APART))


if __name__ == "__main__":
    sys.exit(main())
