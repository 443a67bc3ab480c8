#!/usr/bin/env python3
"""What `sojourn oneway` makes of marking records, against the emulator's log.

    check_marking.py loss|clocks|down|rewritten|killed|unkind|option|many|delay --joined FILE --log FILE ...

The log has every frame with its head, marks included, and its fate.  Of every interval that is given, the packets that
were sent and those that were lost must be the log's, to the packet.
"""
import argparse
import collections
import csv
import json
import statistics
import sys


OPTION = [6, 7]  # instead of bits of the DSCP, which has none such
without = []  # lengths of frames that should have the option and have not


def frames(path, bits, by_port=False):
    """Forward frames of the monitored flows: flow, time in, mark, fate, delay by the log."""
    with open(path, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            head = bytes.fromhex(row["head"])
            if row["direction"] != "forward" or len(head) < 54:
                continue
            ip = head[14:]
            if head[12:14] == b"\x08\x00":
                tos, protocol, to = ip[1], ip[9], "destination=198.51.100.0/24"
                monitored = ip[16:19] == bytes((198, 51, 100))
            elif head[12:14] == b"\x86\xdd":
                tos, protocol, to = (ip[0] << 4 | ip[1] >> 4) & 255, ip[6], "destination=2001:db8:1::/64"
                monitored = ip[24:32] == bytes.fromhex("20010db800010000")
            else:
                continue
            option = None
            if head[12:14] == b"\x86\xdd" and protocol == 0 and ip[42:44] == b"\x12\x04":  # RFC 9343
                protocol, option = ip[40], int.from_bytes(ip[44:48], "big")
            if not monitored or protocol not in (6, 17):
                continue
            flow = f"{to},protocol={'tcp' if protocol == 6 else 'udp'}"
            if by_port:
                port = int.from_bytes(ip[22:24] if head[12:14] == b"\x08\x00" else ip[42:44], "big")
                if port not in range(10000, 20000):
                    continue
                flow = f"destination-port={port},protocol=udp"
            dscp = tos >> 2
            mark = [dscp >> bit & 1 for bit in bits]
            if bits == OPTION:
                if head[12:14] != b"\x86\xdd":
                    continue
                if option is None:
                    without.append(int(row["length"]))
                    continue
                mark = [option >> 11 & 1, option >> 10 & 1]
            out = (int(row["out_ns"]), int(row["done_ns"])) if row["out_ns"] else None
            yield flow, int(row["in_ns"]), mark, row["fate"], out, dscp


def interval_of(time, mark, length):
    """By time; right after an edge by colour, since the packet was marked before it was logged."""
    number, into = divmod(time, length)
    if into < length // 2 and mark[0] != number % 2:
        return number - 1
    return number


class Truth:
    def __init__(self, log, bits, length, by_port=False):
        self.sent, self.lost, self.copies = collections.Counter(), collections.Counter(), collections.Counter()
        self.pulses = collections.defaultdict(list)
        self.given = set()
        self.left = collections.defaultdict(list)  # when packets of an interval came out
        for flow, time, mark, fate, out, _ in frames(log, bits, by_port):
            number = interval_of(time, mark, length)
            if out:
                self.left[flow, number].append(out[0])
            if fate == "duplicated":  # the second copy
                self.copies[flow, number] += 1
                continue
            self.sent[flow, number] += 1
            self.lost[flow, number] += fate in ("lost", "queue_drop", "unsent", "no_room")
            into = time - number * length
            is_pulse = mark[1] if len(bits) == 2 else \
                length // 4 < into < length * 7 // 8 and mark[0] != number % 2
            if is_pulse and out:
                self.pulses[flow, number].append((out[0] - time, out[1] - time))


    def overtaken(self):
        """Packets that came out behind one of the next interval."""
        return sum(time > min(self.left[flow, number + 1])
                   for (flow, number), times in list(self.left.items()) if self.left.get((flow, number + 1))
                   for time in times)


def table(path, name="intervals"):
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    return document, document["tables"][name]


def number_of(row, length):
    return (row["start_ns"] + length // 2) // length


def check_exact(rows, truth, length, wrong):
    given, lost = 0, 0
    for row in rows:
        if row["lost"] is None:
            continue
        place = row["flow"], number_of(row, length)
        truth.given.add(place)
        given += 1
        lost += row["lost"]
        if (row["sent"], row["lost"]) != (truth.sent[place], truth.lost[place]):
            wrong.append(f"{place}: sent {row['sent']} lost {row['lost']}, in the log {truth.sent[place]} and {truth.lost[place]}")
    return given, lost


def check_delays(path, truth, length, wrong):
    _, segment = table(path)
    errors, behind = [], []
    for row in segment:
        pulses = truth.pulses.get((row["flow"], number_of(row, length)), [])
        if row["delay_ns"] is None or len(pulses) != 1:
            continue
        least, most = pulses[0]
        # It passed the next interface somewhere between the log's two readings of the clock.
        errors.append(max(least - row["delay_ns"], row["delay_ns"] - most, 0))
        behind.append(row["delay_ns"] - least)
    print(f"  {len(errors)} delays, {statistics.median(behind or [0]) / 1000:.1f} us behind the log's first reading at the median; "
          f"off by {statistics.median(errors or [0]) / 1000:.1f} us at the median, {max(errors or [0]) / 1000:.1f} us at most")
    if len(errors) < 8:
        wrong.append("too few delays")
    elif statistics.median(errors) > 5000:
        wrong.append("delays are more than 5 us from the log's at the median")


def check_wire(options, truth, wrong):
    """Delays of both kinds of way: at least what the emulator adds, and next to nothing over a wire."""
    _, rows = table(options.segment)
    delays = sorted(row["delay_ns"] for row in rows if row["delay_ns"] is not None)
    _, rows = table(options.wire)
    wire = sorted(row["delay_ns"] for row in rows if row["delay_ns"] is not None)
    if len(delays) < 8 or len(wire) < 8:
        wrong.append("too few delays")
        return
    print(f"  way {delays[0] / 1000:.1f} us at least, wire {wire[0] / 1000:.1f} us at least, "
          f"{statistics.median(wire) / 1000:.1f} us at the median")
    if delays[0] < int(options.least.removesuffix("ms")) * 1_000_000:
        wrong.append("a delay is shorter than the way")
    if not 0 < wire[0] < 100_000:
        wrong.append("a wire does not take that long")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("part", choices=["loss", "clocks", "down", "rewritten", "killed", "unkind", "option", "many", "delay"])
    parser.add_argument("--joined", required=True)
    parser.add_argument("--segment", help="first to mid, where the emulator is")
    parser.add_argument("--log", required=True)
    parser.add_argument("--length", type=int, required=True, help="of the interval, ns")
    parser.add_argument("--bits", default="0")
    parser.add_argument("--killed", type=int)
    parser.add_argument("--ahead", help="joined with a point whose clock is 40 ms ahead")
    parser.add_argument("--behind", help="... and 200 ms behind, which is too much")
    parser.add_argument("--wire", help="mid to last, where nothing is between")
    parser.add_argument("--least", help="delay of the emulator")
    options = parser.parse_args()
    bits = OPTION if options.bits == "option" else [int(bit) for bit in options.bits.split(",")]
    document, rows = table(options.joined)
    truth = Truth(options.log, bits, options.length, options.part == "many")
    wrong = []
    reasons = collections.Counter(word for row in rows for word in (row["not_valid"] or "").split())
    given, lost = check_exact(rows, truth, options.length, wrong)
    print(f"  {given} of {len(rows)} intervals given, {lost} packets lost, {sum(truth.sent.values())} in the log; "
          + ", ".join(f"{count} {name}" for name, count in reasons.items()))
    flows = {row["flow"] for row in rows if row["lost"] is not None}
    if options.part == "loss":
        if len(flows) != 4 or given < 16 or lost < 10:
            wrong.append("too few intervals to say anything: the test could not fail")
    if options.part in ("loss", "down", "delay", "option"):
        check_delays(options.segment, truth, options.length, wrong)
    if options.part == "delay":
        check_wire(options, truth, wrong)
    if options.part == "unkind":
        copied = sum(truth.copies[place] > 0 for place in truth.given)
        print(f"  {truth.overtaken()} packets were overtaken across an edge; copies in {copied} of the intervals given")
        if given < 16 or lost < 10 or copied < 8 or truth.overtaken() < 10:
            wrong.append("too little happened: the test could not fail")
    if options.part == "option":
        print(f"  {len(without)} packets without it, the shortest has {min(without, default=0)} bytes")
        if len(flows) != 2 or given < 12 or lost < 5 or len(without) < 10:
            wrong.append("too little happened: the test could not fail")
        if min(without, default=0) + 8 <= 1514:
            wrong.append("packets are left alone for which there was room")
    if options.part == "many":
        print(f"  {len(flows)} flows given")
        if len(flows) < 5000 or lost < 50:
            wrong.append("too few flows, or losses")
    if options.part == "clocks":
        _, ahead = table(options.ahead)
        more, _ = check_exact(ahead, truth, options.length, wrong)
        delays = {(row["flow"], row["start_ns"]): row["delay_ns"] for row in rows}
        apart = [row["delay_ns"] - delays[row["flow"], row["start_ns"]] for row in ahead
                 if row["delay_ns"] is not None and delays.get((row["flow"], row["start_ns"])) is not None]
        print(f"  clock ahead: {more} intervals given, delays {statistics.median(apart or [0]) / 1e6:.3f} ms more")
        if more < 16 or len(apart) < 8 or abs(statistics.median(apart) - 40_000_000) > 100_000:
            wrong.append("a clock that is 40 ms ahead is not in the delays, or spoils the counts")
        _, behind = table(options.behind)
        if any(row["lost"] is not None for row in behind):
            wrong.append("a clock that is 200 ms behind is not noticed")
    if options.part == "down":
        if reasons["link-down"] < 2:
            wrong.append("no word about the link that was down")
        if given < 16:
            wrong.append("too few intervals given")
    if options.part == "rewritten":
        if given > 0:
            wrong.append("loss is given though the marks were rewritten")
        if reasons["rewritten"] < 4 or not any("rewrites" in note for note in document.get("notes", [])):
            wrong.append("nothing says that the marks were rewritten")
    if options.part == "killed":
        if any(row["lost"] is not None and number_of(row, options.length) * options.length > options.killed - options.length
               for row in rows):
            wrong.append("loss is given for intervals after the marker was killed")
        marked = [time for _, time, _, _, _, dscp in frames(options.log, bits) if dscp and time > options.killed + options.length]
        after = [time for _, time, *_ in frames(options.log, bits) if time > options.killed + options.length]
        if marked or len(after) < 100:
            wrong.append(f"{len(marked)} of {len(after)} packets are still marked an interval after the marker was killed")
        if given < 8:
            wrong.append("too few intervals given before that")
    for line in wrong[:10]:
        print("FAILED:", line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
