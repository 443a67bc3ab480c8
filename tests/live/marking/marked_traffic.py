#!/usr/bin/env python3
"""Traffic to be marked: UDP and TCP, IPv4 and IPv6, small packets at a steady rate.

    marked_traffic.py sink                    says "option" when an IPv6 datagram still has hop-by-hop options
    marked_traffic.py send IPV4 IPV6 FILE     until there is such a file, two minutes at most
    marked_traffic.py ports IPV4 IPV6 FILE    UDP to ports 10000 to 19999 in turn, where nobody listens
"""
import os
import socket
import sys
import threading
import time

PORT = 5016
UDP_A_SECOND, TCP_A_SECOND = 250, 100
PORTS, PORTS_A_SECOND = range(10000, 20000), 5000


def swallow(listener):
    while True:
        connection, _ = listener.accept()

        def read(peer=connection):
            try:
                while peer.recv(65536):
                    pass
            except OSError:
                pass

        threading.Thread(target=read, daemon=True).start()


def look_at_options(udp):
    udp.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_RECVHOPOPTS, 1)
    said = False
    while True:
        _, options, _, _ = udp.recvmsg(2048, 1024)
        if options and not said:
            print("option", flush=True)
            said = True


def sink():
    for family, host in ((socket.AF_INET, "0.0.0.0"), (socket.AF_INET6, "::")):
        udp = socket.socket(family, socket.SOCK_DGRAM)
        tcp = socket.socket(family, socket.SOCK_STREAM)
        for one in (udp, tcp):
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            one.bind((host, PORT))
        tcp.listen()
        threading.Thread(target=swallow, args=(tcp,), daemon=True).start()
        if family == socket.AF_INET6:
            threading.Thread(target=look_at_options, args=(udp,), daemon=True).start()
        else:
            threading.Thread(target=lambda s=udp: [s.recv(2048) for _ in iter(int, 1)], daemon=True).start()
    time.sleep(1000)


def send(hosts, stop):
    end = time.monotonic() + 120

    def steadily(one, rate):
        number = 0
        due = time.monotonic()
        while time.monotonic() < end and not os.path.exists(stop):
            number += 1
            try:
                # Some IPv6 datagrams fill the link's MTU.
                full = one.type == socket.SOCK_DGRAM and one.family == socket.AF_INET6 and number % 16 == 0
                one.send(number.to_bytes(8, "big") + bytes(1444 if full else 100))
            except OSError:
                pass  # the link is down, or nobody listens
            due = max(due + 1 / rate, time.monotonic() - 0.05)
            time.sleep(max(0.0, due - time.monotonic()))

    def udp(host):
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        one = socket.socket(family, socket.SOCK_DGRAM)
        one.connect((host, PORT))
        steadily(one, UDP_A_SECOND)

    def tcp(host):
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        one = socket.socket(family, socket.SOCK_STREAM)
        one.settimeout(5)
        one.connect((host, PORT))
        one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        steadily(one, TCP_A_SECOND)

    threads = [threading.Thread(target=kind, args=(host,)) for host in hosts for kind in (udp, tcp)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def send_to_ports(hosts, stop):
    end = time.monotonic() + 120
    ways = [(socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_DGRAM), host) for host in hosts]
    number = 0
    due = time.monotonic()
    while time.monotonic() < end and not os.path.exists(stop):
        for _ in range(PORTS_A_SECOND // 500):
            one, host = ways[number % 3 % 2]  # any port by both
            try:
                one.sendto(number.to_bytes(8, "big") + bytes(50), (host, PORTS[number % len(PORTS)]))
            except OSError:
                pass
            number += 1
        due = max(due + 0.002, time.monotonic() - 0.05)
        time.sleep(max(0.0, due - time.monotonic()))


if __name__ == "__main__":
    if sys.argv[1] == "sink":
        sink()
    elif sys.argv[1] == "ports":
        send_to_ports(sys.argv[2:4], sys.argv[4])
    else:
        send(sys.argv[2:4], sys.argv[4])
