#!/usr/bin/env python3
"""What a careful program does not do.

    run.py --sojourn PROGRAM --source DIR PART...      PART: files report limits strings small live

Each check is a function named after what it guards; it gives what is wrong, or None.
"""
import argparse
import sys
import tempfile

import files
import limits
import live
import report
import small
import strings
from tool import Place, Skipped

PARTS = {"files": files, "report": report, "limits": limits, "strings": strings, "small": small, "live": live}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sojourn", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("parts", nargs="*", default=list(PARTS))
    arguments = parser.parse_args()
    checks = [check for part in arguments.parts for check in PARTS[part].CHECKS]
    faults = skipped = 0
    for check in checks:
        with tempfile.TemporaryDirectory(prefix="careful-") as folder:
            try:
                fault = check(Place(arguments.sojourn, arguments.source, folder))
            except Skipped as reason:
                skipped += 1
                print(f"skipped: {check.__name__}: {reason}")
                continue
        if fault:
            faults += 1
            print(f"{check.__name__}\n    {fault}")
    print(f"{len(checks)} checks, {faults} faults, {skipped} skipped")
    return 1 if faults else 77 if skipped and skipped == len(checks) else 0


if __name__ == "__main__":
    sys.exit(main())
