#!/usr/bin/env python3
"""Writes the seeds of tests/fuzz/wire_marking.cpp: each carrier on a packet that can bear it."""
from pathlib import Path

FOLDER = Path(__file__).parent / "wire_marking"
IPV4 = bytes.fromhex("4500001c00074000401100000a0000010a000002") + bytes.fromhex("0035003500080000")
IPV6 = bytes.fromhex("6000000000081140") + bytes(15) + b"\1" + bytes(15) + b"\2" + bytes.fromhex("0035003500080000")


def ipv6(next_header, payload):
    return IPV6[:4] + len(payload).to_bytes(2, "big") + bytes([next_header]) + IPV6[7:40] + payload


UDP = IPV6[40:]
ALERT = bytes.fromhex("1100050200000100")
MARKED = bytes.fromhex("11001204abcdec00")
PACKETS = {
    "ipv4": IPV4, "ipv4-cut": IPV4[:19], "ipv6": IPV6, "ipv6-cut": IPV6[:39],
    "alert": ipv6(0, ALERT + UDP), "hop-marked": ipv6(0, MARKED + UDP), "destination-marked": ipv6(60, MARKED + UDP),
    "behind-alert": ipv6(0, bytes.fromhex("1101050200000100") + bytes.fromhex("010012040000 0800".replace(" ", "")) + UDP),
    "authenticated": ipv6(51, bytes.fromhex("1104") + bytes(22) + UDP),
    "lying-option": ipv6(0, bytes.fromhex("110012ff00000000") + UDP),
}


def main():
    for name, packet in PACKETS.items():
        (FOLDER / name).mkdir(parents=True, exist_ok=True)
        for carrier in range(7):
            (FOLDER / name / f"carrier-{carrier}").write_bytes(bytes([carrier, 3]) + packet)


if __name__ == "__main__":
    main()
