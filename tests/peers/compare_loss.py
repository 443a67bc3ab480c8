#!/usr/bin/env python3
"""Signs of loss beside tshark's tcp.analysis, packet by packet.

    compare_loss.py --sojourn PROGRAM CAPTURE...
    compare_loss.py --self-test

The rules of docs/design/loss.md are written here a second time, over the fields that tshark dissects, with no limit on
holes.  `sojourn rtt --loss` must count exactly what they count, wherever both see the same TCP packets.  Where
tshark's own opinion on a packet differs from the rules, the packet must belong to one of the classes in CLASSES;
anything else is unexplained and fails.
"""
import collections
import json
import subprocess
import sys

from tcp_rows import FIELDS, packet_of, parse_arguments, print_classes, rows_of, tell

OPINIONS = [f"tcp.analysis.{name}" for name in ("retransmission", "fast_retransmission", "spurious_retransmission", "out_of_order",
                                                "duplicate_ack", "keep_alive", "zero_window_probe")]
CLASSES = {
    "seen-before": "tshark goes by the clock alone and says out of order; the bytes have passed here before",
    "another-clock": "a hole is filled: tshark counts from the last segment, we from when the hole opened",
    "port-reuse": "tshark begins a new conversation, or we do: the numbers are of another connection",
    "probe": "a keep-alive or zero-window probe, which tshark names so",
    "reset-with-data": "a reset, whose data we do not follow",
    "nothing-outstanding": "tshark counts a repeated acknowledgment also when no data is on the way",
    "ack-overtaken": "tshark compares with the last acknowledgment, we with the highest",
    "first-seen": "the first packet of its direction, about which the two do not know the same",
    "behind-its-acknowledgment": "captured after its acknowledgment: tshark says sent again, but it passes the first time",
}
FIN, SYN, RST, ACK = 1, 2, 4, 16
HALF = 1 << 31


def signed(number):
    number &= 0xffffffff
    return number - (1 << 32) if number >= HALF else number


class Side:
    def __init__(self):
        self.next = self.acknowledged = self.syn_time = None
        self.window = 0
        self.holes = []  # [from, to, opened], as distances would wrap

    def fill(self, start, end):
        opened, rest = None, []
        for low, high, when in self.holes:
            if signed(start - high) >= 0 or signed(low - end) >= 0:
                rest.append([low, high, when])
                continue
            opened = when if opened is None else opened
            if signed(low - start) < 0:
                rest.append([low, start, when])
            if signed(end - high) < 0:
                rest.append([end, high, when])
        self.holes = rest
        return opened

    def lacks(self, begin, end):
        return any(signed(begin - hole[1]) < 0 and signed(hole[0] - end) < 0 for hole in self.holes)


class Flow:
    def __init__(self):
        self.sides = {}
        self.client = None
        self.round_trip = 0
        self.syn_seen = False


def signs_of(packet, flow):
    """The set of signs, and whether the packet is the first of its direction."""
    me, you = packet["from"], packet["to"]
    syn, ack, flags = packet["flags"] & SYN, packet["flags"] & ACK, packet["flags"]
    if syn and not ack:
        before = flow.sides.get(me)
        if before and before.next is not None and (before.next - (packet["seq"] + 1)) & 0xffffffff >= 1 << 16:
            flow.sides, flow.client, flow.round_trip, flow.syn_seen = {}, None, 0, False
        flow.client, flow.syn_seen = me, True
    side, other = flow.sides.setdefault(me, Side()), flow.sides.setdefault(you, Side())
    first = side.next is None
    if syn and not ack and side.next is None:
        side.syn_time = packet["time"]
    elif syn and ack:
        flow.client = you
        side.syn_time = packet["time"]
    elif not syn and ack and not flow.round_trip and flow.syn_seen and me == flow.client and other.syn_time is not None:
        flow.round_trip = packet["time"] - side.syn_time
    signs = {"packets"}
    if flags & RST:
        return signs | {"resets"}, first
    length = packet["len"] + bool(syn) + bool(flags & FIN)
    end = (packet["seq"] + length) & 0xffffffff
    if length:
        ahead = signed(packet["seq"] - side.next) if side.next is not None else 0
        if side.next is None:
            side.next = end
            signs.add("segments")
        elif not (ahead == -1 and packet["len"] <= 1 and not flags & (SYN | FIN) and not side.lacks(packet["seq"], end)):
            signs.add("segments")
            if 0 < ahead < 1 << 30:
                side.holes.append([side.next, packet["seq"], packet["time"]])
            if ahead >= 0:
                side.next = end
            else:
                opened = side.fill(packet["seq"], end)
                if opened is not None:
                    known = flow.round_trip if flow.round_trip > 0 else 3_000_000
                    signs.add("reordered" if packet["time"] - opened < known else "late")
                else:
                    signs.add("retransmitted")
                    if other.acknowledged is not None and signed(other.acknowledged - end) >= 0:
                        signs.add("spurious")
                if signed(side.next - end) < 0:
                    side.next = end
    elif side.next is None:
        side.next = packet["seq"]
    elif 0 < signed(packet["seq"] - side.next) < 1 << 30:
        side.holes.append([side.next, packet["seq"], packet["time"]])
        side.next = packet["seq"]
    if ack:
        if (not length and side.acknowledged == packet["ack"] and side.window == packet["window"] != 0
                and other.next is not None and other.next != packet["ack"] and side.next == packet["seq"]):
            signs.add("duplicate_acks")
        if side.acknowledged is None or signed(side.acknowledged - packet["ack"]) < 0:
            side.acknowledged = packet["ack"]
        side.window = packet["window"]
    if packet["window"] == 0 and not flags & (SYN | FIN):
        signs.add("zero_windows")
    return signs, first


