"""Bad days of records: repeated, late, selected differently, timed by a wrong clock."""
import json
import os
import socket
import subprocess
import threading
import time

from day import ALL, Day, checked, ledgers_of, losses_of, shifted
from servers import Collector, check, finish, point, two_captures


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
