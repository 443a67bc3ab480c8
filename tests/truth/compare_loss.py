#!/usr/bin/env python3
"""Signs of loss in a recorded capture against the emulator's log, which knows every packet that was lost.

    compare_loss.py SOJOURN CAPTURE TRUTH

The capture is the client's.  A segment of the client that the link lost had passed the capture, so what the client sends in
its place is `retransmitted` there; one of the server did not, so what comes in its place fills a hole: `late`, or
`reordered` if it comes sooner than a round trip.  The log says which bytes each frame held and which frames never left.
"""
import csv
import gzip
import json
import subprocess
import sys


def frames(path):
    """(from the client, lost, connection, first byte, end) of each TCP frame, in the order in which they came."""
    with gzip.open(path, "rt") as file:
        for row in csv.DictReader(file):
            head = bytes.fromhex(row["head"])
            if head[12:14] != b"\x08\x00" or head[23] != 6:
                continue
            start = 14 + (head[14] & 15) * 4
            length = int.from_bytes(head[16:18], "big") - (start - 14) - (head[start + 12] >> 4) * 4
            if length == 1 and row["direction"] == "forward":
                continue  # passed before and sent again, it cannot be told from a keep-alive (RFC 9293 section 3.8.4)
            length += bool(head[start + 13] & 1) + bool(head[start + 13] & 2)  # FIN and SYN take a number each
            first = int.from_bytes(head[start + 4:start + 8], "big")
            yield (row["direction"] == "forward", row["fate"] != "forwarded", head[start:start + 4], int(row["in_ns"]), first,
                   first + length)


def expected(path):
    """Of the client: segments sent again, and those of them whose bytes the link had lost.  Of the server: segments that came
    after bytes behind them had, because the link had lost them before."""
    again = needed = filled = 0
    sent, arrived, lost, furthest = set(), set(), set(), {}
    for forward, is_lost, ports, _, first, end in frames(path):
        segment = (ports, first, end)
        if first == end:  # no data, but it tells that all before has been sent
            if not forward and not is_lost:
                furthest[ports] = max(furthest.get(ports, 0), end)
        elif forward:
            again += segment in sent
            needed += segment in sent and segment not in arrived
            sent.add(segment)
            if not is_lost:
                arrived.add(segment)
        elif is_lost:
            lost.add(segment)
        else:
            filled += segment in lost and furthest.get(ports, 0) >= end
            lost.discard(segment)
            furthest[ports] = max(furthest.get(ports, 0), end)
    return again, needed, filled


def main():
    sojourn, capture, truth = sys.argv[1:4]
    again, needed, filled = expected(truth)
    done = subprocess.run([sojourn, "rtt", capture, "--kind", "tcp", "--loss", "--json"], capture_output=True, encoding="utf-8",
                          check=True)
    legs = json.loads(done.stdout)["loss"]["legs"]
    found = legs["server"]["retransmitted"]["count"]
    found_needed = found - legs["server"]["spurious"]["count"]
    found_filled = legs["client"]["late"]["count"] + legs["client"]["reordered"]["count"]
    print(f"the client sent {again} segments again, {needed} of them because the link had lost them: "
          f"{found:g} retransmitted, {found_needed:g} of them not spurious")
    print(f"{filled} segments of the server came after bytes behind them, because the link had lost them: {found_filled:g} late or reordered")
    # Segments that had arrived, but whose acknowledgment had not passed, cannot be distinguished from lost ones.
    right = needed > 0 and filled > 0 and found == again and needed <= found_needed <= again and found_filled == filled
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
