#!/usr/bin/env python3
"""A transfer as fast as it goes, whose content is known at both ends.

    bulk_transfer.py receive FILE          any address, port 5017: one connection's digest into FILE
    bulk_transfer.py send HOST MEGABYTES   prints the digest; waits half a minute at most for the receiver
"""
import hashlib
import random
import socket
import sys
import time

PORT = 5017


def receive(path):
    listener = socket.socket(socket.AF_INET6)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("::", PORT))
    listener.listen()
    listener.settimeout(60)
    connection, _ = listener.accept()
    connection.settimeout(60)
    digest = hashlib.sha256()
    while data := connection.recv(1 << 20):
        digest.update(data)
    with open(path, "w", encoding="utf-8") as file:
        file.write(digest.hexdigest() + "\n")


def send(host, megabytes):
    block = random.Random(16).randbytes(1 << 20)
    end = time.monotonic() + 30
    while True:
        try:
            connection = socket.create_connection((host, PORT), timeout=60)
            break
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)
    digest = hashlib.sha256()
    for number in range(megabytes):
        data = block[number:] + block[:number]  # no two alike
        connection.sendall(data)
        digest.update(data)
    connection.shutdown(socket.SHUT_WR)
    connection.recv(1)  # the other end has closed: all has arrived
    print(digest.hexdigest())


if __name__ == "__main__":
    receive(sys.argv[2]) if sys.argv[1] == "receive" else send(sys.argv[2], int(sys.argv[3]))
