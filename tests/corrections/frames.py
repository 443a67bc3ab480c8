"""Packets, byte by byte, and captures of them."""
import struct

ACK, PSH, FIN = 0x10, 0x08, 0x01
START = 1_700_000_000 * 10**9


def ipv4(source, destination, protocol, payload, identification=0, length=None):
    size = 20 + len(payload) if length is None else length
    return bytes(12) + b"\x08\x00" + struct.pack(
        "!BBHHHBBH4s4s", 0x45, 0, size, identification, 0x4000, 64, protocol, 0, bytes(source), bytes(destination)) + payload


def udp(source, destination, ports, payload, identification=0):
    return ipv4(source, destination, 17, struct.pack("!HHHH", *ports, 8 + len(payload), 0) + payload, identification)


def tcp(source, destination, ports, sequence, acknowledgment, flags, payload=0, identification=0):
    """`payload` is a number of bytes that the IP header claims; the capture holds the headers."""
    header = struct.pack("!HHIIBBHHH", *ports, sequence % 2**32, acknowledgment % 2**32, 0x50, flags, 65535, 0, 0)
    return ipv4(source, destination, 6, header, identification, 40 + payload)


def echo(source, destination, is_reply, number, identifier=7):
    body = struct.pack("!BBHHH", 0 if is_reply else 8, 0, 0, identifier, number & 0xffff) + bytes(16)
    return ipv4(source, destination, 1, body, number & 0xffff)


def dns(number, is_response, name="example.org", recursive=True):
    """Recursive as a host asks its resolver; without, as the resolver asks the name's servers."""
    flags = (0x8180 if recursive else 0x8400) if is_response else (0x0100 if recursive else 0)
    question = b"".join(bytes([len(label)]) + label.encode() for label in name.split(".")) + b"\x00"
    address = struct.pack("!HHHIH4s", 0xc00c, 1, 1, 300, 4, bytes((192, 0, 2, 7)))
    answers = 4 if is_response and not recursive else 0
    return struct.pack("!HHHHHH", number, flags, 1, answers, 0, 0) + question + struct.pack("!HH", 1, 1) + answers * address


def write(path, frames):
    """(nanoseconds, frame), as they are: the order may be part of the test.  A frame's wire length is what its IP header says."""
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 65535, 1))
        for time, frame in frames:
            wire = max(len(frame), 14 + struct.unpack("!H", frame[16:18])[0])
            file.write(struct.pack("<IIII", time // 10**9 & 0xffffffff, time % 10**9, len(frame), wire) + frame)


def read(path):
    """(nanoseconds, frame) of a capture with nanoseconds in this machine's byte order."""
    with open(path, "rb") as file:
        data = file.read()
    frames, place = [], 24
    while place < len(data):
        seconds, rest, length, _ = struct.unpack_from("<IIII", data, place)
        frames.append((seconds * 10**9 + rest, data[place + 16:place + 16 + length]))
        place += 16 + length
    return frames


def pings(delays_of_hosts, gap=10_000_000, start=START):
    """Echoes of each host, (host, delay in ns), in order of time."""
    frames = []
    for number, (host, delay) in enumerate(delays_of_hosts):
        client, server = (10, 0, host // 250, 1 + host % 250), (192, 0, 2, 1)
        frames.append((start + number * gap, echo(client, server, False, number, host)))
        frames.append((start + number * gap + delay, echo(server, client, True, number, host)))
    return sorted(frames, key=lambda frame: frame[0])
