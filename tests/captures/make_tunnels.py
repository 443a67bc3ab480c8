#!/usr/bin/env python3
"""Writes tunnels.pcapng: the UDP queries of dns.pcap, shared out over two interfaces and three tunnels.

    make_tunnels.py dns.pcap tunnels.pcapng

Times and packets are those that were recorded; only what is put around them is made up.  Two bits of the query's
identifier say which way it goes: VXLAN network 5000 or GRE key 7 on eth0, GTP or no tunnel on the interface without a name.
"""
import struct
import sys

OUTER_MAC = bytes.fromhex("0200000000020200000000010800")
# end of the tunnel towards the client, end towards the server
ENDS = {"vxlan": ("198.51.100.1", "198.51.100.9"), "gre": ("198.51.100.1", "203.0.113.5"), "gtp": ("203.0.113.7", "203.0.113.8")}


def packets_of(path):
    """(nanoseconds, frame, length on the wire) of a pcap with nanoseconds"""
    with open(path, "rb") as file:
        data = file.read()
    assert struct.unpack_from("<I", data)[0] == 0xa1b23c4d
    at = 24
    while at < len(data):
        seconds, fraction, captured, length = struct.unpack_from("<IIII", data, at)
        yield seconds * 10**9 + fraction, data[at + 16:at + 16 + captured], length
        at += 16 + captured


def address(text):
    return bytes(int(part) for part in text.split("."))


def ipv4(source, target, protocol, length):
    return struct.pack(">BBHHHBBH", 0x45, 0, 20 + length, 0, 0, 64, protocol, 0) + address(source) + address(target)


def udp(port, length):
    return struct.pack(">HHHH", 49152, port, 8 + length, 0)


def around(way, to_server, frame, length):
    """The bytes to put before the frame, and how many bytes of its front they replace."""
    near, far = ENDS[way] if to_server else reversed(ENDS[way])
    inner = length - 14
    if way == "vxlan":
        behind = udp(4789, 8 + length) + struct.pack(">II", 0x08000000, 5000 << 8)
        return OUTER_MAC + ipv4(near, far, 17, len(behind) + length) + behind, 0
    if way == "gre":
        behind = struct.pack(">HHI", 0x2000, 0x0800, 7)
        return OUTER_MAC + ipv4(near, far, 47, len(behind) + inner) + behind, 14
    behind = udp(2152, 8 + inner) + struct.pack(">BBHI", 0x30, 255, inner, 0x11 if to_server else 0x22)
    return OUTER_MAC + ipv4(near, far, 17, len(behind) + inner) + behind, 14


def block(kind, body):
    body += bytes(-len(body) % 4)
    return struct.pack("<II", kind, 12 + len(body)) + body + struct.pack("<I", 12 + len(body))


def option(code, value):
    return struct.pack("<HH", code, len(value)) + value + bytes(-len(value) % 4)


def interface(name):
    options = (option(2, name) if name else b"") + option(9, b"\x09") + option(0, b"")
    return block(1, struct.pack("<HHI", 1, 0, 0) + options)


def main():
    source, target = sys.argv[1:3]
    out = [block(0x0a0d0d0a, struct.pack("<IHHq", 0x1a2b3c4d, 1, 0, -1)), interface(b"eth0"), interface(b"")]
    for time, frame, length in packets_of(source):
        if frame[12:14] != b"\x08\x00" or frame[23] != 17:
            continue
        to_server, identifier = frame[36:38] == b"\x00\x35", frame[43]
        way, number = (("vxlan", 0), ("gre", 0), ("gtp", 1), (None, 1))[identifier & 3]
        if way:
            before, replaced = around(way, to_server, frame, length)
            frame, length = before + frame[replaced:], length + len(before) - replaced
        out.append(block(6, struct.pack("<IIIII", number, time >> 32, time & 0xffffffff, len(frame), length) + frame))
    with open(target, "wb") as file:
        file.write(b"".join(out))


if __name__ == "__main__":
    main()
