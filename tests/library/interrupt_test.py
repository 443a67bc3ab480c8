"""Ctrl-C ends what the installed Python module does, however long that would take.  The bounds are generous: what does not
see the signal never ends."""
import contextlib
import faulthandler
import os
import signal
import sys
import threading
import time

import sojourn

# Nanosecond pcap, Ethernet: the header and no packet.
HEADER = bytes.fromhex("4d3cb2a1 0200 0400 00000000 00000000 00000400 01000000")


def interrupted(work):
    """Seconds from the signal to KeyboardInterrupt."""
    sent = []

    def send():
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(0.5, send)
    timer.start()
    try:
        work()
    except KeyboardInterrupt:
        return time.monotonic() - sent[0]
    finally:
        timer.cancel()
        timer.join()
    raise AssertionError("it ended by itself")


@contextlib.contextmanager
def pipe(name, header):
    """A named pipe that stays open: its writer is this process."""
    os.mkfifo(name)
    writer = os.open(name, os.O_RDWR)
    os.write(writer, header)
    try:
        yield name
    finally:
        os.close(writer)
        os.unlink(name)


faulthandler.dump_traceback_later(60, exit=True)
signal.signal(signal.SIGINT, signal.default_int_handler)
for threads in (1, 2):
    with pipe("endless.pcap", HEADER) as name:
        took = interrupted(lambda: sojourn.rtt(name, threads=threads))
        assert took < 20, took
with pipe("first.pcap", HEADER) as first, pipe("last.pcap", HEADER) as last:
    assert interrupted(lambda: sojourn.oneway(first, last)) < 20
# Nobody has opened the other end: the library is still in open().
os.mkfifo("silent.pcap")
assert interrupted(lambda: sojourn.rtt("silent.pcap")) < 20

# A handler of the program's own runs while the library works, and what it raises arrives.


class Enough(Exception):
    pass


def handler(*_):
    raise Enough


signal.signal(signal.SIGINT, handler)
with pipe("again.pcap", HEADER) as name:
    try:
        interrupted(lambda: sojourn.rtt(name))
    except Enough:
        pass
signal.signal(signal.SIGINT, signal.default_int_handler)

# Afterwards all is as before.
delays = sojourn.rtt(sys.argv[1])
assert delays.packets == 2081
print("Ctrl-C works")
