"""Bad days of the collector, and of what is between it and the points."""
import os
import socket
import subprocess
import sys
import threading
import time

from day import Day, await_slow, memory_of, same, slowly
from gate import Gate
from servers import SKIP, check, two_captures


def killed(program, folder):
    """Killed (-9) twice in the middle; the points send again what it may not have had."""
    day = Day(program, folder)
    points = [slowly(program, capture, name, day.collector.port, 16) for capture, name in ((day.first, "north"), (day.last, "south"))]
    for _ in range(2):
        time.sleep(5)
        day.collector.kill()
        time.sleep(0.5)
        day.collector.start()
    await_slow(*points)
    time.sleep(2)
    ledgers = day.end()
    joined = sum(ledger["joined"] for ledger in ledgers.values())
    check(joined > 500, f"only {joined} were joined: {ledgers}")


def cut(program, folder):
    """No network between point and collector for some seconds, twice: all arrives, once."""
    day = Day(program, folder)
    gate = Gate(day.collector.port)
    points = [slowly(program, capture, name, gate.port, 12) for capture, name in ((day.first, "north"), (day.last, "south"))]
    for _ in range(2):
        time.sleep(2)
        gate.shut()
        time.sleep(3)
        gate.open()
    await_slow(*points)
    time.sleep(8)
    ledgers = day.end()
    same(ledgers, not_received=0, packets_discarded=0, lost_at_restart=0)
    check(all(ledger["joined"] > 500 for ledger in ledgers.values()), f"{ledgers}")


def link_down(program, folder):
    """The link between is down for ten seconds, and nobody is told: all arrives, once."""
    names = [f"sojourn-{os.getpid()}-{end}" for end in ("points", "collector")]
    try:
        for name in names:
            if subprocess.run(["ip", "netns", "add", name], capture_output=True, check=False).returncode != 0:
                print("skipped: needs network namespaces")
                sys.exit(SKIP)
        ip = lambda *words: subprocess.run(["ip", *words], check=True)
        ip("link", "add", "to0", "netns", names[0], "type", "veth", "peer", "name", "to1", "netns", names[1])
        for number, name in enumerate(names):
            ip("-n", name, "address", "add", f"198.51.100.{number + 1}/24", "dev", f"to{number}")
            ip("-n", name, "link", "set", f"to{number}", "up")
        day = Day(program, folder, wrapper=("ip", "netns", "exec", names[1]), address="198.51.100.2")
        points = [slowly(program, capture, name, day.collector.port, 8, host="198.51.100.2", wrapper=("ip", "netns", "exec", names[0]))
                  for capture, name in ((day.first, "north"), (day.last, "south"))]
        time.sleep(2)
        ip("-n", names[1], "link", "set", "to1", "down")
        time.sleep(10)
        ip("-n", names[1], "link", "set", "to1", "up")
        await_slow(*points)
        time.sleep(8)
        ledgers = day.end()
        same(ledgers, not_received=0, packets_discarded=0, lost_at_restart=0)
        check(all(ledger["joined"] > 500 for ledger in ledgers.values()), f"{ledgers}")
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "delete", name], capture_output=True, check=False)


def slow_reader(program, folder):
    """A collector that takes a few bytes a second: the point goes on, and its spool stays within its size."""
    server = socket.create_server(("127.0.0.1", 0))
    server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    taken = []

    def read():
        connection, _ = server.accept()
        try:
            while data := connection.recv(64):
                taken.append(len(data))
                time.sleep(0.2)
        except OSError:
            pass

    threading.Thread(target=read, daemon=True).start()
    first, _ = two_captures(program, folder, 400000)
    process = subprocess.Popen([program, "point", "-", "--name", "north", "--to", f"127.0.0.1:{server.getsockname()[1]}", "--sampling",
                                "1", "--every", "50ms", "--active", "1ms", "--inactive", "1ms", "--spool-size", "2MiB", "--kind", "none"],
                               stdin=open(first, "rb"), stderr=subprocess.PIPE, stdout=subprocess.PIPE)
    time.sleep(6)
    memory = memory_of(process)
    process.terminate()
    out, errors = process.communicate(timeout=120)
    check(memory < 120_000, f"the point used {memory} KiB")
    check(process.returncode in (0, 1), f"{process.returncode} {errors}")
    print(out.decode(), errors.decode(), sum(taken))
    check(b"thrown away" in out or b"did not take" in errors, f"{out} {errors}")
