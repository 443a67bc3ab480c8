"""What all comparisons of tests/manual need: the program, the files, and what differs."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Program:
    def __init__(self, path):
        self.path = str(Path(path).resolve())

    def run(self, *arguments):
        done = subprocess.run([self.path, *arguments], cwd=ROOT, capture_output=True, encoding="utf-8", timeout=60,
                              env={**os.environ, "LC_ALL": "C.UTF-8"})
        if done.returncode != 0:
            sys.exit(f"check.py: sojourn {' '.join(arguments)} ended with {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def refusal(self, *arguments):
        """What it says if it does not do this."""
        done = subprocess.run([self.path, *arguments], cwd=ROOT, capture_output=True, encoding="utf-8", timeout=60)
        return done.stderr if done.returncode != 0 else ""


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def difference(what, expected, where, found):
    trouble = []
    if expected - found:
        trouble.append(f"{where} lacks {what} {', '.join(sorted(expected - found))}")
    if found - expected:
        trouble.append(f"{where} has {what} {', '.join(sorted(found - expected))}, the program has not")
    return trouble
