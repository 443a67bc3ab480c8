#!/usr/bin/env python3
"""Kinds response and tls beside tshark, answer by answer.

    compare_turns.py --sojourn PROGRAM CAPTURE...
    compare_turns.py --self-test

The rules of docs/design/pairing.md ("Turns") are written here a second time, over the fields that tshark dissects.
`sojourn rtt --kind response,tls` must find exactly the delays that they find, wherever both see the same TCP packets.
Beside that stand tshark's own: http.time, and the time from tls.handshake.type 1 to 2, both with
tcp.desegment_tcp_streams off, so that a message counts where it begins.  Where these differ from the rules the difference
must belong to one of the classes in CLASSES; anything else is unexplained and fails.  Connections without a SYN are left out: who
is the client is then a guess by port, which has a test of its own.
"""
import collections
import csv
import io
import json
import subprocess
import sys

from tcp_rows import FIELDS, nanoseconds, packet_of, parse_arguments, print_classes, rows_of, tell

MORE_FIELDS = "tcp.payload tls.handshake.type http.time http.request ip.fragment".split()
CLASSES = {
    "request-in-segments": "tshark times the first segment of the request, we the last byte of it",
    "hello-in-segments": "the same of a ClientHello",
    "sent-again": "a part of it passed twice: we leave it out (Karn), tshark times a copy",
    "gap": "a part of it did not pass here, or late: we leave it out",
    "overlapping": "one end spoke before it could have heard the other (pipelining): we leave it out",
    "several-writes": "the request came in pieces, each of which may be what was answered: we leave it out",
    "further-answer": "not the first that the server says in its turn: 100 Continue before it, or pipelined answers",
    "not-at-the-start": "the message begins within a segment, behind another; we look at the start of segments",
    "expired": "later than --expire",
    "another-conversation": "tshark's request is not the last that the client said: an answer it has not seen, or a reused port",
    "not-a-server-hello-first": "something else came back first: an alert, or a record that is none",
    "not-a-hello": "what tshark reads as a hello is encrypted, or in the midst of a record",
}
FIN, SYN, RST, ACK = 1, 2, 4, 16
EXPIRE = 10 * 10**9
FULL = 1200


def newer(a, b):
    return 0 < (a - b) & 0xffffffff < 1 << 31


class Connection:
    def __init__(self, client):
        self.client = client
        self.next = {}
        self.asked_at = self.asked_end = self.network = self.acknowledged = None
        self.timed = False
        self.turn, self.why, self.piece, self.segments = None, None, False, 0
        self.stage, self.tls_why, self.hello_at, self.hello_end = "none", None, None, None
        self.hello_segments, self.went_on, self.record = 0, False, {}
        # Of tshark, for the comparison.
        self.peer_hello = self.peer_request = None


def record_at(data):
    """(content, length, first handshake type, whether it is the only message), or None."""
    if len(data) < 5 or not 20 <= data[0] <= 23 or data[1] != 3 or data[2] > 4:
        return None
    length = data[3] << 8 | data[4]
    if not 0 < length <= (1 << 14) + 2048:
        return None
    kind, alone = 0, False
    if data[0] == 22 and len(data) >= 9:
        kind, alone = data[5], int.from_bytes(data[6:9], "big") + 4 == length
    return data[0], length, kind, alone


