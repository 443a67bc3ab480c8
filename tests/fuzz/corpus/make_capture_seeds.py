#!/usr/bin/env python3
"""Writes the seeds of the capture fuzz target into corpus/capture: one small file per format."""
import gzip
import pathlib
import struct
import subprocess

folder = pathlib.Path(__file__).parent / "capture"
payload = bytes(range(40))


def pcap(order, magic, link=1, extra=b""):
    data = struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, 65535, link)
    for i in range(3):
        data += struct.pack(order + "IIII", 1_700_000_000 + i, 999_999, len(payload), 60) + extra + payload
    return data


def block(order, kind, body):
    body += b"\0" * (-len(body) % 4)
    size = struct.pack(order + "I", len(body) + 12)
    return struct.pack(order + "I", kind) + size + body + size


def section(order):
    options = struct.pack(order + "HHB3x", 9, 1, 9) + struct.pack(order + "HHq", 14, 8, -5) + bytes(4)
    data = block(order, 0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1))
    data += block(order, 1, struct.pack(order + "HHI", 1, 0, 96) + options)
    data += block(order, 1, struct.pack(order + "HHI", 189, 0, 0))
    data += block(order, 0x0BAD, payload)
    for interface in (0, 1):
        data += block(order, 6, struct.pack(order + "IIIII", interface, 395_812, 7, 40, 60) + payload)
    data += block(order, 2, struct.pack(order + "HHIIII", 0, 0, 395_812, 9, 40, 60) + payload)
    return data + block(order, 3, struct.pack(order + "I", 40) + payload)


seeds = {"kuznetzov": pcap("<", 0xA1B2CD34, extra=bytes(8))}
for name, order in (("little", "<"), ("big", ">")):
    seeds[f"us_{name}"] = pcap(order, 0xA1B2C3D4)
    seeds[f"ns_{name}"] = pcap(order, 0xA1B23C4D, link=101)
    seeds[f"ng_{name}"] = section(order) + section("<" if order == ">" else ">")
seeds["gzip"] = gzip.compress(seeds["us_little"], mtime=0) + gzip.compress(payload, mtime=0)
seeds["zstd"] = subprocess.run(["zstd", "-qc"], input=seeds["ng_big"], capture_output=True, check=True).stdout

folder.mkdir(exist_ok=True)
for name, data in seeds.items():
    (folder / name).write_bytes(data)
