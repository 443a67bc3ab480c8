#!/usr/bin/env python3
"""Writes the seeds of tests/fuzz/ipfix.cpp: sessions of several messages, each with its length in front."""
import struct
from pathlib import Path

FOLDER = Path(__file__).parent / "ipfix"
OURS = 32473

# The templates of a point (ipfix/point_templates.cpp): (element, length) or (element, length, enterprise).
KEY4, KEY6 = [(8, 4), (12, 4)], [(27, 16), (28, 16)]
FLOW = [(7, 2), (11, 2), (4, 1), (136, 1), (6, 2), (2, 8), (1, 8), (156, 8), (157, 8), (152, 8), (153, 8), (326, 4),
        (326, 4), (1, 8, OURS)]
CELL = [(16, 1, OURS), (17, 1, OURS), (18, 1, OURS), (19, 4, OURS), (14, 8, OURS), (15, 8, OURS), (20, 8, OURS),
        (21, 8, OURS), (22, 8, OURS)]
REPORT = [(149, 4), (2, 8, OURS), (3, 8, OURS), (325, 8), (300, 65535)]
SELECTION = [(302, 8), (304, 2), (327, 8), (328, 8), (311, 8), (5, 1, OURS), (4, 8, OURS)]
CLOCK = [(149, 4), (6, 1, OURS), (7, 8, OURS)]
COUNTERS = [(149, 4), (318, 8), (8, 8, OURS), (42, 8)]
MARK = [(156, 8), (325, 8), (30, 8, OURS), (2, 8), (31, 4, OURS), (32, 8, OURS), (33, 8, OURS), (34, 8, OURS),
        (35, 8, OURS), (36, 8, OURS), (37, 8, OURS), (38, 8, OURS), (39, 4, OURS), (40, 65535, OURS), (41, 65535, OURS)]
RUN = [(149, 4), (27, 8, OURS), (6, 1, OURS), (7, 8, OURS), (26, 1, OURS), (28, 1, OURS), (29, 1, OURS),
       (23, 65535, OURS), (24, 65535, OURS), (25, 65535, OURS)]

REFERENCE = [(7, 2), (11, 2), (4, 1), (156, 8), (157, 8), (2, 8), (42, 8, OURS), (43, 8, OURS), (44, 8, OURS), (45, 8, OURS)]
REFERENCES = [(156, 8), (157, 8)] + [(element, 8, OURS) for element in range(46, 55)]
REFERENCE_RUN = [(149, 4), (27, 8, OURS), (6, 1, OURS), (7, 8, OURS), (55, 8, OURS), (29, 1, OURS)]


def template(number, fields, scopes=0):
    body = struct.pack(">HH", number, len(fields)) + (struct.pack(">H", scopes) if scopes else b"")
    for element, length, *enterprise in fields:
        body += struct.pack(">HH", element | (0x8000 if enterprise else 0), length)
        body += struct.pack(">I", *enterprise) if enterprise else b""
    return data(3 if scopes else 2, body)


def data(number, body):
    return struct.pack(">HH", number, 4 + len(body)) + body


def message(*sets, sequence=0, domain=7):
    body = b"".join(sets)
    return struct.pack(">HHIII", 10, 16 + len(body), 1_700_000_000, sequence, domain) + body


def session(*messages):
    return b"".join(struct.pack(">H", len(m)) + m for m in messages)


def sized(fields, values=()):
    """A record of the template: given values, and counting bytes for the rest."""
    return b"".join(values[i] if i < len(values) else bytes((i + j) % 256 for j in range(length))
                    for i, (_, length, *_) in enumerate(fields))


TIME = struct.pack(">Q", 0xe8fe6f8080000000)
FLOW4 = sized(KEY4 + FLOW)
CELL4 = (bytes(4) + b"\0" + b"\1\1\5" + struct.pack(">iQQddQ", 3000, 0xe8fe6f8080000000, 10**10, 2.0, 2.0, 5))
WHO = bytes(4) + bytes(7) + b"\1" + bytes(7) + b"\2" + TIME + b"\5north"
POINT = message(template(256, KEY4 + FLOW), template(257, KEY6 + FLOW), template(258, [(45, 4), (13, 1)] + CELL))
OPTIONS = message(template(260, REPORT, 1), template(261, SELECTION, 1), template(262, CLOCK, 1),
                  template(263, COUNTERS, 1))
