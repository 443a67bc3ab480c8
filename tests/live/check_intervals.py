#!/usr/bin/env python3
"""check_intervals.py NAMESPACES SERVER SOJOURN WHERE OPTIONS...: lines of JSON while echoes pass.

Pings once the first line is there, goes on until a line has come after the last reply, then ends the run by a signal.
Each echo must be in exactly one line, and intervals must follow each other without a gap.
"""
import json
import signal
import subprocess
import sys

ECHOES = 60


def fail(reason):
    print(f"FAILED: {reason}", file=sys.stderr)
    sys.exit(1)


def echoes(line):
    return line["kinds"]["icmp"]["samples"]


def main():
    namespaces, server, sojourn, where, *options = sys.argv[1:]
    run = subprocess.Popen(["ip", "netns", "exec", f"{namespaces}-{where}", sojourn, "rtt", "--json", "--every", "300ms",
                            "--duration", "60s", "--kind", "icmp", *options], stdout=subprocess.PIPE, text=True)
    lines = [json.loads(run.stdout.readline())]
    ping = subprocess.run(["ip", "netns", "exec", f"{namespaces}-client", "ping", "-q", "-i", "0.02", "-c", str(ECHOES),
                           server], stdout=subprocess.DEVNULL)
    if ping.returncode != 0:
        fail("ping had no answers")
    while sum(map(echoes, lines)) < ECHOES and len(lines) < 100:
        lines.append(json.loads(run.stdout.readline()))
    run.send_signal(signal.SIGINT)
    lines += [json.loads(text) for text in run.stdout]
    if run.wait(timeout=20) != 0:
        fail(f"exit status {run.returncode}")

    if sum(map(echoes, lines)) != ECHOES:
        fail(f"{sum(map(echoes, lines))} echoes in {len(lines)} lines: {[echoes(line) for line in lines]}")
    if sum(echoes(line) > 0 for line in lines) < 2:
        fail("all in one interval, though they took longer")
    if "interface" in options:
        # The reply passes the interface towards the server first, and counts there.
        found = {group["group"] for line in lines for group in line["groups"]}
        if found != {"right"}:
            fail(f"groups by interface are {found}")
    for number, line in enumerate(lines, 1):
        if line["interval"]["number"] != number:
            fail(f"line {number} is of interval {line['interval']['number']}")
        if line["kinds"]["icmp"]["unmatched_requests"] is not None:
            fail("unanswered before the answer could come")
        # A busy machine may end one late, and the next in time.
        after = line["interval"]["end_ns"] - lines[0]["interval"]["start_ns"]
        if number < len(lines) and after < number * 300e6 - 1e6:
            fail(f"interval {number} ended {after} ns after the start")
    for line, after in zip(lines, lines[1:]):
        if line["interval"]["end_ns"] != after["interval"]["start_ns"]:
            fail("a gap between intervals")
    requests = sum(line["kinds"]["icmp"]["requests"] for line in lines)
    if requests != ECHOES:
        fail(f"{requests} requests")
    if sum(line["input"]["packets"] for line in lines) < 2 * ECHOES:
        fail("packets are missing")
    print(f"  {len(lines)} lines, echoes {[echoes(line) for line in lines]}, {lines[0]['engine']['name']}")


main()
