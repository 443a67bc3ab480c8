"""What a capture at the client's interface must show, worked out from the emulator's log alone.

A second reading of the pairing rules (which packets are a request and its response), slow and
plain on purpose and sharing no code with the product.  A frame that leaves the client passes its
interface a veth hop before the emulator's in_ns, whatever happens to it later; one that comes to
the client passes it a hop after out_ns, if it was not lost.  So the log gives every sample that the
capture must yield, with a delay that is short of the captured one by two hops only.

    python3 oracle.py emulator.csv[.gz]      prints the samples as CSV
"""

import csv
import dataclasses
import gzip
import ipaddress
import sys

TCP_FIN, TCP_SYN, TCP_RST, TCP_ACK = 1, 2, 4, 16
CLIENT_ADDRESSES = ("192.0.2.1", "2001:db8::1")


@dataclasses.dataclass(frozen=True)
class Sample:
    time_ns: int
    kind: str
    leg: str  # server (asked by the client), client, or sum
    requester: str
    requester_port: int
    responder: str
    responder_port: int
    delay_ns: int


@dataclasses.dataclass
class Packet:
    """The header fields that the rules need; zero where the protocol has none."""

    time_ns: int
    protocol: int
    source: str
    destination: str
    body: bytes  # from the transport header on, as far as the log kept it
    body_length: int  # by the IP header: padding is not payload
    source_port: int = 0
    destination_port: int = 0
    sequence: int = 0
    acknowledgment: int = 0
    flags: int = 0
    payload: bytes = b""
    payload_length: int = 0

    @property
    def flow(self):
        return (self.source, self.source_port, self.destination, self.destination_port)

    @property
    def back(self):
        return (self.destination, self.destination_port, self.source, self.source_port)


