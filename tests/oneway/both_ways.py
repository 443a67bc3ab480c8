#!/usr/bin/env python3
"""Packets that go both ways between two points, pipes, and NAT: generated here, byte by byte, with a known truth.

Forward 2 ms, back 3 ms, clocks 5 s apart and drifting by 60 ppm: more than the delays, so that no sign tells the
direction.  Every tenth packet forward and every fourth back is lost, every eighth back is copied on the way.
Nothing is random, so there is no false alarm.
"""
import json
import os
import struct
import subprocess
import sys
import threading

from tool import Sojourn

CONNECTIONS = 4000
OFFSET_NS = 5_000_000_000
DRIFT_PPM = 60


def packet(source, destination, ports, number):
    payload = struct.pack("!IQ", number, number * 0x9e3779b97f4a7c15 % 2**64)
    udp = struct.pack("!HHHH", *ports, 8 + len(payload), 0) + payload
    ip = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), number & 0xffff, 0x4000, 64, 17, 0, bytes(source), bytes(destination))
    return bytes(12) + b"\x08\x00" + ip + udp


def write(path, frames):
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 65535, 1))
        for time, frame in sorted(frames):
            file.write(struct.pack("<IIII", time // 10**9, time % 10**9, len(frame), len(frame)) + frame)


def captures():
    first, last = [], []
    truth = {"first-to-last": [0, 0], "last-to-first": [0, 0]}
    start = 1_700_000_000 * 10**9
    by_last = lambda time: time + OFFSET_NS + (time - start) * DRIFT_PPM // 10**6
    for i in range(CONNECTIONS):
        sent = start + i * 10_000_000
        client, server, port = [10, 0, 0, 1 + i % 50], [192, 0, 2, 1], 1024 + i % 50
        there, back = packet(client, server, (port, 53), i), packet(server, client, (53, port), i)
        first.append((sent, there))
        truth["first-to-last"][0] += 1
        if i % 10 == 5:
            truth["first-to-last"][1] += 1
        else:
            last.append((by_last(sent + 2_000_000), there))
        last.append((by_last(sent + 2_500_000), back))
        truth["last-to-first"][0] += 1
        if i % 4 == 1:
            truth["last-to-first"][1] += 1
        else:
            first.append((sent + 5_500_000, back))
        if i % 8 == 2:
            first.append((sent + 5_600_000, back))
    return first, last, truth


def loss_of(report):
    return {row["direction"]: [row["loss"]["sent"], row["loss"]["lost"]] for row in report.get("directions", [])}


def main(tool):
    first, last, truth = captures()
    write("first.pcap", first)
    write("last.pcap", last)
    plain = json.loads(tool.run("oneway", "first.pcap", "last.pcap", "--json").stdout)
    corrected = json.loads(tool.run("oneway", "first.pcap", "last.pcap", "--correct-skew", "--json").stdout)
    rows = {row["direction"]: row["delay"]["mean_ns"] for row in corrected.get("directions", [])}
    round_trip = sum(rows.values()) if rows else 0
    text = tool.run("oneway", "first.pcap", "last.pcap").stdout
    many = json.loads(tool.run("oneway", "first.pcap", "last.pcap", "--method", "multiflow", "--json").stdout)
    flows = [(flow["direction"], flow["delay_mean_ns"]) for flow in many["slowest_flows"] if "direction" in flow]
    checks = {
        "each direction's loss is its own": loss_of(plain) == truth,
        "the headline is what goes forward": [plain["loss"]["sent"], plain["loss"]["lost"]] == truth["first-to-last"],
        "in words, too": "LAST to FIRST: lost 1 000 of 4 000" in text,
        "drift is found though the offset hides the sign":
            plain["clock"]["skew_ppm"] is not None and abs(plain["clock"]["skew_ppm"] - DRIFT_PPM) < 1,
        "and taken out": corrected["clock"]["skew_corrected"] and abs(round_trip - 5_000_000) < 20_000,
        "records are not mixed either": flows and all(abs(mean - OFFSET_NS - 2e6) < 3e6 for _, mean in flows),
    }
    os.mkfifo("pipe")
    feeder = threading.Thread(target=lambda: open("pipe", "wb").write(open("first.pcap", "rb").read()), daemon=True)
    feeder.start()
    try:
        piped = subprocess.run([sys.argv[1], "oneway", "pipe", "last.pcap", "--json"], capture_output=True, timeout=60)
        checks["a FIFO is read like a file"] = piped.returncode == 0 and loss_of(json.loads(piped.stdout)) == truth
    except subprocess.TimeoutExpired:
        checks["a FIFO is read like a file"] = False
    substituted = subprocess.run(["bash", "-c", f"{sys.argv[1]} oneway <(cat first.pcap) last.pcap --json"],
                                 capture_output=True, timeout=60)
    checks["<(cat FILE) too"] = substituted.returncode == 0 and loss_of(json.loads(substituted.stdout)) == truth
    write("inside.pcap", [(10**18 + i * 10**6, packet([10, 0, 0, 1], [192, 0, 2, 1], (1000, 53), i)) for i in range(200)])
    write("outside.pcap", [(10**18 + i * 10**6 + 2000, packet([203, 0, 113, 9], [192, 0, 2, 1], (61000, 53), i)) for i in range(200)])
    translated = subprocess.run([sys.argv[1], "oneway", "inside.pcap", "outside.pcap"], capture_output=True, encoding="utf-8")
    checks["NAT is called NAT"] = translated.returncode != 0 and "NAT" in translated.stderr
    for what, fine in checks.items():
        print(f"{'ok     ' if fine else 'FAILED '} {what}")
    return all(checks.values())


if __name__ == "__main__":
    if os.path.exists("pipe"):
        os.remove("pipe")
    sys.exit(0 if main(Sojourn(sys.argv[1])) else 1)
