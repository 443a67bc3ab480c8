#!/usr/bin/env python3
"""A server that thinks for a known time, its client, and what a measurement between them must show.

    thinking.py serve ADDRESS CERTIFICATE KEY       says "ready" when it listens
    thinking.py ask ADDRESS LOG                     asks it, in turns, and writes down what both ends saw
    thinking.py check LOG SAMPLES REPORT DELAY_NS   DELAY_NS: of the network, there and back

The truth needs no margin for a busy machine.  Whatever holds a process up, an answer passes the client's interface no
sooner than the server's own time and the network's delay after the request did, and it takes no longer than the client waits.
"""
import csv
import json
import socket
import ssl
import sys
import threading
import time

PLAIN, SECURE = 7008, 7009
THINKING_MS = (0, 1, 3, 10, 30, 80)


def lines_of(peer):
    buffer = b""
    while data := peer.recv(65536):
        buffer += data
        while b"\n" in buffer:
            line, _, buffer = buffer.partition(b"\n")
            yield line


def think(milliseconds, heard):
    time.sleep(milliseconds / 1000)
    return time.monotonic_ns() - heard


def answer(peer):
    """A line says how long to think, and is filled up to some length; so is the answer, which says how long it was."""
    peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for line in lines_of(peer):
        heard = time.monotonic_ns()
        own = think(int(line.split()[0]), heard)
        peer.sendall(b"%d %s\n" % (own, b"x" * 3000))


def answer_securely(peer, context):
    """Thinks before the handshake: the first bytes that it waits for are those of a ClientHello."""
    peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    while len(hello := peer.recv(16384, socket.MSG_PEEK)) < 5 or len(hello) < 5 + int.from_bytes(hello[3:5], "big"):
        time.sleep(0.001)
    heard = time.monotonic_ns()
    own = think(20, heard)
    with context.wrap_socket(peer, server_side=True) as secure:
        secure.sendall(b"%d\n" % own)
        secure.recv(1)


def serve(address, certificate, key):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    plain, secure = (socket.create_server((address, port), backlog=64) for port in (PLAIN, SECURE))

    def accept(listener, handle):
        while True:
            peer, _ = listener.accept()
            threading.Thread(target=handle, args=(peer,), daemon=True).start()
    threading.Thread(target=accept, args=(secure, lambda peer: answer_securely(peer, context)), daemon=True).start()
    print("ready", flush=True)
    accept(plain, answer)


def ask_in_pieces(address):
    """Two writes, and two answers: nobody can tell from outside.  Unless something held this process up between them for as long
    as the network takes, so that the first answer came first: then once more.  Returns the port."""
    for _ in range(20):
        with socket.create_connection((address, PLAIN), timeout=20) as peer:
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            replies = lines_of(peer)
            start = time.monotonic_ns()
            peer.sendall(b"1 first\n")
            time.sleep(0.001)
            peer.sendall(b"1 second\n")
            took = time.monotonic_ns() - start
            next(replies), next(replies)
            if took < 20_000_000:
                return peer.getsockname()[1]
    sys.exit("two writes never came within 20 ms")


def ask(address, log):
    with open(log, "w") as file:
        write = csv.writer(file)
        write.writerow("what port connect_ns own_ns waited_ns".split())
        for number in range(12):
            start = time.monotonic_ns()
            peer = socket.create_connection((address, PLAIN), timeout=20)
            connected = time.monotonic_ns() - start
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            replies = lines_of(peer)
            for milliseconds in THINKING_MS[number % 3::2] + THINKING_MS[:2]:
                # The longer ones take three segments: the last byte counts.
                request = b"%d %s\n" % (milliseconds, b"y" * (4000 if milliseconds == 10 else 30))
                start = time.monotonic_ns()
                peer.sendall(request)
                own = int(next(replies).split()[0])
                write.writerow(["response", peer.getsockname()[1], connected, own, time.monotonic_ns() - start])
            peer.close()
        for _ in range(3):
            write.writerow(["pieces", ask_in_pieces(address), 0, 0, 0])
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3) * 3:
            context.minimum_version = context.maximum_version = version
            start = time.monotonic_ns()
            peer = socket.create_connection((address, SECURE), timeout=20)
            connected = time.monotonic_ns() - start
            start = time.monotonic_ns()
            with context.wrap_socket(peer, server_hostname="thinking.example") as secure:
                own = int(next(lines_of(secure)))
                waited = time.monotonic_ns() - start
                write.writerow(["tls", secure.getsockname()[1], connected, own, waited])
                secure.sendall(b"!")