class Rules:
    """What sojourn must find: [time, kind, leg, delay]; and why it finds nothing."""

    def __init__(self):
        self.connections, self.samples, self.outcome = {}, [], {}

    def add(self, packet, kind, leg, delay):
        self.samples.append((packet["time"], kind, leg, delay))

    def answer(self, connection, packet, kind, delay):
        self.add(packet, kind, "server", delay)
        if connection.network is not None:
            self.add(packet, kind, "network", connection.network)
            self.add(packet, kind, "thinking", delay - connection.network)

    def take(self, packet):
        key = tuple(sorted((packet["from"], packet["to"])))
        flags, me, you = packet["flags"], packet["from"], packet["to"]
        connection = self.connections.get(key)
        if flags & SYN and not flags & ACK and not flags & RST:
            first = packet["seq"] + 1
            if connection and me in connection.next and (connection.next[me] - first) & 0xffffffff < 1 << 16:
                connection.timed = False
                return
            connection = self.connections[key] = Connection(me)
            connection.next[me] = connection.asked_end = (first + packet["len"]) & 0xffffffff
            connection.asked_at, connection.timed = packet["time"], packet["len"] == 0
            return
        if connection is None:
            return
        if flags & RST:
            connection.turn, connection.stage, connection.timed, connection.acknowledged = None, "none", False, None
            connection.next = {}
            return
        if flags & SYN:
            connection.next.setdefault(me, (packet["seq"] + 1) & 0xffffffff)
            connection.client = you
            self.acknowledge(connection, packet)
            return
        packet["connection"] = connection
        if me == connection.client:
            if packet["len"]:
                self.client(connection, packet)
        else:
            if flags & ACK:
                self.acknowledge(connection, packet)
            if packet["len"]:
                self.server(connection, packet)
        if flags & FIN:
            end = (packet["seq"] + packet["len"] + 1) & 0xffffffff
            if me not in connection.next or newer(end, connection.next[me]):
                connection.next[me] = end

    def acknowledge(self, c, packet):
        number = packet["ack"]
        if c.client in c.next and newer(number, c.next[c.client]):
            c.timed = False
            if c.turn == "client":
                c.why = c.why or "gap"
        if c.timed and not newer(c.asked_end, number):
            trip = packet["time"] - c.asked_at
            if trip >= 0 and (c.network is None or trip < c.network):
                c.network = trip
            c.timed = False
        if c.acknowledged is None or newer(number, c.acknowledged):
            c.acknowledged = number

    def mark_tls(self, c, why):
        if c.stage in ("client", "server"):
            c.tls_why = c.tls_why or why

    def client(self, c, packet):
        me, you, end = packet["from"], packet["to"], (packet["seq"] + packet["len"]) & 0xffffffff
        expected = c.next.get(me)
        if expected is not None and not newer(end, expected):
            if c.acknowledged is not None and not newer(end, c.acknowledged):
                return
            c.timed = False
            if c.turn == "client":
                c.why = c.why or "sent-again"
            self.mark_tls(c, "sent-again")
            return
        late = expected is not None and newer(expected, packet["seq"])
        gap = expected is not None and newer(packet["seq"], expected)
        if c.turn != "client":
            c.turn, c.why, c.segments = "client", None, 0
            if you in c.next and newer(c.next[you], packet["ack"]):
                c.why = "overlapping"
        elif c.piece:
            c.why = c.why or "several-writes"
        if late or gap:
            c.why = c.why or ("sent-again" if late else "gap")
        c.segments += 1
        c.piece = packet["len"] < FULL
        c.asked_at, c.asked_end, c.timed = packet["time"], end, not late
        c.next[me] = end
        self.tls(c, packet, True, not late and not gap)

    def server(self, c, packet):
        me, end = packet["from"], (packet["seq"] + packet["len"]) & 0xffffffff
        expected = c.next.get(me)
        if expected is not None and not newer(end, expected):
            self.mark_tls(c, "sent-again")
            packet["outcome"] = "sent-again"
            return
        late = expected is not None and newer(expected, packet["seq"])
        gap = expected is not None and newer(packet["seq"], expected)
        if c.turn == "client":
            if late or gap:
                c.why = c.why or ("sent-again" if late else "gap")
            if not packet["flags"] & ACK or newer(c.asked_end, packet["ack"]):
                c.why = c.why or "overlapping"
                packet["outcome"] = "overlapping"
            else:
                c.turn = "server"
                delay = packet["time"] - c.asked_at
                packet["outcome"] = "expired" if delay > EXPIRE else c.why or ("ok", delay, c.segments)
                if delay <= EXPIRE and not c.why:
                    self.answer(c, packet, "response", delay)
        else:
            c.turn = "server"
            packet["outcome"] = "further-answer"
        c.next[me] = end
        self.tls(c, packet, False, not late and not gap)

    def tls(self, c, packet, by_client, in_order):
        if c.stage == "over":
            return
        if not in_order:
            self.mark_tls(c, "gap")
        data, end = packet["data"], (packet["seq"] + packet["len"]) & 0xffffffff
        if c.stage == "server":
            return self.records(c, packet, by_client, in_order)
        found = record_at(data)
        if by_client:
            if c.stage == "none":
                if not found or found[0] != 22 or found[2] != 1:
                    return
                c.stage, c.tls_why, c.went_on, c.record, c.hello_segments = "client", None, False, {}, 0
                c.hello_end = (packet["seq"] + 5 + found[1]) & 0xffffffff
            elif not newer(c.hello_end, packet["seq"]):
                if not found or found[0] != 22:
                    return self.mark_tls(c, "early-data")
                c.hello_end = (packet["seq"] + 5 + found[1]) & 0xffffffff
            c.hello_at = packet["time"]
            c.hello_segments += 1
            if newer(end, c.hello_end):
                self.mark_tls(c, "early-data")
        elif c.stage == "client" and not newer(c.hello_end, packet["ack"]):
            delay = packet["time"] - c.hello_at
            if delay > EXPIRE or not found or found[0] != 22 or found[2] != 2:
                c.stage = "over"
                packet["tls_outcome"] = "expired" if delay > EXPIRE else c.tls_why or "not-a-server-hello-first"
                return
            packet["tls_outcome"] = c.tls_why if c.tls_why not in (None, "early-data") else ("ok", delay, c.hello_segments)
            if c.tls_why in (None, "early-data"):
                self.answer(c, packet, "tls", delay)
            c.stage = "server"
            self.records(c, packet, by_client, True)

    def records(self, c, packet, by_client, in_order):
        me, data = packet["from"], packet["data"]
        known = c.record.pop(me, None)
        offset = (known - packet["seq"]) & 0xffffffff if in_order and known is not None else 0
        while offset < packet["len"]:
            found = record_at(data[offset:])
            if not found:
                return
            if found[0] == 23 and (by_client or c.went_on):
                c.stage = "over"
                delay = packet["time"] - c.hello_at
                if delay <= EXPIRE and not c.tls_why:
                    self.add(packet, "tls", "sum", delay)
                return
            if by_client:
                c.went_on = not (found[0] == 22 and found[2] == 1 and found[3])
            offset += 5 + found[1]
        c.record[me] = (packet["seq"] + offset) & 0xffffffff


