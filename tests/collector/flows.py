#!/usr/bin/env python3
"""flows.py send ADDRESS FLOWS SECONDS: short UDP flows, each from a port of its own.
flows.py sink: takes them, so that nobody answers.

Payloads differ, so that labels do.
"""
import os
import random
import socket
import sys
import time


def sink():
    taker = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    taker.bind(("0.0.0.0", 9))
    while True:
        taker.recv(2048)


def main():
    if sys.argv[1:] == ["sink"]:
        return sink()
    _, _, address, flows, seconds = sys.argv
    flows, seconds = int(flows), float(seconds)
    chance = random.Random(1)
    begin = time.monotonic()
    plan = []
    for flow in range(flows):
        start = chance.uniform(0, seconds)
        for packet in range(chance.choice([1, 1, 2, 4, 8, 16])):
            plan.append((start + packet * 0.01, flow))
    plan.sort()
    sockets = {}
    for due, flow in plan:
        if flow not in sockets:
            sockets[flow] = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        wait = begin + due - time.monotonic()
        if wait > 0:
            time.sleep(wait)
        sockets[flow].sendto(os.urandom(48), (address, 9))
    return None


if __name__ == "__main__":
    main()
