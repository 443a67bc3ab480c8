#!/usr/bin/env python3
"""bad_days.py SOJOURN DAY: what must hold on a bad day, with the program itself.

Nothing is counted twice, nothing is lost that the ledger does not name, a cause has one line in the log.
"""
import json
import os
import resource
import shutil
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time

from servers import SKIP, Collector, check, finish, free_port, need, point, two_captures, wait_until

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


# ---- the collector and what is between --------------------------------------------------------------

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


class Gate:
    """Hands on connections while it is open; shut, it breaks and refuses them."""

    def __init__(self, to):
        self.to, self.is_open, self.pairs = to, True, []
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.server.accept()
            if not self.is_open:
                client.close()
                continue
            server = socket.create_connection(("127.0.0.1", self.to))
            self.pairs.append((client, server))
            threading.Thread(target=self.pump, args=(client, server), daemon=True).start()

    def pump(self, client, server):
        try:
            while data := client.recv(4096):
                server.sendall(data)
        except OSError:
            pass
        for each in (client, server):
            each.close()

    def shut(self):
        self.is_open = False
        for client, server in self.pairs:
            for each in (client, server):
                try:
                    each.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    each.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
        self.pairs = []

    def open(self):
        self.is_open = True


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


# ---- disks ------------------------------------------------------------------------------------------------

def small_disk(folder, kilobytes):
    path = f"{folder}/disk"
    os.mkdir(path)
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "small", path], capture_output=True, encoding="utf-8")
    if done.returncode != 0:
        print("skipped: cannot mount: " + done.stderr)
        sys.exit(SKIP)
    return path


