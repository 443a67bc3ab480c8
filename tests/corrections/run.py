#!/usr/bin/env python3
"""Defects that were found once must not come back.

    run.py --sojourn PROGRAM --source DIR [--before] [NAME...]

With --before, PROGRAM is an old one, and every check must find its fault: a check that cannot fail proves nothing.
docs/results/corrections.md lists defects and tests.
"""
import argparse
import inspect
import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # leave the source folder as it is
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import checks  # noqa: E402


class Fault(Exception):
    pass


class Place:
    def __init__(self, sojourn, source):
        self._sojourn, self._source = os.path.abspath(sojourn), os.path.abspath(source)

    def source(self, path):
        return os.path.join(self._source, path)

    def run(self, *arguments, status=0):
        done = subprocess.run([self._sojourn, *arguments], capture_output=True, text=True, timeout=120)
        if status is not None and done.returncode != status:
            raise Fault(f"sojourn {' '.join(arguments)}: exit status {done.returncode}: {done.stderr.strip()[:300]}")
        return done

    def json(self, *arguments):
        return json.loads(self.run(*arguments, "--json").stdout)


def fault_of(check, place):
    try:
        return check(place)
    except (Fault, KeyError, StopIteration) as fault:
        return f"{type(fault).__name__}: {fault}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sojourn", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--before", action="store_true")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    place = Place(arguments.sojourn, arguments.source)
    wrong = 0
    for name, check in inspect.getmembers(checks, inspect.isfunction):
        if check.__module__ != "checks" or name in ("quantile", "samples", "dns_exchanges", "marked_packets"):
            continue
        if arguments.names and name not in arguments.names:
            continue
        with tempfile.TemporaryDirectory(prefix="corrections-") as folder:
            os.chdir(folder)
            fault = fault_of(check, place)
            os.chdir("/")
        wrong += (fault is None) if arguments.before else (fault is not None)
        print(f"{name}: {fault or 'holds'}")
    print(f"{wrong} checks " + ("find nothing in the old program" if arguments.before else "find a fault"))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
