#!/usr/bin/env python3
"""Writes a capture in which tshark and Sojourn differ on purpose, in every way they can.

    edge_cases.py OUT.pcap

One conversation per case, each on a port of its own, named in its comment.  The comparison must
explain all of them, and meet every class of README.md that no recorded capture is sure to hold.
"""
import struct
import sys

CLIENT, SERVER = bytes([192, 0, 2, 1]), bytes([198, 51, 100, 7])  # RFC 5737
FIN, SYN, RST, PSH, ACK = 1, 2, 4, 8, 16
MS = 10**6


def checksum(data):
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total > 0xffff:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


class Writer:
    """Frames with nanosecond times; `wait` moves the clock on."""

    def __init__(self):
        self.frames, self.now, self.identification = [], 1_700_000_000 * 10**9, 0

    def wait(self, ns):
        self.now += ns

    def ip(self, source, destination, protocol, payload, fragment=0):
        if not fragment:
            self.identification += 1
        header = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(payload), self.identification, fragment, 64,
                             protocol, 0, source, destination)
        header = header[:10] + struct.pack("!H", checksum(header)) + header[12:]
        ethernet = bytes(6) + b"\x02\0\0\0\0\1" + b"\x08\0"
        self.frames.append((self.now, ethernet + header + payload))

    def fragments(self, source, destination, protocol, payload, size):
        """Two fragments, a millisecond apart."""
        self.identification += 1
        for offset in range(0, len(payload), size):
            more = 0x2000 if offset + size < len(payload) else 0
            self.ip(source, destination, protocol, payload[offset:offset + size], more | offset // 8)
            self.wait(MS)

    def copy(self):
        """The last frame once more, as a mirror of both directions shows it."""
        time, frame = self.frames[-1]
        self.frames.append((time + MS // 10, frame))

    def write(self, path):
        with open(path, "wb") as file:
            file.write(struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 65535, 1))
            for time, frame in self.frames:
                file.write(struct.pack("<IIII", *divmod(time, 10**9), len(frame), len(frame)) + frame)


class Tcp:
    """A conversation.  Each step sends one segment and lets 5 ms and a few ns pass."""

    def __init__(self, writer, port, isn=1000, server_isn=5000, server_port=80):
        self.writer, self.isn, self.server_isn = writer, isn, server_isn
        self.port, self.server_port = port, server_port

    def segment(self, from_client, sequence, acknowledgment, flags, payload=b"", window=8192):
        ports = (self.port, self.server_port) if from_client else (self.server_port, self.port)
        return struct.pack("!HHIIBBHHH", *ports, sequence % 2**32, acknowledgment % 2**32, 0x50, flags, window,
                           0, 0) + payload

    def client(self, offset, acknowledged, flags=ACK, payload=b"", window=8192, wait=5 * MS + 7):
        """Offsets count from the initial sequence numbers."""
        self.writer.ip(CLIENT, SERVER, 6, self.segment(True, self.isn + offset, self.server_isn + acknowledged,
                                                      flags, payload, window))
        self.writer.wait(wait)

    def server(self, offset, acknowledged, flags=ACK, payload=b"", window=8192, wait=5 * MS + 7):
        self.writer.ip(SERVER, CLIENT, 6, self.segment(False, self.server_isn + offset, self.isn + acknowledged,
                                                      flags, payload, window))
        self.writer.wait(wait)

    def open(self):
        self.client(0, -self.server_isn, SYN)
        self.server(0, 1, SYN | ACK)
        self.client(1, 1)
        return self


def tcp_cases(writer):
    def opened(port, **numbers):
        return Tcp(writer, port, **numbers).open()

    c = opened(2001, isn=2**32 - 50)                  # sequence numbers wrap within the data
    c.client(1, 1, payload=b"x" * 100), c.server(1, 101)
    c = opened(2002)                                  # karn: the segment is sent twice
    c.client(1, 1, payload=b"x" * 100), c.client(1, 1, payload=b"x" * 100), c.server(1, 101)
    c = opened(2003)                                  # karn: a single byte is sent twice; no keep-alive
    c.client(1, 1, payload=b"x"), c.client(1, 1, payload=b"x"), c.server(1, 2)
    c = opened(2004)                                  # repeated-after-answer
    c.client(1, 1, payload=b"x" * 100), c.server(1, 101), c.client(1, 1, payload=b"x" * 100), c.server(1, 101)
    c = opened(2005)                                  # keep-alive, with a byte and without
    c.client(1, 1, payload=b"x" * 100), c.server(1, 101), c.client(100, 1, payload=b"x"), c.server(1, 101)
    c.client(100, 1), c.server(1, 101)
    c = opened(2006)                                  # zero-window-probe that the receiver takes
    c.client(1, 1, payload=b"x" * 100), c.server(1, 101, window=0), c.client(101, 1, payload=b"x")
    c.server(1, 102)
    c = opened(2007)                                  # old-ack: the acknowledgments arrive swapped
    c.client(1, 1, payload=b"x" * 100), c.client(101, 1, payload=b"x" * 100), c.server(1, 201), c.server(1, 101)
    c = opened(2008)                                  # zero-delay
    c.client(1, 1, payload=b"x" * 100, wait=0), c.server(1, 101)
    c = opened(2009)                                  # no-ack-flag: the number is there, its flag is not
    c.client(1, 1, payload=b"x" * 100), c.server(1, 101, flags=0)
    c = opened(2010)                                  # fragmented: the acknowledgment comes in two pieces
    c.client(1, 1, payload=b"x" * 100)
    writer.fragments(SERVER, CLIENT, 6, c.segment(False, 5001, 1101, ACK | PSH, b"y" * 80), 48)
    c.client(101, 81)
    c = opened(2011)                                  # FIN counts as one, with data too
    c.client(1, 1, FIN | ACK, payload=b"x" * 10), c.server(1, 12, FIN | ACK), c.client(12, 2)
    c = opened(2012)                                  # a cumulative ACK answers the segment it ends
    c.client(1, 1, payload=b"x" * 100), c.client(101, 1, payload=b"x" * 100), c.server(1, 201)
    c = opened(2013)                                  # expired: the answer comes after two hours
    c.client(1, 1, payload=b"x" * 100), writer.wait(7200 * 10**9), c.server(1, 101)
    c = opened(2014)                                  # port-reuse: a SYN as answer of the old connection
    c.client(1, 1, payload=b"x" * 100)
    c = Tcp(writer, 2014, isn=900_000, server_isn=5000)
    c.client(0, -5000, SYN), Tcp(writer, 2014).server(1, 101), c.server(0, 1, SYN | ACK), c.client(1, 1)
    c = opened(2015)                                  # a RST may acknowledge
    c.client(1, 1, payload=b"x" * 100), c.server(1, 101, RST | ACK)


    c = opened(2016)                                  # behind-acknowledgment: captured in the wrong order
    c.client(101, 1, payload=b"x" * 100), c.server(1, 201), c.client(1, 1, payload=b"x" * 100), c.server(1, 101)
    c = Tcp(writer, 2017)                             # an ACK of a connection long gone must not mislead
    c.client(0, -5000, SYN), c.server(0, 900_000), c.client(900_000, -5000, RST), c.client(0, -5000, SYN)
    c.server(0, 1, SYN | ACK), c.client(1, 1), c.client(1, 1, payload=b"x" * 100), c.server(1, 101)
    c = opened(2018)                                  # karn beyond --expire: a FIN sent six times
    for gap in (200, 600, 1400, 3000, 6200):
        c.client(1, 1, FIN | ACK, wait=gap * MS)
    c.client(1, 1, FIN | ACK, wait=116 * MS), c.server(1, 2, FIN | ACK), c.client(2, 2)
    c = opened(2019)                                  # the first of three segments, again after 12 s
    for offset in (1, 101, 201):
        c.client(offset, 1, payload=b"x" * 100)
    writer.wait(12_000 * MS), c.client(1, 1, payload=b"x" * 100), c.server(1, 101)
    c = opened(2020)                                  # perhaps-sent-before: behind, after 12 s of silence
    c.client(101, 1, payload=b"x" * 100), writer.wait(12_000 * MS), c.client(1, 1, payload=b"x" * 100)
    c.server(1, 101)
    c = Tcp(writer, 2021, server_isn=2**32 - 2**29)   # an ACK numbered 0 before the SYN-ACK
    c.client(0, -c.server_isn, ACK), c.server(0, 1, SYN | ACK), c.client(1, 1)


def handshake_cases(writer):
    c = Tcp(writer, 3009)                             # the SYN repeated beyond --expire
    c.client(0, -5000, SYN, wait=12_000 * MS), c.client(0, -5000, SYN), c.server(0, 1, SYN | ACK), c.client(1, 1)
    c = Tcp(writer, 3010)                             # the SYN-ACK repeated beyond --expire
    c.client(0, -5000, SYN), c.server(0, 1, SYN | ACK, wait=12_000 * MS), c.server(0, 1, SYN | ACK), c.client(1, 1)
    c = Tcp(writer, 3001)                             # syn-repeated
    c.client(0, -5000, SYN), c.client(0, -5000, SYN), c.server(0, 1, SYN | ACK), c.client(1, 1)
    c = Tcp(writer, 3011)                             # late-syn
    c.client(0, -5000, SYN), c.server(0, 1, SYN | ACK), c.client(0, -5000, SYN), c.client(1, 1)
    c = Tcp(writer, 3002)                             # syn-ack-repeated
    c.client(0, -5000, SYN), c.server(0, 1, SYN | ACK), c.server(0, 1, SYN | ACK), c.client(1, 1)
    c = Tcp(writer, 3003)                             # refused
    c.client(0, -5000, SYN), c.server(-5000, 1, RST | ACK)
    c = Tcp(writer, 3004)                             # the SYN-ACK is missing: the sum stands
    c.client(0, -5000, SYN), c.client(1, 1), c.client(1, 1, payload=b"x"), c.server(1, 2)
    c = Tcp(writer, 3005)                             # last-ack-missing
    c.client(0, -5000, SYN), c.server(0, 1, SYN | ACK), c.client(101, 1, payload=b"x"), c.server(1, 102)
    c = Tcp(writer, 3006)                             # first-ack-by-server: data before the ACK is seen
    c.client(0, -5000, SYN), c.server(0, 1, SYN | ACK), c.server(1, 1, payload=b"y" * 10), c.client(1, 11)
    c = Tcp(writer, 3007)                             # no SYN: two SYN-ACKs must not stand in for it
    c.server(0, 1, SYN | ACK), c.server(0, 1, SYN | ACK), c.client(1, 1)
    c = Tcp(writer, 3008)                             # the last ACK carries data
    c.client(0, -5000, SYN), c.server(0, 1, SYN | ACK), c.client(1, 1, PSH | ACK, b"x" * 10), c.server(1, 11)


def dns_message(identifier, name, is_response, qtype=1):
    labels = b"".join(bytes([len(label)]) + label.encode() for label in name.split("."))
    return struct.pack("!HHHHHH", identifier, 0x8180 if is_response else 0x0100, 1, 0, 0, 0) + labels + \
        b"\0" + struct.pack("!HH", qtype, 1)


ADDRESS_RECORD = b"\xc0\x0c" + struct.pack("!HHIH", 1, 1, 60, 4) + SERVER  # of the name asked for


def dns_cases(writer):
    def say(port, is_response, identifier, name, wait=3 * MS + 1, qtype=1):
        message = dns_message(identifier, name, is_response, qtype)
        ports = (53, port) if is_response else (port, 53)
        ends = (SERVER, CLIENT) if is_response else (CLIENT, SERVER)
        writer.ip(*ends, 17, struct.pack("!HHHH", *ports, 8 + len(message), 0) + message)
        writer.wait(wait)

    say(4001, False, 1, "a.example"), say(4001, True, 1, "A.eXample")      # case does not matter
    say(4002, False, 1, "a.example"), say(4002, False, 1, "a.example"), say(4002, True, 1, "a.example")  # karn
    say(4003, False, 1, "a.example"), say(4003, True, 1, "b.example")      # question-differs
    say(4008, False, 1, "a.example", wait=12_000 * MS), say(4008, False, 1, "a.example")  # karn beyond --expire
    say(4008, True, 1, "a.example")
    # identifier-reused: two questions under one identifier
    say(4004, False, 1, "a.example"), say(4004, False, 1, "a.example", qtype=28)
    say(4004, True, 1, "a.example", qtype=28), say(4004, True, 1, "a.example")
    # the same query again after its answer is a new exchange
    say(4005, False, 1, "a.example"), say(4005, True, 1, "a.example")
    say(4005, False, 1, "a.example"), say(4005, True, 1, "a.example")
    # spans-segments: the length alone, the question whole, the rest; question-split: the question cut
    for port, cut in ((4006, 30), (4007, 20)):
        c = Tcp(writer, port, server_port=53).open()
        query, answer = (dns_message(9, "tcp.example", kind) for kind in (False, True))
        asked = 3 + len(query)
        c.client(1, 1, PSH | ACK, struct.pack("!H", len(query)) + query), c.server(1, asked)
        answer = answer[:6] + struct.pack("!H", 1) + answer[8:] + ADDRESS_RECORD
        c.server(1, asked, ACK, struct.pack("!H", len(answer)))
        c.server(3, asked, ACK, answer[:cut]), c.server(3 + cut, asked, PSH | ACK, answer[cut:])
        c.client(asked, 3 + len(answer))


def icmp_cases(writer):
    def echo(kind, sequence, data=b"abcdefgh", wait=2 * MS + 3, size=None):
        message = struct.pack("!BBHHH", kind, 0, 0, 77, sequence) + data
        message = message[:2] + struct.pack("!H", checksum(message)) + message[4:]
        ends = (CLIENT, SERVER) if kind == 8 else (SERVER, CLIENT)
        writer.fragments(*ends, 1, message, size) if size else writer.ip(*ends, 1, message)
        writer.wait(wait)

    echo(8, 1), echo(0, 1)
    echo(8, 2), echo(8, 2), echo(0, 2)                # karn
    echo(8, 7, wait=12_000 * MS), echo(8, 7), echo(0, 7)   # karn beyond --expire
    echo(8, 8, wait=130_000 * MS), echo(8, 8), echo(0, 8)  # after two minutes it is another
    echo(8, 3), echo(0, 3), echo(8, 3), echo(0, 3)    # the sequence number used anew
    echo(8, 4), echo(0, 4, b"ABCDEFGH")               # payload-changed
    echo(8, 5, b"z" * 120, size=64), echo(0, 5, b"z" * 120, size=64)  # fragmented
    echo(8, 6), echo(0, 6), echo(0, 6)                # the reply arrives twice
    echo(8, 7), writer.copy(), echo(0, 7)             # copy: the request is captured twice


def main():
    writer = Writer()
    for cases in (tcp_cases, handshake_cases, dns_cases, icmp_cases):
        cases(writer)
    writer.write(sys.argv[1])


if __name__ == "__main__":
    main()