def fill(path):
    with open(path, "wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 4096)
        except OSError:
            pass


def disk_full_store(program, folder):
    """The store's disk is full for a while: one line, nothing lost, one line when there is room again."""
    disk = small_disk(folder, 4000)
    day = Day(program, folder, store="disk/sojourn.db")
    fill(f"{disk}/filler")
    day.points()
    day.collector.wait_for("cannot write")
    time.sleep(11)
    day.one_line("cannot write")
    os.remove(f"{disk}/filler")
    day.collector.wait_for("can be written again")
    ledgers = day.end()
    day.one_line("cannot write")
    same(ledgers, not_received=0, lost_at_restart=0)
    check(all(ledger["joined"] == ledger["stored"] > 500 for ledger in ledgers.values()), f"{ledgers}")


def disk_full_spool(program, folder):
    """The spool's disk is full and the collector away: what cannot wait is counted, and what can arrives."""
    disk = small_disk(folder, 128)
    port = free_port()
    captures = two_captures(program, folder, 60000)
    capture = shifted(captures[0], f"{folder}/now", time.time())
    slow = slowly(program, capture, "north", port, 8, "--spool", f"{disk}/spool", "--spool-size", "64MiB")
    time.sleep(9.5)
    collector = Collector(program, f"{folder}/sojourn.db", f"{folder}/log", *WAIT, listen=port)
    slow[1].join()
    slow[0].wait(timeout=90)
    time.sleep(2)
    collector.stop()
    ledger = checked(program, f"{folder}/sojourn.db", spooled=True)["north"]
    check(ledger["packets_discarded"] > 0, f"nothing was thrown away, so the disk was not full: {ledger}")
    check(ledger["received"] > 0, f"nothing arrived: {ledger}")


# ---- records ----------------------------------------------------------------------------------------------

def twice(program, folder):
    """Every byte again, over another connection: all of it is repeated."""
    day = Day(program, folder)
    recorded = []
    server = socket.create_server(("127.0.0.1", 0))

    def record(count):
        for _ in range(count):
            connection, _ = server.accept()
            data = b""
            while piece := connection.recv(65536):
                data += piece
            recorded.append(data)

    recorder = threading.Thread(target=record, args=(2,))
    recorder.start()
    day.points(port=server.getsockname()[1])
    recorder.join()
    for data in recorded * 2:
        with socket.create_connection(("127.0.0.1", day.collector.port)) as connection:
            connection.sendall(data)
    time.sleep(8)
    for ledger in day.end().values():
        check(ledger["received"] == 2 * ledger["repeated"] == 2 * ledger["joined"] > 1000, f"{ledger}")


def late(program, folder):
    """One point's records come after the others have stopped waiting: no partner, and no loss either."""
    day = Day(program, folder, collect=("--wait", "2s"))
    finish(point(program, day.first, "north", day.collector.port, *ALL))
    time.sleep(5)
    finish(point(program, day.last, "south", day.collector.port, *ALL))
    time.sleep(5)
    ledgers = day.end()
    for ledger in ledgers.values():
        check(ledger["without_partner"] == ledger["received"] > 500 and ledger["joined"] == 0, f"{ledger}")
    check(not any(losses_of(program, day.store).values()), "late records count as lost")


def minutes_late(program, folder):
    """What waited in the spools for ten minutes comes at once: it is joined, lies where it belongs in time, and is no loss."""
    day = Day(program, folder)
    day.points()
    os.mkdir(f"{folder}/old")
    captures = two_captures(program, f"{folder}/old", 20000, 2)
    first, last = (shifted(path, path + ".then", time.time() - 600) for path in captures)
    finish(point(program, first, "north", day.collector.port, *ALL))
    time.sleep(2)
    finish(point(program, last, "south", day.collector.port, *ALL))
    time.sleep(8)
    day.end()
    ledgers = ledgers_of(program, day.store)
    check(len(ledgers) == 4, f"not two runs of two points: {ledgers}")
    for ledger in ledgers:
        check(ledger["received"] == ledger["joined"] + ledger["ambiguous"] and ledger["joined"] > 500, f"{ledger}")
    weights = []
    for since in ("5min", "1h"):
        done = subprocess.run([program, "query", day.store, "--json", "--since", since, "--segment", "north:south"], capture_output=True,
                              encoding="utf-8", check=True)
        weights.append(json.loads(done.stdout)["subjects"][0]["rows"][0]["weight"])
    check(0.3 * weights[1] < weights[0] < 0.7 * weights[1], f"half of the delays are old, but the weights are {weights}")
    for name, loss in losses_of(program, day.store).items():
        check(loss is None or loss["sent"] == loss["arrived"], f"{name} lost what came late: {loss}")


def copies(program, folder):
    """Recorded bulk transfers that end in a hundred equal resets: what cannot be told apart is counted apart."""
    captures = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "captures")
    collector = Collector(program, f"{folder}/sojourn.db", f"{folder}/log", "--wait", "2s")
    finish(*(point(program, f"{captures}/{file}", name, collector.port, "--sampling", "1")
             for file, name in (("bulk.pcap.gz", "north"), ("bulk.server.pcap.gz", "south"))))
    time.sleep(5)
    collector.stop()
    for ledger in checked(program, f"{folder}/sojourn.db").values():
        check(ledger["joined"] >= 8 and ledger["ambiguous"] > 80 and ledger["without_partner"] < 5, f"{ledger}")


def not_joined(day, words):
    ledgers = day.end()
    day.one_line(words)
    for ledger in ledgers.values():
        check(ledger["joined"] == 0 and ledger["received"] > 100, f"{ledger}")
        fates = ("other_selection", "without_partner", "ambiguous", "waiting", "repeated")
        check(sum(ledger[fate] for fate in fates) == ledger["received"], f"{ledger}")
    return ledgers


def wrong_secret(program, folder):
    day = Day(program, folder)
    for name in ("one", "other"):
        with open(f"{folder}/{name}", "w", encoding="ascii") as file:
            file.write(name * 20)
    day.points(first=("--secret-file", f"{folder}/one"), last=("--secret-file", f"{folder}/other"))
    time.sleep(8)
    not_joined(day, "different secrets")