def packets_of(capture):
    for row in rows_of(capture, [*FIELDS, "tcp.window_size_value", *OPINIONS], "-E", "occurrence=l"):
        try:
            yield {**packet_of(row), "window": int(row["tcp.window_size_value"]),
                   "tshark": {name.rpartition(".")[2] for name in OPINIONS if row.get(name)}}
        except (ValueError, KeyError):
            continue


def class_of(packet, signs, first, tshark):
    """None if the two agree, else the class, or 'unexplained'."""
    ours = signs & {"retransmitted", "late", "reordered"}
    theirs = tshark & {"retransmission", "fast_retransmission", "spurious_retransmission", "out_of_order"}
    if bool(ours) != bool(theirs):
        if tshark & {"keep_alive", "zero_window_probe"}:
            return "probe"
        if packet["flags"] & RST:
            return "reset-with-data"
        if first:
            return "first-seen"
        if packet["flags"] & SYN:
            return "port-reuse"
        if theirs and packet["acked"]:
            return "behind-its-acknowledgment"
        return "unexplained"
    if ours:
        again = theirs & {"retransmission", "fast_retransmission", "spurious_retransmission"}
        if "retransmitted" in ours and not again:
            return "seen-before"
        if ("late" in ours and not again) or ("reordered" in ours and again):
            return "another-clock"
    if ("duplicate_acks" in signs) != ("duplicate_ack" in tshark):
        if "duplicate_ack" in tshark:
            return "nothing-outstanding" if packet["idle"] else "ack-overtaken" if packet["behind"] else \
                "first-seen" if first else "unexplained"
        return "probe" if tshark else "ack-overtaken" if packet["behind"] else "unexplained"
    return None


def rules_on(packets):
    flows, totals, classes, examples = collections.defaultdict(Flow), collections.Counter(), collections.Counter(), {}
    for packet in packets:
        flow = flows[tuple(sorted((packet["from"], packet["to"])))]
        side, other = flow.sides.get(packet["from"]), flow.sides.get(packet["to"])
        packet["idle"] = not other or other.next is None or other.next == packet["ack"]
        packet["behind"] = bool(side and side.acknowledged is not None and signed(packet["ack"] - side.acknowledged) < 0)
        end = packet["seq"] + packet["len"] + bool(packet["flags"] & SYN) + bool(packet["flags"] & FIN)
        packet["acked"] = bool(other and other.acknowledged is not None and signed(other.acknowledged - end) >= 0)
        signs, first = signs_of(packet, flow)
        totals.update(signs)
        kind = class_of(packet, signs, first, packet["tshark"])
        if kind:
            classes[kind] += 1
            examples.setdefault(kind, f"packet {packet['number']}: {sorted(signs - {'packets'})} beside {sorted(packet['tshark'])}")
    return totals, classes, examples


def counted_by(program, capture):
    done = subprocess.run([program, "rtt", capture, "--loss", "--json", "--table", "exact"], capture_output=True, encoding="utf-8")
    if done.returncode != 0:
        return None
    report = json.loads(done.stdout)
    totals = collections.Counter()
    for leg in report["loss"]["legs"].values():
        for name, value in leg.items():
            totals[name] += round(value["count"] if isinstance(value, dict) else value)
    return totals


def self_test():
    def packet(time, sender, seq, length, tshark=()):
        ends = [("a", "1"), ("b", "2")]
        return {"number": "1", "time": time, "from": ends[sender], "to": ends[1 - sender], "seq": seq, "ack": 0, "len": length,
                "flags": ACK, "window": 9, "tshark": set(tshark)}
    stream = [packet(0, 0, 0, 10), packet(1, 0, 20, 10), packet(10**9, 0, 10, 10, ["retransmission"]),
              packet(2 * 10**9, 0, 10, 10, ["out_of_order"]), packet(3 * 10**9, 0, 30, 10, ["retransmission"])]
    totals, classes, _ = rules_on(stream)
    wrong = []
    if totals["late"] != 1 or totals["retransmitted"] != 1:
        wrong.append(f"rules: {totals}")
    if classes != {"seen-before": 1, "unexplained": 1}:
        wrong.append(f"classes: {classes}")
    return tell(wrong)


def main():
    arguments = parse_arguments(__doc__)
    if arguments.self_test:
        return self_test()
    faults, compared, all_classes, others = 0, 0, collections.Counter(), []
    for capture in arguments.captures:
        ours = counted_by(arguments.sojourn, capture)
        if ours is None:
            continue
        totals, classes, examples = rules_on(packets_of(capture))
        if ours["packets"] != totals["packets"]:
            others.append(capture)
            continue
        compared += ours["packets"] > 0
        all_classes += classes
        names = sorted(set(ours) | set(totals))
        different = [f"{name} {ours[name]} instead of {totals[name]}" for name in names if ours[name] != totals[name]]
        if different:
            faults += 1
            print(f"{capture}: sojourn counts {', '.join(different)}")
        if classes["unexplained"]:
            faults += 1
            print(f"{capture}: {classes['unexplained']} unexplained, {examples['unexplained']}")
    print(f"{compared} captures with the same TCP packets, {len(others)} where copies, tunnels or cut packets are read differently")
    print_classes(all_classes, CLASSES)
    return faults > 0


if __name__ == "__main__":
    sys.exit(main())
