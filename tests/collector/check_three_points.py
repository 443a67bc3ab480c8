#!/usr/bin/env python3
"""check_three_points.py ANSWER.json EMULATOR.csv BEGIN_NS: do the collector's figures hold what the emulator did?

Delays of mid:south, north:south and south:north are those of the emulator and hops of veth; the truth of a quantile must lie in
its interval, widened by 0.3 ms for the hops.  Losses must lie in their intervals, on north:mid there is none.
"""
import csv
import json
import sys

HOPS_NS = 300_000


def quantile(values, q):
    values = sorted(values)
    return values[min(len(values) - 1, int(q * len(values)))]


def rows_of(answer, name):
    found = [subject for subject in answer["subjects"] if subject["name"] == name]
    if not found:
        sys.exit(f"the store has no {name}, only {[subject['name'] for subject in answer['subjects']]}")
    return found[0]["rows"]


def frames_of(path, begin_ns):
    """UDP frames since then, by direction: (lost?, delay)."""
    frames = {}
    with open(path, encoding="ascii") as file:
        for row in csv.DictReader(file):
            head = bytes.fromhex(row["head"])
            if int(row["in_ns"]) < begin_ns or head[12:14] != b"\x08\x00" or head[23] != 17:
                continue
            lost = row["out_ns"] in ("", "0") or row["fate"] in ("lost", "queue_drop", "unsent", "no_room")
            delay = None if lost else int(row["out_ns"]) - int(row["in_ns"])
            frames.setdefault(head[26:30], []).append((lost, delay))
    return {"forward": frames[bytes([198, 18, 1, 1])], "backward": frames[bytes([198, 18, 2, 1])]}


def check_delays(name, rows, truth, trouble):
    for row in rows:
        for figure in row["quantiles"]:
            if figure["q"] > 0.95:
                continue  # a hundredth of some hundred flows has no interval
            low, high = figure["low_ns"], figure["high_ns"]
            true = quantile(truth, figure["q"])
            if low is None or high is None:
                trouble.append(f"{name}: p{figure['q'] * 100:g} has no interval")
            elif not low - HOPS_NS <= true <= high + HOPS_NS:
                trouble.append(f"{name} {row['prefix']}: p{figure['q'] * 100:g} is {true} ns, not in {low} to {high}")


def check_loss(name, rows, lost, sent, trouble):
    for row in rows:
        loss = row["loss"]
        if loss is None:
            trouble.append(f"{name} {row['prefix']}: no loss")
            continue
        print(f"{name} {row['prefix'] or 'all'}: sent {loss['sent']}, arrived {loss['arrived']}, lost {loss['share']:.4f}"
              f" ({loss['low']:.4f} to {loss['high']:.4f}); truth {lost} of {sent}")
        if not loss["low"] <= lost / sent <= loss["high"]:
            trouble.append(f"{name} {row['prefix']}: {lost} of {sent} were lost")


def main():
    answer = json.load(open(sys.argv[1], encoding="utf-8"))
    frames = frames_of(sys.argv[2], int(sys.argv[3]))
    trouble = []
    for name, direction in (("mid:south", "forward"), ("north:south", "forward"), ("south:north", "backward")):
        rows = rows_of(answer, name)
        delays = [delay for lost, delay in frames[direction] if not lost]
        lost = sum(lost for lost, _ in frames[direction])
        if len(delays) < 500 or lost < 10:
            trouble.append(f"{name}: only {len(delays)} packets and {lost} losses: the test sees nothing")
        check_delays(name, rows, delays, trouble)
        check_loss(name, rows, lost, len(frames[direction]), trouble)
    for row in rows_of(answer, "north:mid"):
        if row["loss"] is None or row["loss"]["arrived"] != row["loss"]["sent"]:
            trouble.append(f"north:mid loses on a wire that loses nothing: {row['loss']}")
    for ledger in answer["ledgers"]:
        if not ledger["adds_up"]:
            trouble.append(f"the ledger of {ledger['point']} does not add up: {ledger}")
        if ledger["records_exported"] != ledger["received"] - ledger["repeated"] + ledger["not_received"]:
            trouble.append(f"{ledger['point']}: more was received than exported")
        if ledger["joined"] == 0 or ledger["joined"] != ledger["stored"]:
            trouble.append(f"{ledger['point']}: joined {ledger['joined']}, stored {ledger['stored']}")
    for line in trouble:
        print(line, file=sys.stderr)
    sys.exit(1 if trouble else 0)


if __name__ == "__main__":
    main()
