#!/usr/bin/env python3
"""make_places.py FILE: a small database in MaxMind's format, with documentation prefixes only.

The format: https://maxmind.github.io/MaxMind-DB/ (version 2.0).  Nothing in it is MaxMind's.
"""
import ipaddress
import sys

PLACES = {
    "192.0.2.0/24": (64496, "Example Access", "DE"),
    "198.51.100.0/24": (64497, "Example Transit", "FR"),
    "203.0.113.0/25": (64498, "Example Hosting", "NZ"),
    "2001:db8::/32": (64499, "Example Six", "JP"),
}


def encode(value):
    if isinstance(value, bool):
        raise ValueError("not needed here")
    if isinstance(value, str):
        data, kind = value.encode(), 2
    elif isinstance(value, int):
        data, kind = value.to_bytes((value.bit_length() + 7) // 8, "big"), 6
    else:
        parts = b"".join(encode(key) + encode(inner) for key, inner in value.items())
        return bytes([7 << 5 | len(value)]) + parts
    if len(data) < 29:
        return bytes([kind << 5 | len(data)]) + data
    return bytes([kind << 5 | 29, len(data) - 29]) + data


def main():
    nodes, data = [[None, None]], b""
    for prefix, (number, name, country) in PLACES.items():
        network = ipaddress.ip_network(prefix)
        # IPv4 is in ::/96 of a tree for both.
        bits, length = int(network.network_address), network.prefixlen + (96 if network.version == 4 else 0)
        place, node = ("data", len(data)), 0
        data += encode({"autonomous_system_number": number, "autonomous_system_organization": name,
                        "country": {"iso_code": country}})
        for depth in range(length):
            bit = bits >> (127 - depth) & 1
            if depth == length - 1:
                nodes[node][bit] = place
            elif nodes[node][bit] is None:
                nodes[node][bit] = len(nodes)
                nodes.append([None, None])
            node = nodes[node][bit] if depth < length - 1 else node

    def record(target):
        if target is None:
            return len(nodes)
        return target if isinstance(target, int) else len(nodes) + 16 + target[1]

    tree = b"".join(record(target).to_bytes(3, "big") for node in nodes for target in node)
    about = {"node_count": len(nodes), "record_size": 24, "ip_version": 6, "database_type": "Sojourn-Test",
             "binary_format_major_version": 2, "binary_format_minor_version": 0, "build_epoch": 1}
    sizes = {"record_size": 5, "ip_version": 5, "binary_format_major_version": 5, "binary_format_minor_version": 5}
    # Empty, but the reader requires them: a map and an array, an extended type.
    metadata = bytes([7 << 5 | len(about) + 2])
    metadata += encode("description") + encode({}) + encode("languages") + bytes([0, 11 - 7])
    for key, value in about.items():
        coded = encode(value)
        if key in sizes:  # uint16
            coded = bytes([5 << 5 | coded[0] & 31]) + coded[1:]
        if key == "build_epoch":  # uint64: an extended type
            coded = bytes([coded[0] & 31, 9 - 7]) + coded[1:]
        metadata += encode(key) + coded
    with open(sys.argv[1], "wb") as file:
        file.write(tree + bytes(16) + data + b"\xab\xcd\xefMaxMind.com" + metadata)


main()
