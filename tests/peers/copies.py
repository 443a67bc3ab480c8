"""Packets that were captured twice, by the words of docs/design/copies.md.

A second writing of the rule: whole fields in a dictionary, no hash and no table that forgets.
"""
from packets import FIN, SYN, occurrence

WITH_IDENTIFICATION, WITHOUT = 10_000_000, 1_000_000  # ns
TCP_FIELDS = ("tcp.checksum", "tcp.options.timestamp.tsval", "tcp.options.timestamp.tsecr")
UDP_FIELDS = ("udp.checksum", "dns.id", "dns.flags.response", "dns.qry.name", "dns.qry.type")
ICMP_FIELDS = ("icmp.type", "icmp.ident", "icmp.seq", "icmp.checksum", "icmpv6.type",
               "icmpv6.echo.identifier", "icmpv6.echo.sequence_number", "icmpv6.checksum")


def identification(packet):
    """Of the innermost IPv4 header; 0 if there is none."""
    if ":" in packet.source:
        return 0
    return int(occurrence(packet.field("ip.id"), packet.network_index) or "0", 16)


def content(packet):
    if packet.kind == "tcp":
        return (packet.sequence, packet.acknowledgment, packet.length, packet.flags, packet.window,
                *(packet.field(name) for name in TCP_FIELDS))
    return tuple(packet.field(name) for name in (UDP_FIELDS if packet.kind == "udp" else ICMP_FIELDS))


def is_repeated_by_hosts(packet):
    if packet.kind == "tcp":
        return packet.length == 0 and not packet.flags & (SYN | FIN)
    if packet.kind == "udp":
        return packet.field("dns.flags.response") in ("1", "True")
    return packet.field("icmp.type") == "0" or packet.field("icmpv6.type") == "129"


def has_options(packet):
    """Between the headers of IP and of the datagram: they may be all that differs, and are not compared."""
    if ":" in packet.source:
        return ":ipv6." in packet.field("frame.protocols")
    return int(occurrence(packet.field("ip.hdr_len"), packet.network_index) or "20") > 20


def find(packets):
    """{frame of a copy: frame of the packet that it repeats}"""
    copies, seen = {}, {}
    for packet in packets:
        number = identification(packet)
        if number == 0 and (is_repeated_by_hosts(packet) or packet.kind != "tcp" and has_options(packet)):
            continue
        key = (packet.kind, packet.sender, number, content(packet))
        before = seen.get(key)
        allowed = WITH_IDENTIFICATION if number else WITHOUT
        if before and 0 <= packet.time - before[1] <= allowed:
            copies[packet.frame] = copies.get(before[0], before[0])
        seen[key] = (packet.frame, packet.time)
    return copies
