#!/usr/bin/env python3
"""reference_traffic.py sink ADDRESS... | send ADDRESS MBIT LOAD SECONDS: a busy link's traffic.

Flows come and go, so that each meets a delay of its own.  Together they send faster than the link for some time, then more slowly, so
that its queue fills and empties.  LOAD is the mean share of MBIT that frames take on the emulator's link.  A sender that was stopped catches up: the
queue grows, and whoever judges goes by what the emulator saw.
"""
import random
import socket
import sys
import time

PORT, FLOWS = 9, 200
SLOT = 0.02  # seconds in which the same flows are active


def family_of(address):
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def sink(addresses):
    """Takes everything and reads nothing: a closed port would answer."""
    sockets = []
    for address in addresses:
        one = socket.socket(family_of(address), socket.SOCK_DGRAM)
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        one.bind((address, PORT))
        sockets.append(one)
    print("ready", flush=True)
    while True:
        time.sleep(60)


def send(address, mbit, load, seconds):
    random.seed(20261116)
    flows = []
    headers = 62 if ":" in address else 42
    for number in range(FLOWS):
        one = socket.socket(family_of(address), socket.SOCK_DGRAM)
        one.bind(("", 20000 + number))
        one.connect((address, PORT))
        flows.append(one)
    lives = [(random.uniform(-0.2, seconds), random.uniform(0.1, 0.6)) for _ in range(FLOWS - 1)]
    lives.append((0.0, seconds))  # at least one at any time
    active = [[number for number, (begin, length) in enumerate(lives) if begin <= slot * SLOT <= begin + length]
              for slot in range(int(seconds / SLOT) + 2)]
    sizes = random.choices((60, 100, 300, 600, 1400), (40, 30, 20, 8, 2), k=1 << 16)
    payload = bytes(1400)
    bytes_a_second = mbit * 1e6 / 8
    begin = due = time.monotonic()
    end = begin + seconds
    swing, until, sent = 1.0, due, 0
    while due < end - SLOT:
        if due >= until:  # 150 to 450 ms of more or of less than the link can carry
            swing = 1.5 if swing < 1 else 0.5
            until = due + random.uniform(0.15, 0.45)
        size = sizes[sent & 0xffff]
        due += (size + headers) / (bytes_a_second * load * swing) * random.expovariate(1)
        rest = due - time.monotonic()
        if rest > 0.0003:
            time.sleep(rest - 0.0002)
        flows[random.choice(active[int((due - begin) / SLOT)])].send(payload[:size])
        sent += 1
    print(f"{sent} packets of {FLOWS} flows")


if __name__ == "__main__":
    if sys.argv[1] == "sink":
        sink(sys.argv[2:])
    else:
        send(sys.argv[2], float(sys.argv[3]), float(sys.argv[4]), float(sys.argv[5]))
