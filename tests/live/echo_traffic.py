#!/usr/bin/env python3
"""echo_traffic.py serve ADDRESS | ask ADDRESS CONNECTIONS EXCHANGES: many short conversations over TCP.

An interval needs many connections: those that few hold would be a guess.
"""
import socket
import sys
import threading

PORT = 7007


def serve(address):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.create_server((address, PORT), family=family, backlog=64) as listener:
        print("ready", flush=True)
        while True:
            peer, _ = listener.accept()
            threading.Thread(target=answer, args=(peer,), daemon=True).start()


def answer(peer):
    with peer:
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while data := peer.recv(4096):
            peer.sendall(data)


def converse(address, count, exchanges):
    for _ in range(count):
        with socket.create_connection((address, PORT), timeout=10) as peer:
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for number in range(exchanges):
                peer.sendall(bytes(40 + number))
                peer.recv(4096)


def main():
    if sys.argv[1] == "serve":
        return serve(sys.argv[2])
    address, connections, exchanges = sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    workers = [threading.Thread(target=converse, args=(address, connections // 4, exchanges)) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


if __name__ == "__main__":
    main()
