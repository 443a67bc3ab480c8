"""Bad days of disks: the store's and the spool's are full."""
import os
import subprocess
import sys
import time

from day import WAIT, Day, checked, same, shifted, slowly
from servers import SKIP, Collector, check, free_port, two_captures


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
