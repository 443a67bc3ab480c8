#!/usr/bin/env python3
"""tagged_echo.py ask INTERFACE VLAN COUNT | answer INTERFACE: ICMP echoes with an 802.1Q tag, by raw sockets.

A kernel need not know VLANs for its neighbours to use them.  The one who answers ends after two idle seconds.
"""
import socket
import struct
import sys
import time

CLIENT, SERVER = b"\2\0\0\0\0\1", b"\2\0\0\0\0\2"
REQUEST, REPLY = 8, 0


def frame(vlan, kind, number):
    to_server = kind == REQUEST
    ends = [bytes((192, 0, 2, 1)), bytes((192, 0, 2, 2))]
    source, destination = ends if to_server else reversed(ends)
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 28, number, 0, 64, 1, 0, source, destination)
    icmp = struct.pack(">BBHHH", kind, 0, 0, 4711, number)
    macs = SERVER + CLIENT if to_server else CLIENT + SERVER
    return macs + struct.pack(">HHH", 0x8100, vlan, 0x0800) + ip + icmp


def main():
    port = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    port.bind((sys.argv[2], 3))
    if sys.argv[1] == "ask":
        for number in range(int(sys.argv[4])):
            port.send(frame(int(sys.argv[3]), REQUEST, number))
            time.sleep(0.02)
        return
    port.setsockopt(263, 8, 1)  # SOL_PACKET, PACKET_AUXDATA: the tag, which the kernel takes off
    port.settimeout(2)
    while True:
        try:
            data, extra, _, where = port.recvmsg(2048, 256)
        except TimeoutError:
            return
        tag = struct.unpack("IIIHHHH", extra[0][2][:20])[5] if extra else 0
        if data[12:14] == b"\x81\0":  # still in the frame
            tag, data = struct.unpack(">H", data[14:16])[0], data[:12] + data[16:]
        if where[2] != 4 and tag and data[23:24] == b"\1" and data[34] == REQUEST:
            port.send(frame(tag & 0xfff, REPLY, struct.unpack(">H", data[40:42])[0]))


if __name__ == "__main__":
    main()
