#!/usr/bin/env python3
"""Every capture through the selection in the kernel and through that of user space.

    selection.py REPLAY --source DIR --build DIR

The recorded captures of others are among them where they are there, a hundred at a time.
"""
import argparse
import subprocess
import sys

from run import all_captures


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("replay")
    parser.add_argument("--source", required=True)
    parser.add_argument("--build", required=True)
    options = parser.parse_args()

    captures = list(all_captures(options.source, options.build, True))
    for first in range(0, len(captures), 100):
        done = subprocess.run([options.replay, *captures[first:first + 100]], text=True, capture_output=True)
        print(done.stdout.strip())
        if done.returncode:
            return done.returncode
    return 0


if __name__ == "__main__":
    sys.exit(main())