def packets_of(capture):
    for row in rows_of(capture, FIELDS + MORE_FIELDS, "-o", "tcp.desegment_tcp_streams:FALSE"):
        last = {name: value.rpartition(",")[2] for name, value in row.items()}
        try:
            yield {**packet_of(last), "data": bytes.fromhex(last["tcp.payload"].replace(":", "")),
                   "hellos": row["tls.handshake.type"].split(",") if row["tls.handshake.type"] else [],
                   "http_time": last["http.time"], "http_request": bool(last["http.request"]),
                   "joined": bool(last["ip.fragment"])}
        except (ValueError, KeyError):
            continue


def http_class(packet):
    """None if tshark's http.time is our delay, else the class."""
    theirs, outcome = nanoseconds(packet["http_time"]), packet.get("outcome")
    if isinstance(outcome, tuple):
        _, ours, segments = outcome
        if abs(ours - theirs) <= 1:  # tshark prints rounded differences
            return None
        request = packet["connection"].peer_request
        if segments > 1 and request is not None and packet["time"] - request == theirs:
            return "request-in-segments"
        if request is None or packet["time"] - request != theirs:
            return "another-conversation"
        return "unexplained"
    return outcome or "unexplained"


def tls_class(packet, hello):
    theirs, outcome = packet["time"] - hello["time"], packet.get("tls_outcome")
    if isinstance(outcome, tuple):
        _, ours, segments = outcome
        return None if ours == theirs else "hello-in-segments" if segments > 1 else "unexplained"
    if outcome is None:
        if packet.get("outcome") == "sent-again":
            return "sent-again"
        if record_at(packet["data"]) is None or record_at(packet["data"])[2] != 2:
            return "not-at-the-start"
        if hello["unread"]:
            return "not-a-hello"
        return "overlapping" if packet.get("outcome") == "overlapping" else "unexplained"
    return outcome


def compare(packets):
    rules, classes, examples, agreed = Rules(), collections.Counter(), {}, collections.Counter()
    count = 0

    def note(kind, name, packet):
        if name is None:
            agreed[kind] += 1
            return
        classes[name] += 1
        examples.setdefault(name, f"packet {packet['number']} ({kind})")

    for packet in packets:
        count += 1
        rules.take(packet)
        connection = packet.get("connection")
        if connection is None:
            continue
        if packet["http_request"] and packet["from"] == connection.client:
            connection.peer_request = packet["time"]
        if packet["http_time"] and packet["from"] != connection.client:
            note("http", http_class(packet), packet)
        if "1" in packet["hellos"] and packet["from"] == connection.client and connection.peer_hello is None:
            found = record_at(packet["data"])
            connection.peer_hello = {"time": packet["time"], "unread": not found or found[2] != 1}
        if "2" in packet["hellos"] and packet["from"] != connection.client and connection.peer_hello not in (None, "done"):
            note("tls", tls_class(packet, connection.peer_hello), packet)
            connection.peer_hello = "done"
    return rules, count, classes, examples, agreed


