"""What the bad days of a collector and its points share: captures of now, points that take their time, checked ledgers."""
import json
import struct
import subprocess
import threading
import time

from servers import Collector, check, finish, point, two_captures

WAIT = ("--wait", "6s")
ALL = ("--sampling", "0.3")


def shifted(path, out, first_at=None, change=lambda index, total: 0):
    """The capture with its first packet at `first_at`; change(index, total) seconds are added to a packet's time."""
    data = open(path, "rb").read()
    nano = struct.unpack("<I", data[:4])[0] == 0xA1B23C4D
    unit = 1_000_000_000 if nano else 1_000_000
    packets, at = [], 24
    while at < len(data):
        seconds, fraction, size, length = struct.unpack("<IIII", data[at:at + 16])
        packets.append((seconds * unit + fraction, size, length, data[at + 16:at + 16 + size]))
        at += 16 + size
    shift = 0 if first_at is None else int(first_at * unit) - packets[0][0]
    with open(out, "wb") as file:
        file.write(data[:24])
        for index, (when, size, length, body) in enumerate(packets):
            when += shift + int(change(index, len(packets)) * unit)
            file.write(struct.pack("<IIII", when // unit, when % unit, size, length) + body)
    return out


def slowly(program, capture, name, port, seconds, *options, host="127.0.0.1", wrapper=()):
    """A point that is given its capture piece by piece."""
    process = subprocess.Popen([*wrapper, program, "point", "-", "--name", name, "--to", f"{host}:{port}", "--every", "50ms", "--active",
                                "500ms", "--inactive", "200ms", "--kind", "none", *ALL, *options], stdin=subprocess.PIPE,
                               stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)

    def feed():
        data = open(capture, "rb").read()
        piece = len(data) // 100 + 1
        try:
            for at in range(0, len(data), piece):
                process.stdin.write(data[at:at + piece])
                process.stdin.flush()
                time.sleep(seconds / 100)
            process.stdin.close()
        except BrokenPipeError:
            pass

    feeder = threading.Thread(target=feed)
    feeder.start()
    return process, feeder


def await_slow(*points):
    for process, feeder in points:
        feeder.join()
        check(process.wait(timeout=90) == 0, "a point failed: " + process.stderr.read().decode())


def ledgers_of(program, store):
    done = subprocess.run([program, "query", store, "--ledger", "--json"], capture_output=True, encoding="utf-8")
    check(done.returncode == 0, done.stderr)
    return json.loads(done.stdout)["ledgers"]


def losses_of(program, store):
    done = subprocess.run([program, "query", store, "--loss", "--json", "--since", "2000h"], capture_output=True, encoding="utf-8")
    check(done.returncode == 0, done.stderr)
    return {subject["name"]: subject["rows"][0]["loss"] for subject in json.loads(done.stdout)["subjects"] if subject["rows"]}


def checked(program, store, spooled=False):
    """The ledger of each point, after all sums of all instances were checked."""
    found = ledgers_of(program, store)
    print(json.dumps(found))
    for ledger in found:
        check(ledger["adds_up"], f"the ledger does not add up: {ledger}")
        if ledger["point"] == "others":
            continue
        here = ledger["received"] - ledger["repeated"]
        check(ledger["records_exported"] == here + ledger["not_received"], f"exported is not received and missing: {ledger}")
        check(spooled or ledger["packets_spooled"] == 0, f"something is left in the spool: {ledger}")
    return {ledger["point"]: ledger for ledger in found}


def same(ledgers, **accounts):
    for ledger in ledgers.values():
        for account, value in accounts.items():
            check(ledger[account] == value, f"{account} of {ledger['point']} is {ledger[account]}, not {value}: {ledger}")


class Day:
    def __init__(self, program, folder, collect=WAIT, store="sojourn.db", **more):
        self.program, self.folder, self.store = program, folder, f"{folder}/{store}"
        captures = two_captures(program, folder, 20000)
        self.first, self.last = (shifted(path, path + ".now", time.time()) for path in captures)
        self.collector = Collector(program, self.store, f"{folder}/log", *collect, **more)

    def points(self, *options, first=(), last=(), port=None):
        port = port or self.collector.port
        finish(point(self.program, self.first, "north", port, *ALL, *options, *first),
               point(self.program, self.last, "south", port, *ALL, *options, *last))

    def end(self, **more):
        self.collector.stop()
        return checked(self.program, self.store, **more)

    def one_line(self, words):
        check(self.collector.lines(words) == 1, f"not one line with '{words}': {self.collector.text()}")


def memory_of(process):
    return int(next(line for line in open(f"/proc/{process.pid}/status", encoding="ascii") if line.startswith("VmHWM")).split()[1])
