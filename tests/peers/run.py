#!/usr/bin/env python3
"""Runs compare_tshark.py over a set of captures.

    run.py --sojourn PROGRAM --source DIR --build DIR edge|self-test|captures|traces|loss-traces|turns-traces

edge: the made-up capture with every class; captures: tests/captures; traces: the recorded captures
of the optional folder and a share of its malformed ones, or all of both with $SOJOURN_ALL_TRACES;
loss-traces, turns-traces: compare_loss.py and compare_turns.py over all of both, only with $SOJOURN_ALL_TRACES.
"""
import argparse
import glob
import os
import subprocess
import sys

sys.dont_write_bytecode = True  # leave the source folder as it is
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import traces  # noqa: E402

EVERY_CLASS = ("behind-acknowledgment copy ended-elsewhere expired first-ack-by-server fragmented identifier-reused "
               "karn keep-alive last-ack-missing late-syn no-ack-flag old-ack payload-changed perhaps-sent-before port-reuse question-differs question-split refused repeated-after-answer "
               "spans-segments syn-ack-repeated syn-repeated zero-delay zero-window-probe").split()
SHARE_OF_MALFORMED = 25  # every so many in `traces`; starting tshark 1700 times takes minutes


def edge_capture(build):
    path = os.path.join(build, "edge.pcap")
    subprocess.run([sys.executable, os.path.join(HERE, "edge_cases.py"), path], check=True)
    return path


def chosen(part, source, build):
    """(captures, further arguments)"""
    own = sorted(path for path in glob.glob(os.path.join(source, "tests", "captures", "*.pcap*")))
    if part == "edge":
        return [edge_capture(build)], ["--require", ",".join(EVERY_CLASS)]
    if part == "self-test":
        return [edge_capture(build)], ["--self-test"]
    if part == "captures":
        return own, []
    found = traces.folder_or_skip(source)
    step = 1 if traces.all_wanted() else SHARE_OF_MALFORMED
    malformed = [path for path in traces.files(os.path.join(found, "robust"))
                 if not path.endswith(traces.NOT_CAPTURES)][::step]
    return list(traces.captures(found, build)) + malformed, []


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sojourn", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--build", required=True)
    parser.add_argument("part", choices=("edge", "self-test", "captures", "traces", "loss-traces", "turns-traces"))
    arguments = parser.parse_args()
    os.makedirs(arguments.build, exist_ok=True)
    other = {"loss-traces": "compare_loss.py", "turns-traces": "compare_turns.py"}.get(arguments.part)
    if other and not traces.all_wanted():
        print("skipped: takes minutes; make test-traces asks for it")
        return traces.SKIPPED
    captures, further = chosen(arguments.part, arguments.source, arguments.build)
    if other:
        return subprocess.run([sys.executable, os.path.join(HERE, other), "--sojourn", arguments.sojourn, *captures]).returncode
    command = [sys.executable, os.path.join(HERE, "compare_tshark.py"), "--sojourn", arguments.sojourn,
               "--cache", os.path.join(arguments.build, "tshark"), *further, *captures]
    return subprocess.run(command).returncode


if __name__ == "__main__":
    sys.exit(main())
