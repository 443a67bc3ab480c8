#!/usr/bin/env python3
"""Runs each NAME/command and compares what it prints with NAME/out.

    run.py --sojourn PROGRAM --source DIR [NAME...]             exit status 1 and a diff per change
    run.py --sojourn PROGRAM --source DIR --accept NAME...      renews NAME/out

NAME/command is one line; {sojourn} and {captures} stand for the program and tests/captures, {make_store} for the
program of make_store.cpp (--make-store; without it such cases are skipped, with exit status 77 if there are no others).
NAME/why says what the case guards.  What differs from run to run or machine to machine (elapsed
time, packets per second, memory) is replaced by a mark before comparing.
"""
import argparse
import difflib
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))

# (pattern, what stands for it); each names the line it belongs to, so that no delay is hidden.
VARYING = [
    (re.compile(r"^Read in .*: .* packets/s\.$", re.M), "Read in T: N packets/s."),
    (re.compile(r"^Memory: .*\. Read in .*: .* packets/s\.$", re.M), "Memory: N. Read in T: N packets/s."),
    (re.compile(r"^  took [0-9.]+ s$", re.M), "  took T"),
    (re.compile(r'("elapsed_ns"|"memory_bytes"|"seconds"|"packets_per_second"): [0-9.e+-]+'), r"\1: N"),
    (re.compile(r'("version"): "[^"]*"'), r'\1: "V"'),
]

# The same of a store, which was written a moment ago.
STORED = [
    (re.compile(r"^From \d{4}-[-0-9 :]+ UTC to \d{4}-[-0-9 :]+ UTC", re.M), "From T to T"),
    (re.compile(r"\b(written|losses until|last heard) \d+ (s|min) ago"), r"\1 A ago"),
    (re.compile(r"\bnewest data (are )?\d+ (s|min) old"), r"newest data \1A old"),
    (re.compile(r'("(?:from|to|written|losses_until|newest|first_heard|last_heard|begin|end|start|first|last)_ns"): ?\d+'),
     r"\1: N"),
    (re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z?"), "T"),
    (re.compile(r"\bT to \d\d:\d\d:\d\d\b"), "T to T"),
    (re.compile(r"^\d{19},\d{19},", re.M), "N,N,"),
]


def normalised(text, captures, stored):
    text = text.replace(captures, "CAPTURES")
    for pattern, mark in VARYING + (STORED if stored else []):
        text = pattern.sub(mark, text)
    return text


def command_of(name):
    with open(os.path.join(HERE, name, "command"), encoding="utf-8") as file:
        return file.read().strip()


def needs_store(name):
    return "{make_store}" in command_of(name)


def printed(name, arguments):
    command = command_of(name)
    environment = {**os.environ, "TZ": "UTC", "LC_ALL": "C.UTF-8", "COLUMNS": "80"}
    # A name of the same length wherever the tree lies, so that lines are folded alike.
    with tempfile.TemporaryDirectory(prefix="golden-", dir="/tmp") as folder:
        captures = os.path.join(folder, "captures")
        os.symlink(os.path.join(arguments.source, "tests", "captures"), captures)
        command = command.format(sojourn=os.path.abspath(arguments.sojourn), captures=captures,
                                 make_store=os.path.abspath(arguments.make_store))
        done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, env=environment, timeout=60)
    text = done.stdout.decode() + done.stderr.decode()
    return normalised(text, captures, needs_store(name)) + f"exit status {done.returncode}\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sojourn", required=True)
    parser.add_argument("--source", default=os.path.join(HERE, "..", ".."))
    parser.add_argument("--make-store", default="")
    parser.add_argument("--accept", action="store_true")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    arguments.source = os.path.realpath(arguments.source)
    names = arguments.names or sorted(name for name in os.listdir(HERE)
                                      if os.path.exists(os.path.join(HERE, name, "command")))
    if not arguments.make_store and any(map(needs_store, names)):
        names = [name for name in names if not needs_store(name)]
        print("skipped: outputs of stores need --make-store")
        if not names:
            return 77
    changed = 0
    for name in names:
        text, path = printed(name, arguments), os.path.join(HERE, name, "out")
        if arguments.accept:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            continue
        with open(path, encoding="utf-8") as file:
            expected = file.read()
        if text != expected:
            changed += 1
            sys.stdout.writelines(difflib.unified_diff(expected.splitlines(True), text.splitlines(True),
                                                       f"{name}/out", "printed now"))
    print(f"{len(names)} outputs, {changed} changed")
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())