def complaints(truth, samples, network):
    """Lines that say what is wrong."""
    lines = []
    found = {}
    for row in samples:
        found.setdefault((row["kind"], row["requester_port"], row["leg"]), []).append(int(row["delay_ns"]))
    expected = {}
    for row in truth:
        if row["what"] in ("response", "tls"):
            expected.setdefault((row["what"], row["port"]), []).append(row)
    for (kind, port), rows in sorted(expected.items()):
        delays, there, own = (found.get((kind, port, leg), []) for leg in ("server", "network", "thinking"))
        if not len(delays) == len(there) == len(own) == len(rows):
            lines.append(f"{kind} port {port}: {len(delays)} delays, {len(there)} and {len(own)} parts of {len(rows)} answers")
            continue
        for row, delay, part, thinking in zip(rows, delays, there, own):
            truth_own, waited, connected = int(row["own_ns"]), int(row["waited_ns"]), int(row["connect_ns"])
            if not truth_own + network <= delay <= waited:
                lines.append(f"{kind} port {port}: {delay} ns, between {truth_own} + {network} and {waited} is right")
            if not network <= part <= min(connected, delay):
                lines.append(f"{kind} port {port}: the network's part is {part} ns, not between {network} and {connected}")
            if thinking != delay - part:
                lines.append(f"{kind} port {port}: {delay} ns are not {part} and {thinking}")
        if kind == "tls" and len(found.get((kind, port, "sum"), [])) != 1:
            lines.append(f"tls port {port}: no time to the first application data")
    return lines


def check(log, samples, report, network):
    with open(log) as file:
        truth = list(csv.DictReader(file))
    with open(samples) as file:
        rows = [row for row in csv.DictReader(file) if row["responder_port"] == str(PLAIN) and row["kind"] == "response"
                or row["kind"] == "tls"]
    lines = complaints(truth, rows, network)
    with open(report) as file:
        kinds = json.load(file)["kinds"]
    pieces = sum(row["what"] == "pieces" for row in truth)
    if kinds["response"]["ambiguous_because"]["several_writes"] < pieces:
        lines.append(f"several writes: {kinds['response']['ambiguous_because']['several_writes']}, at least {pieces} were made")
    print("\n".join(lines[:20]) or f"{len(rows)} delays are right")
    # The twin: delays without the server's time, and such that count it twice, must be noticed.
    for name, change in (("without the server's time", -1), ("with the server's time twice", 1)):
        thinking = {(row["kind"], row["requester_port"]): [] for row in rows}
        for row in truth:
            thinking.setdefault((row["what"], row["port"]), []).append(int(row["own_ns"]))
        wrong = []
        for row in rows:
            delay = int(row["delay_ns"])
            if row["leg"] == "server":
                own = thinking[row["kind"], row["requester_port"]]
                delay += change * (own.pop(0) if own else 0)
            wrong.append(dict(row, delay_ns=delay))
        if not any("is right" in line for line in complaints(truth, wrong, network)):
            print(f"delays {name} were not noticed")
            return 1
    return bool(lines)


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve(*sys.argv[2:5])
    elif sys.argv[1] == "ask":
        ask(*sys.argv[2:4])
    else:
        sys.exit(check(*sys.argv[2:5], int(sys.argv[5])))
