"""sojourn.live of the installed Python module, in a network namespace of its own: run.py makes it."""
import faulthandler
import os
import signal
import socket
import subprocess
import threading
import time

import sojourn

QUERIES = 30
QUERY = bytes.fromhex("0001 0100 0001 0000 0000 0000 0161 00 0001 0001")  # a DNS question: a, type A


def answer(server):
    """Answers each question 2 ms later."""
    for _ in range(QUERIES):
        question, asker = server.recvfrom(512)
        time.sleep(0.002)
        server.sendto(question[:2] + b"\x81\x80" + question[4:], asker)


def ask(server_address):
    client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    client.settimeout(5)
    for number in range(QUERIES):
        client.sendto(number.to_bytes(2, "big") + QUERY[2:], server_address)
        client.recv(512)
        time.sleep(0.02)


def open_sockets():
    """How many sockets this process has."""
    links = []
    for name in os.listdir("/proc/self/fd"):
        try:
            links.append(os.readlink(f"/proc/self/fd/{name}"))
        except FileNotFoundError:
            pass  # the folder's own
    return sum(link.startswith("socket:") for link in links)


def seconds_of(work):
    began = time.monotonic()
    work()
    return time.monotonic() - began


subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
subprocess.run(["ip", "link", "add", "gone0", "type", "veth", "peer", "name", "gone1"], check=True)
subprocess.run(["ip", "link", "set", "gone0", "up"], check=True)

# Every answer is in one of the steps, whose distributions go on growing; questions are asked by this process meanwhile.
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind(("127.0.0.1", 53))
threads = [threading.Thread(target=answer, args=(server,)), threading.Thread(target=ask, args=(("127.0.0.1", 53),))]
steps, totals = [], []
for delays in sojourn.live("lo", every="500ms", duration=3, kinds="dns"):
    if not steps:
        for thread in threads:
            thread.start()  # it listens by now
    assert (delays.samples["delay_ns"] > 2_000_000).all(), delays.samples["delay_ns"]
    steps.append(len(delays.samples))
    totals.append(len(delays["dns"]))
for thread in threads:
    thread.join()
assert len(steps) == 6, steps
assert sum(steps) == QUERIES and sum(count > 0 for count in steps) >= 2, steps
assert totals == [sum(steps[:number + 1]) for number in range(6)], (steps, totals)
assert delays.requests("dns") == {"requests": QUERIES, "ambiguous": 0, "unanswered": 0}
assert delays.packets >= 2 * QUERIES and not delays.is_full
assert 4 << 20 < delays.memory_bytes <= 16 << 20, "fixed memory, as in the program"

# A caller may leave earlier, and samples need not be kept.  The interface is given back, the figures can still be read.
sockets = open_sockets()
for delays in sojourn.live("lo", every=0.1, samples=False, memory="64KiB"):
    break
try:
    delays.samples
except ValueError:
    pass
else:
    raise AssertionError("samples that were not kept")

assert open_sockets() == sockets and delays.packets >= 0 and delays.warnings == [], (open_sockets(), sockets)
for delays in sojourn.live("lo", every=0.1, duration=0.2):
    assert open_sockets() == sockets + 1
assert open_sockets() == sockets

# What was yielded can be read by other threads while listening goes on, which gives them their turn.
stream = sojourn.live("lo", every="200ms", duration="2s", kinds="dns", samples=False)
delays, seen, reading = next(stream), [], True


def read_on():
    while reading:
        seen.append((delays.packets, len(delays["dns"]), delays.quantile(0.5, "dns"), len(delays.groups())))


readers = [threading.Thread(target=read_on) for _ in range(2)]
threads = [threading.Thread(target=answer, args=(server,)), threading.Thread(target=ask, args=(("127.0.0.1", 53),))]
for thread in readers + threads:
    thread.start()
for later in stream:
    pass
for thread in threads:
    thread.join()
reading = False
for thread in readers:
    thread.join()
assert later.requests("dns")["requests"] > 0 and len(seen) > 20, (later, len(seen))

# Ctrl-C ends a long step at once, and gives the interface back.
faulthandler.dump_traceback_later(60, exit=True)
signal.signal(signal.SIGINT, signal.default_int_handler)
began = time.monotonic()
threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    list(sojourn.live("lo", every="10min"))
except KeyboardInterrupt:
    assert time.monotonic() - began < 20
else:
    raise AssertionError("not interrupted")
faulthandler.cancel_dump_traceback_later()
assert open_sockets() == sockets

# Without a duration the iteration ends with the interface, instead of going round in a hurry.
remove = threading.Timer(0.3, lambda: subprocess.run(["ip", "link", "delete", "gone0"], check=True))
remove.start()
rounds = 0
for delays in sojourn.live("gone0", every="100ms"):
    rounds += 1
    assert rounds < 100, "the interface has disappeared"
remove.join()
assert rounds >= 2, rounds

# The time is kept, and what cannot be is refused in one line.
assert 0.9 < seconds_of(lambda: list(sojourn.live("lo", every=0.4, duration="1s", samples=False))) < 5
for wrong, word in ((lambda: list(sojourn.live("no-such-interface", duration=1)), "no-such-interface"),
                    (lambda: list(sojourn.live("lo", every=0, duration=1)), "every"),
                    (lambda: list(sojourn.live("lo", duration=1, kinds="smoke")), "smoke")):
    try:
        wrong()
    except (ValueError, OSError) as error:
        assert word in str(error) and "\n" not in str(error), error
    else:
        raise AssertionError(f"not refused: {word}")
print("live measurements in Python work")