def read_log(path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt") as file:
        return list(csv.DictReader(file))


def number(data, offset, size):
    return int.from_bytes(data[offset : offset + size], "big")


def parse(time_ns, frame):
    """A Packet, or None if it is neither TCP, UDP nor an echo."""
    ether_type, ip = number(frame, 12, 2), frame[14:]
    if ether_type == 0x0800:
        header, protocol = (ip[0] & 15) * 4, ip[9]
        source, destination = ipaddress.ip_address(ip[12:16]), ipaddress.ip_address(ip[16:20])
        length = number(ip, 2, 2) - header
    elif ether_type == 0x86DD:
        header, protocol = 40, ip[6]
        source, destination = ipaddress.ip_address(ip[8:24]), ipaddress.ip_address(ip[24:40])
        length = number(ip, 4, 2)
    else:
        return None
    body = ip[header : header + length]
    packet = Packet(time_ns, protocol, str(source), str(destination), body, length)
    if protocol in (6, 17):
        packet.source_port, packet.destination_port = number(body, 0, 2), number(body, 2, 2)
    if protocol == 6:
        packet.sequence, packet.acknowledgment, packet.flags = number(body, 4, 4), number(body, 8, 4), body[13]
    skip = {6: (body[12] >> 4) * 4 if len(body) > 12 else 20, 17: 8}.get(protocol, 0)
    packet.payload, packet.payload_length = body[skip:], length - skip
    return packet


def client_view(rows, arrival="out_ns"):
    """The packets in the order in which they pass the client's interface.

    What comes to the client passes it between out_ns and done_ns; `arrival` names the one to take."""
    seen = []
    for row in rows:
        leaving = row["direction"] == "forward"
        if leaving and row["fate"] == "duplicated":
            continue  # the copy was made behind the client's interface
        time = row["in_ns"] if leaving else row[arrival]
        if time:
            seen.append((int(time), bytes.fromhex(row["head"])))
    seen.sort(key=lambda item: item[0])
    packets = (parse(time, frame) for time, frame in seen)
    return [packet for packet in packets if packet]


def sample(kind, leg, request, response):
    return Sample(response.time_ns, kind, leg, request.source, request.source_port,
                  request.destination, request.destination_port, response.time_ns - request.time_ns)


class Waiting:
    """Requests by key; each is answered once, and not at all if it was repeated before (Karn)."""

    def __init__(self):
        self.requests = {}  # None: repeated, so nobody knows which one is answered

    def ask(self, key, packet):
        self.requests[key] = packet if key not in self.requests else None

    def answer(self, key):
        return self.requests.pop(key, None)


def echo_samples(packets):
    waiting = Waiting()
    for packet in packets:
        kind = (packet.protocol, packet.body[0])
        if kind in ((1, 8), (58, 128)):
            waiting.ask((packet.source, packet.destination, packet.body[4:8]), packet)
        elif kind in ((1, 0), (58, 129)):
            request = waiting.answer((packet.destination, packet.source, packet.body[4:8]))
            if request:
                yield sample("icmp", "server", request, packet)


def dns_samples(packets):
    waiting = Waiting()
    for packet in packets:
        if 53 not in (packet.source_port, packet.destination_port) or packet.payload_length < 12:
            continue
        message = packet.payload[2:] if packet.protocol == 6 else packet.payload  # RFC 1035 4.2.2
        identity, is_response = message[0:2], message[2] & 0x80
        if not is_response and packet.destination_port == 53:
            waiting.ask((packet.flow, identity), packet)
        elif is_response and packet.source_port == 53:
            request = waiting.answer((packet.back, identity))
            if request:
                yield sample("dns", "server", request, packet)


def ntp_samples(packets):
    waiting = Waiting()
    for packet in packets:
        if packet.protocol != 17 or 123 not in (packet.source_port, packet.destination_port):
            continue
        mode = packet.payload[0] & 7
        if mode == 3:  # RFC 5905: the server returns our transmit time as its originate time
            waiting.ask((packet.flow, packet.payload[40:48]), packet)
        elif mode == 4:
            request = waiting.answer((packet.back, packet.payload[24:32]))
            if request:
                yield sample("ntp", "server", request, packet)


def modulo(value):
    return value & 0xFFFFFFFF


def is_newer(value, than):
    return 0 < modulo(value - than) < 2**31


def sequence_length(packet):
    return packet.payload_length + bool(packet.flags & TCP_SYN) + bool(packet.flags & TCP_FIN)


def timestamps(packet):
    """TSval and TSecr of RFC 7323, or None."""
    options = packet.body[20 : (packet.body[12] >> 4) * 4]
    while options and options[0] != 0:
        if options[0] == 1:
            options = options[1:]
        elif options[0] == 8:
            return number(options, 2, 4), number(options, 6, 4)
        else:
            options = options[options[1] :]
    return None


def leg_of(request):
    return "server" if request.source in CLIENT_ADDRESSES else "client"


def timestamp_samples(packets):
    """A TSval that data was first to carry, and the first TSecr that echoes it.

    One that a pure ACK carried first is of no use: its echo may answer the ACK."""
    waiting, newest = Waiting(), {}
    for packet in packets:
        stamps = timestamps(packet) if packet.protocol == 6 else None
        if not stamps:
            continue
        value, echo = stamps
        if packet.flags & TCP_ACK:
            request = waiting.answer((packet.back, echo))
            if request:
                yield sample("tcp-ts", leg_of(request), request, packet)
        if packet.flow not in newest or is_newer(value, newest[packet.flow]):
            newest[packet.flow] = value
            if sequence_length(packet) > 0:
                waiting.ask((packet.flow, value), packet)


def tcp_samples(packets):
    """Data, SYN and FIN against the first acknowledgment of exactly their end; Karn's rule."""
    waiting, next_sequence = {}, {}  # waiting: (flow, end) -> request, or None once it is spent
    for packet in packets:
        if packet.protocol != 6:
            continue
        if packet.flags & TCP_ACK:
            key = (packet.back, packet.acknowledgment)
            request = waiting.get(key)
            if request:
                waiting[key] = None
                yield sample("tcp", leg_of(request), request, packet)
        length = sequence_length(packet)
        if length == 0 or packet.flags & TCP_RST:
            continue
        end = modulo(packet.sequence + length)
        expected = next_sequence.get(packet.flow)
        is_probe = expected is not None and packet.payload_length <= 1 and packet.sequence == modulo(expected - 1)
        if is_probe and not packet.flags & (TCP_SYN | TCP_FIN) and (packet.flow, end) not in waiting:
            continue  # keep-alive or zero-window probe; a byte that still waits is sent again
        if expected is None or is_newer(end, expected):
            next_sequence[packet.flow] = end
        key = (packet.flow, end)
        waiting[key] = packet if key not in waiting else None  # sent twice: which one is acknowledged?


def handshake_samples(packets):
    """SYN to SYN-ACK, SYN-ACK to ACK, and both; none of a span in which something was repeated."""
    opened = {}  # the client's flow -> what was seen of its handshake
    for packet in packets:
        if packet.protocol != 6:
            continue
        syn, ack = packet.flags & TCP_SYN, packet.flags & TCP_ACK
        if syn and not ack:
            seen = opened.setdefault(packet.flow, {"syn": packet, "syns": 0, "answers": 0, "done": False})
            seen["syns"] += 1
        elif syn and packet.back in opened:
            seen = opened[packet.back]
            seen["answer"] = packet
            seen["answers"] += 1
            if seen["answers"] == 1 and seen["syns"] == 1:
                yield sample("handshake", "server", seen["syn"], packet)
        elif ack and packet.flow in opened and not opened[packet.flow]["done"]:
            seen = opened[packet.flow]
            if seen["answers"] == 0 or packet.acknowledgment != modulo(seen["answer"].sequence + 1):
                continue
            seen["done"] = True
            if seen["answers"] == 1:
                yield sample("handshake", "client", seen["answer"], packet)
                if seen["syns"] == 1:
                    yield sample("handshake", "sum", seen["syn"], packet)


def flow_samples(packets):
    """From the first SYN to the first FIN or RST, whoever sends it."""
    waiting = {}
    for packet in packets:
        if packet.protocol != 6:
            continue
        if packet.flags & TCP_SYN and not packet.flags & TCP_ACK:
            waiting.setdefault(packet.flow, packet)
        elif packet.flags & (TCP_FIN | TCP_RST):
            opening = waiting.pop(packet.flow, None) or waiting.pop(packet.back, None)
            if opening:
                yield sample("flow", "sum", opening, packet)


def all_samples(rows, arrival="out_ns"):
    packets = client_view(rows, arrival)
    rules = (echo_samples, dns_samples, ntp_samples, tcp_samples, timestamp_samples, handshake_samples, flow_samples)
    return sorted((s for rule in rules for s in rule(packets)), key=lambda s: s.time_ns)


if __name__ == "__main__":
    writer = csv.writer(sys.stdout)
    writer.writerow([field.name for field in dataclasses.fields(Sample)])
    writer.writerows(dataclasses.astuple(s) for s in all_samples(read_log(sys.argv[1])))