def found_by(program, capture):
    """(number of TCP packets, samples), of connections with a SYN."""
    done = subprocess.run([program, "rtt", capture, "--kind", "response,tls", "--loss", "--json", "--table", "exact"],
                          capture_output=True, encoding="utf-8")
    if done.returncode != 0:
        return None
    packets = sum(leg["segments"] * 0 + leg["packets"] for leg in json.loads(done.stdout)["loss"]["legs"].values())
    done = subprocess.run([program, "rtt", capture, "--kind", "response,tls", "--table", "exact", "--samples", "-"],
                          capture_output=True, encoding="utf-8")
    rows = csv.DictReader(io.StringIO(done.stdout))
    return round(packets), [(int(row["time_ns"]), row["kind"], row["leg"], int(row["delay_ns"]),
                              frozenset((row["requester_port"], row["responder_port"]))) for row in rows]


def self_test():
    client, server = ("a", "1"), ("b", "2")

    def packet(ms, sender, seq, ack, length, flags=ACK, http_time="", request=False):
        return {"number": str(ms), "time": ms * 10**6, "from": sender, "to": server if sender is client else client, "seq": seq,
                "ack": ack, "len": length, "flags": flags, "data": b"", "hellos": [], "http_time": http_time,
                "http_request": request}
    stream = [packet(0, client, 99, 0, 0, SYN), packet(15, server, 499, 100, 0, SYN | ACK), packet(16, client, 100, 500, 0),
              packet(20, client, 100, 500, 10, request=True), packet(60, server, 500, 110, 10, http_time="0.040000000"),
              packet(70, client, 110, 510, 10, request=True), packet(90, server, 510, 120, 10, http_time="0.021000000"),
              packet(100, client, 120, 520, 10, request=True), packet(300, client, 120, 520, 10),
              packet(350, server, 520, 130, 10, http_time="0.250000000")]
    rules, _, classes, _, agreed = compare(stream)
    wrong = []
    expected = [(60, "server", 40), (60, "network", 15), (60, "thinking", 25), (90, "server", 20), (90, "network", 15),
                (90, "thinking", 5)]
    if rules.samples != [(at * 10**6, "response", leg, delay * 10**6) for at, leg, delay in expected]:
        wrong.append(f"rules: {rules.samples}")
    if agreed != {"http": 1} or classes != {"another-conversation": 1, "sent-again": 1}:
        wrong.append(f"classes: {classes}, {agreed}")
    return tell(wrong)


def main():
    arguments = parse_arguments(__doc__)
    if arguments.self_test:
        return self_test()
    faults, compared, samples, all_classes, all_agreed, others = 0, 0, 0, collections.Counter(), collections.Counter(), 0
    for capture in arguments.captures:
        ours = found_by(arguments.sojourn, capture)
        if ours is None:
            continue
        packets = list(packets_of(capture))
        rules, count, classes, examples, agreed = compare(packets)
        if ours[0] != count or any(packet["joined"] for packet in packets):
            others += 1
            continue
        compared += count > 0
        known = {frozenset(port for _, port in key) for key in rules.connections}
        mine = collections.Counter((time, kind, leg, delay) for time, kind, leg, delay, ports in ours[1] if ports in known)
        theirs = collections.Counter(rules.samples)
        samples += sum(theirs.values())
        if mine != theirs:
            faults += 1
            print(f"{capture}: sojourn has {sorted((mine - theirs).items())[:3]} too much, {sorted((theirs - mine).items())[:3]} too little")
        all_classes += classes
        all_agreed += agreed
        if classes["unexplained"]:
            faults += 1
            print(f"{capture}: {classes['unexplained']} unexplained, {examples['unexplained']}")
    print(f"{compared} captures with the same TCP packets, {others} where copies, tunnels, fragments or cut packets are read differently")
    print(f"{samples} delays as the rules have them; of tshark's, {all_agreed['http']} http.time and {all_agreed['tls']} hellos are the same")
    print_classes(all_classes, CLASSES)
    return faults > 0


if __name__ == "__main__":
    sys.exit(main())