# Of the interval 1 700 000 000 of a second.
MARKS = (struct.pack(">QQQQIQQQQQQQI", 3_908_988_800 << 32, 3_908_988_801 << 32, 1_700_000_000, 100, 1,
                     (3_908_988_800 << 32) + 5, 6, 7, 8, 0, 9, 0, 10))
RAN = bytes(4) + TIME + b"\1" + struct.pack(">Q", 1000) + b"\0\1\2" + b"\7observe\4step\6dscp:0"
# Ten seconds: 5 packets of a flow over IPv4, 3 of one over IPv6, and what came by besides.
TEN_SECONDS = struct.pack(">QQ", 3_908_988_800 << 32, 3_908_988_810 << 32)
REFERRED = struct.pack(">HHB", 1000, 9, 17) + TEN_SECONDS + struct.pack(">QQQdd", 5, 4, 1, 1.5e6, 2.5e5)
CAME_BY = TEN_SECONDS + struct.pack(">9Q", 40, 1, 0, 0, 0, 1, 0, 2, 3)
RECEIVED = bytes(4) + TIME + b"\1" + struct.pack(">QQ", 1000, 10**10) + b"\2"
REFERENCE_TEMPLATES = message(template(268, KEY4 + REFERENCE), template(269, KEY6 + REFERENCE), template(270, REFERENCES),
                              template(271, REFERENCE_RUN, 1))
SEEDS = {
    "references": session(REFERENCE_TEMPLATES, message(
        data(271, RECEIVED), data(270, CAME_BY), data(268, bytes(8) + REFERRED + bytes(7) + b"\1" + REFERRED),
        data(269, bytes(32) + REFERRED))),
    "references-without-run": session(REFERENCE_TEMPLATES, message(data(268, bytes(8) + REFERRED))),
    "references-impossible": session(REFERENCE_TEMPLATES, message(
        data(271, RECEIVED), data(268, bytes(8) + REFERRED.replace(struct.pack(">Q", 4), struct.pack(">Q", 6))),
        data(270, CAME_BY[8:16] + CAME_BY[:8] + CAME_BY[16:]))),
    "marks": session(message(template(266, MARK), template(267, RUN, 1)),
                     message(data(267, RAN), data(266, MARKS + b"\0\0" + MARKS + b"\x09link-down\3any"))),
    "marks-without-run": session(message(template(266, MARK)), message(data(266, MARKS + b"\0\0"))),
    "flows": session(POINT, message(data(256, FLOW4 * 3)), message(data(257, sized(KEY6 + FLOW)), sequence=3)),
    "cells": session(POINT, message(data(258, CELL4 * 2))),
    "options": session(OPTIONS, message(
        data(260, WHO), data(261, bytes(8) + b"\0\6" + bytes(16) + struct.pack(">d", 0.01) + b"\2" + bytes(8)),
        data(262, bytes(4) + b"\1" + bytes(8)), data(263, bytes(28)))),
    "variable": session(message(template(300, [(82, 65535), (8, 4), (326, 4)])),
                        message(data(300, b"\2ab" + bytes(8) + b"\xff\0\1a" + bytes(8)))),
    "withdrawn": session(message(template(256, [(8, 4)])), message(data(2, struct.pack(">HH", 256, 0))),
                         message(data(256, bytes(4)))),
    "all-withdrawn": session(POINT, message(data(2, struct.pack(">HH", 2, 0))), message(data(256, FLOW4))),
    "redefined": session(message(template(256, [(8, 4), (326, 8)])), message(template(256, [(27, 16), (326, 1)])),
                         message(data(256, bytes(17)))),
    "times": session(message(template(256, [(8, 4), (326, 4), (150, 4), (152, 8), (154, 8)])),
                     message(data(256, bytes(8) + b"\xff" * 20))),
    "domains": session(*(message(template(256, [(8, 4)]), domain=d) for d in range(6))),
    "short": session(b"\0\x0a", b""),
    "bad-set": session(message(b"\1\0\0\3"), message(b"\1\0\xff\xff")),
}


def main():
    FOLDER.mkdir(exist_ok=True)
    for name, content in SEEDS.items():
        (FOLDER / name).write_bytes(content)


if __name__ == "__main__":
    main()
