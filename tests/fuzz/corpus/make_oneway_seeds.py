#!/usr/bin/env python3
"""Writes the seeds of tests/fuzz/oneway_records.cpp and oneway_labels.cpp."""
from pathlib import Path

from make_marking_seeds import PACKETS

FOLDER = Path(__file__).parent
HEADER = ("protocol,source,source_port,destination,destination_port,packets,bytes,first_ns,last_ns,"
          "first_label,last_label,tcp_flags,expiry\n")
RECORDS = {
    "empty": HEADER,
    "two": HEADER + "6,10.0.0.1,1,10.0.0.2,2,3,400,5,6,7,8,0,active\n17,2001:db8::1,1,2001:db8::2,2,1,60,9,9,4294967295,0,0,end-of-input\n",
    "backward": "6,10.0.0.1,1,10.0.0.2,2,3,400,9,6,7,8,0,active\n",
    "limits": "255,255.255.255.255,65535,::,0,18446744073709551615,0,-9223372036854775808,9223372036854775807,0,0,255,closed",
    "short": "6,10.0.0.1,1\n",
}


def write(name, seeds):
    folder = FOLDER / name
    folder.mkdir(exist_ok=True)
    for seed, data in seeds.items():
        (folder / seed).write_bytes(data)


def main():
    write("oneway_records", {name: text.encode() for name, text in RECORDS.items()})
    # Payload offset and bytes, and what the capture cut off.
    write("oneway_labels", {f"{name}-{i}": head + packet for name, packet in PACKETS.items()
                            for i, head in enumerate((b"\0\x28\0", b"\4\4\0", b"\0\xff\x40"))})


if __name__ == "__main__":
    main()