def wrong_sampling(program, folder):
    day = Day(program, folder)
    finish(point(program, day.first, "north", day.collector.port, "--sampling", "0.3"),
           point(program, day.last, "south", day.collector.port, "--sampling", "0.2"))
    time.sleep(8)
    ledgers = not_joined(day, "select differently and are not joined: sampling")
    check(all(ledger["other_selection"] > 100 for ledger in ledgers.values()), f"{ledgers}")


def hour_off(program, folder):
    day = Day(program, folder)
    day.last = shifted(day.last, f"{folder}/ahead", change=lambda index, total: 3600)
    day.points()
    time.sleep(8)
    not_joined(day, "ahead of the collector")


def steps_back(program, folder):
    """A clock that is set back by a minute half-way: what it says before and after is joined where it can be."""
    day = Day(program, folder)
    day.last = shifted(day.last, f"{folder}/back", change=lambda index, total: -60 if index > total // 2 else 0)
    day.points()
    time.sleep(8)
    ledgers = day.end()
    joined = [ledger["joined"] for ledger in ledgers.values()]
    check(min(joined) > 100, f"nothing was joined before the step: {ledgers}")
    check(max(ledger["joined"] / ledger["received"] for ledger in ledgers.values()) < 0.95, f"the step changed nothing: {ledgers}")


# ---- strangers --------------------------------------------------------------------------------------------

def message(*sets, domain=1):
    body = b"".join(struct.pack(">HH", number, 4 + len(data)) + data for number, data in sets)
    return struct.pack(">HHIII", 10, 16 + len(body), int(time.time()), 0, domain) + body


def good_points_go_on(day, words, lines=1):
    """... whatever somebody else did."""
    day.points()
    time.sleep(8)
    ledgers = day.end()
    check(all(ledgers[name]["joined"] > 500 for name in ("north", "south")), f"{ledgers}")
    check(1 <= day.collector.lines(words) <= lines, f"'{words}' not in 1 to {lines} lines: {day.collector.text()}")
    check(len(day.collector.text().splitlines()) < 12, f"a flood of lines: {day.collector.text()}")
    return ledgers


def memory_of(process):
    return int(next(line for line in open(f"/proc/{process.pid}/status", encoding="ascii") if line.startswith("VmHWM")).split()[1])


def template_flood(program, folder):
    day = Day(program, folder)
    before = memory_of(day.collector.process)
    with socket.create_connection(("127.0.0.1", day.collector.port)) as stranger:
        try:
            for number in range(256, 65536):
                stranger.sendall(message((2, struct.pack(">HH", number, 40) + struct.pack(">HH", 8, 4) * 40), domain=number))
        except OSError:
            pass
    check(memory_of(day.collector.process) - before < 60_000, "templates fill the memory")
    good_points_go_on(day, "cannot be read in full")


def connection_flood(program, folder):
    day = Day(program, folder)
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(limit[1], 8192), limit[1]))
    strangers = []
    for _ in range(1500):
        try:
            strangers.append(socket.create_connection(("127.0.0.1", day.collector.port), timeout=2))
        except OSError:
            break
    check(len(strangers) >= 1024, f"only {len(strangers)} connections")
    time.sleep(1)
    for each in strangers[:200]:
        each.close()
    time.sleep(1)
    good_points_go_on(day, "connections")


