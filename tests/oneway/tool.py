"""Runs sojourn and reads its CSVs; shared by the tests of `sojourn oneway`."""
import csv
import subprocess


class Sojourn:
    def __init__(self, path):
        self.path = path

    def run(self, *arguments, status=0):
        done = subprocess.run([self.path, *arguments], capture_output=True, text=True, timeout=300)
        if done.returncode != status:
            raise SystemExit(f"sojourn {' '.join(arguments)} ended with {done.returncode}, not {status}:\n{done.stderr}")
        return done

    def generate(self, name, *options):
        self.run("generate", "--points", "2", name, *options)
        return f"{name}.first.pcap", f"{name}.last.pcap"


def rows(path):
    """The lines of a CSV without their order, each as a tuple; the header comes first."""
    with open(path, newline="") as file:
        header, *lines = csv.reader(file)
    return [tuple(header)] + sorted(map(tuple, lines))
