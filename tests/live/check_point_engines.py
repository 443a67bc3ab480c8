#!/usr/bin/env python3
"""check_point_engines.py ANSWER.json: have two points on one interface, `kernel` and `socket`, seen the same?"""
import json
import sys


def main():
    answer = json.load(open(sys.argv[1], encoding="utf-8"))
    ledgers = {ledger["point"]: ledger for ledger in answer["ledgers"]}
    trouble = []
    for name, ledger in ledgers.items():
        if not ledger["adds_up"]:
            trouble.append(f"the ledger of {name} does not add up")
        if ledger["packets_selected"] < 500:
            trouble.append(f"{name} selected {ledger['packets_selected']} packets only")
        if ledger["packets_dropped"]:
            trouble.append(f"{name} dropped {ledger['packets_dropped']} packets")
        # What was met twice with one label, such as a reset that came again, is counted apart.
        if ledger["joined"] + ledger["ambiguous"] != ledger["received"]:
            trouble.append(f"of {ledger['received']} records of {name}, {ledger['joined']} found the other's")
    for account in ("packets_selected", "records_exported", "joined"):
        if ledgers["kernel"][account] != ledgers["socket"][account]:
            trouble.append(f"{account}: {ledgers['kernel'][account]} in the kernel, {ledgers['socket'][account]} from the socket")
    segments = [subject for subject in answer["subjects"] if ":" in subject["name"]]
    if not segments:
        trouble.append("the two were not joined")
    for segment in segments:
        for row in segment["rows"]:
            median = next(figure for figure in row["quantiles"] if figure["q"] == 0.5)
            # The same packet, some hundred instructions apart; half of them may be late on a busy machine.
            if abs(median["delay_ns"]) > 1_000_000:
                trouble.append(f"{segment['name']}: their clocks differ by {median['value_ns']} ns")
            if row["loss"] and row["loss"]["sent"] != row["loss"]["arrived"]:
                trouble.append(f"{segment['name']}: {row['loss']} says that packets were lost")
    trips = {subject["name"]: sum(row["weight"] for row in subject["rows"]) for subject in answer["subjects"] if ":" not in subject["name"]}
    print(f"round trips: {trips}")
    # A hundred echoes on the link and a hundred in a tunnel, into which round trips in the kernel do not look.
    if abs(trips["kernel"] - 100) > 2 or trips["socket"] != 200:
        trouble.append("not 100 round trips in the kernel and 200 from the socket")
    print("\n".join(trouble) or "both engines saw the same")
    return 1 if trouble else 0


if __name__ == "__main__":
    sys.exit(main())