def unknown_certificate(program, folder):
    """A point whose certificate somebody else has signed, and a stranger without one: refused, and one line for both."""
    need("certtool")
    here = os.path.dirname(os.path.abspath(__file__))
    for whose in ("ours", "theirs"):
        os.mkdir(f"{folder}/{whose}")
        subprocess.run([sys.executable, f"{here}/certificates.py", f"{folder}/{whose}"], check=True)
    port = free_port()
    files = lambda whose, name: ("--certificate", f"{folder}/{whose}/{name}.pem", "--key", f"{folder}/{whose}/{name}.key",
                                 "--authority", f"{folder}/ours/ca.pem")
    day = Day(program, folder, collect=(*WAIT, "--tls", f"127.0.0.1:{port}", *files("ours", "collector")))
    stranger = point(program, day.first, "stranger", port, *ALL, "--transport", "tls", *files("theirs", "point"))
    day.collector.wait_for("TLS with 127.0.0.1")
    nobody = ssl.create_default_context()
    nobody.check_hostname, nobody.verify_mode = False, ssl.CERT_NONE
    for _ in range(5):
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=5) as plain, nobody.wrap_socket(plain) as wrapped:
                wrapped.sendall(message((2, struct.pack(">HHHH", 256, 1, 8, 4))))
                check(wrapped.recv(1) == b"", "a stranger without a certificate was answered")
        except (ssl.SSLError, OSError):
            pass
    day.points("--transport", "tls", *files("ours", "point"), port=port)
    time.sleep(8)
    stranger.terminate()
    errors = stranger.communicate(timeout=60)[1]
    check(stranger.returncode == 1 and "did not take" in errors, f"the stranger ended with {stranger.returncode}: {errors}")
    ledgers = day.end()
    check(sorted(ledgers) == ["north", "south"] and all(ledger["joined"] > 500 for ledger in ledgers.values()), f"{ledgers}")
    day.one_line("TLS with 127.0.0.1")


def malformed(program, folder):
    """What is no IPFIX, cut messages, impossible lengths: counted and closed, others go on."""
    day = Day(program, folder)
    for data in (b"GET / HTTP/1.0\r\n\r\n", b"\0" * 100, struct.pack(">HHIII", 10, 15, 0, 0, 0), message((2, b"\1\0\0\1")),
                 message((256, b"x" * 30)), message((3, b"\xff" * 40)), os.urandom(5000)) * 20:
        try:
            with socket.create_connection(("127.0.0.1", day.collector.port)) as stranger:
                stranger.sendall(data)
        except OSError:
            pass
    good_points_go_on(day, "cannot be read in full")


def unknown_elements(program, folder):
    """A later version's elements beside those we know: the flow is taken, without label."""
    day = Day(program, folder)
    fields = struct.pack(">HHHHHHHHHHHH", 8, 4, 12, 4, 7, 2, 11, 2, 4, 1, 2, 8) + struct.pack(">HHI", 0x8000 | 77, 4, 99999)
    template = struct.pack(">HH", 300, 8) + fields + struct.pack(">HH", 9999, 3)
    flow = bytes([198, 18, 0, 1, 198, 18, 0, 2]) + struct.pack(">HHBQ", 1, 2, 17, 5) + b"abcd" + b"xyz"
    with socket.create_connection(("127.0.0.1", day.collector.port)) as stranger:
        stranger.sendall(message((2, template)) + message((300, flow * 10)))
        time.sleep(1)
    day.points()
    time.sleep(8)
    ledgers = day.end()
    check(ledgers["others"]["without_label"] == 10, f"{ledgers}")
    check(ledgers["north"]["joined"] > 500, f"{ledgers}")


DAYS = {name: value for name, value in globals().items()
        if callable(value) and getattr(value, "__code__", None) and value.__code__.co_varnames[:2] == ("program", "folder")}

if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[2] not in DAYS:
        sys.exit("usage: bad_days.py SOJOURN " + "|".join(DAYS))
    if sys.argv[2].startswith("disk_full") and "SOJOURN_OWN_MOUNTS" not in os.environ:
        if os.geteuid() != 0 or not shutil.which("unshare"):
            print("skipped: needs root and unshare")
            sys.exit(SKIP)
        os.environ["SOJOURN_OWN_MOUNTS"] = "1"
        os.execvp("unshare", ["unshare", "--mount", sys.executable, *sys.argv])
    with tempfile.TemporaryDirectory() as temporary:
        try:
            DAYS[sys.argv[2]](os.path.realpath(sys.argv[1]), temporary)
        finally:
            if os.path.ismount(f"{temporary}/disk"):
                subprocess.run(["umount", "--lazy", f"{temporary}/disk"], check=False)
