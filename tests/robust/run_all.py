#!/usr/bin/env python3
"""Every file of the recorded captures, malformed ones included, must come to an orderly end.

    run_all.py --sojourn PROGRAM --source DIR --build DIR [--sanitized]

Orderly: exit status 0 with a report, or 1 with one line on stderr that begins with `sojourn: `.
No signal, no sanitizer's report, no more than 10 seconds, no more than 1 GiB of memory, and with
--json one JSON document with the keys of the contract.  tests/captures and degenerate files that
this script makes itself are run in any case; the folder of recorded captures when it is there.
"""
import argparse
import json
import os
import resource
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True  # leave the source folder as it is
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import traces  # noqa: E402

SHARE = 8  # one file of so many, unless $SOJOURN_ALL_TRACES asks for all
SECONDS, MEMORY = 10, 1 << 30
SECONDS_SANITIZED = 60  # of the larger captures; AddressSanitizer alone costs a factor of five
REPORTS = ("AddressSanitizer", "UndefinedBehaviorSanitizer", "LeakSanitizer", "runtime error:", "Assertion")


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def run(program, path, options, sanitized):
    """(exit status, stdout, stderr); status is None after a time-out"""
    try:
        # AddressSanitizer reserves terabytes of addresses, so a limit on them says nothing there.
        done = subprocess.run([program, "rtt", path, *options], stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=SECONDS_SANITIZED if sanitized else SECONDS,
                              preexec_fn=None if sanitized else limit_memory)
    except subprocess.TimeoutExpired:
        return None, "", ""
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


def fault_in_errors(status, errors):
    lines = errors.splitlines()
    if any(report in errors for report in REPORTS):
        return next(line for line in lines if any(report in line for report in REPORTS))
    if any(not line.startswith("sojourn: ") for line in lines):
        return f"stderr: {next(line for line in lines if not line.startswith('sojourn: '))}"
    if status == 1 and len(lines) != 1:
        return f"{len(lines)} lines on stderr"
    if status == 0 and any(not line.startswith("sojourn: warning: ") for line in lines):
        return f"an error and exit status 0: {lines[0]}"
    return None


def fault_in_json(text):
    try:
        report = json.loads(text)
    except ValueError as error:
        return f"no JSON: {error}"
    for section, keys in (("input", ("files", "packets", "bytes", "skipped")), ("table", ("name", "memory_bytes"))):
        for key in keys:
            if key not in report.get(section, {}):
                return f"JSON lacks {section}.{key}"
    found = {kind: values.get("samples") for kind, values in report.get("kinds", {}).items()}
    if not found or not all(isinstance(count, int) for count in found.values()):
        return "JSON lacks the samples of a kind"
    return None


def fault_of(program, path, sanitized):
    """(outcome, fault or None) of one file"""
    outcome = None
    for options in ([], ["--json"]):
        status, output, errors = run(program, path, options, sanitized)
        if status is None:
            return "timeout", "timeout"
        if status not in (0, 1):
            return "crash", f"exit status {status}: {errors[-300:]}"
        fault = fault_in_errors(status, errors)
        if not fault and status == 1 and output:
            fault = "output beside an error"
        if not fault and status == 0:
            fault = fault_in_json(output) if options else (None if output else "no report")
        if fault:
            return "fault", fault
        outcome = "refused" if status else "warned" if errors else "read"
    return outcome, None


def degenerate(folder, capture):
    """A capture cut at every kind of place, and with every byte of its first headers spoiled."""
    os.makedirs(folder, exist_ok=True)
    with open(capture, "rb") as file:
        whole = file.read(4096)
    made = []
    for length in [*range(0, 120), 1000, 2000]:
        made.append((f"cut-{length}", whole[:length]))
    for place in range(0, 110):
        for value in (0x00, 0xff, whole[place] ^ 0x80):
            made.append((f"spoiled-{place}-{value:02x}", whole[:place] + bytes([value]) + whole[place + 1:]))
    for name, content in made:
        path = os.path.join(folder, os.path.basename(capture) + "." + name)
        with open(path, "wb") as file:
            file.write(content)
        yield path


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name in ("--sojourn", "--source", "--build"):
        parser.add_argument(name, required=True)
    parser.add_argument("--sanitized", action="store_true", help="the program was built with sanitizers")
    parser.add_argument("--made", action="store_true", help="the files made here, instead of the recorded ones")
    arguments = parser.parse_args()
    own = os.path.join(arguments.source, "tests", "captures")
    if arguments.made:
        files = [os.path.join(own, name) for name in sorted(os.listdir(own))]
        for name in ("web.pcap", "demo.pcapng"):
            files += degenerate(os.path.join(arguments.build, "degenerate"), os.path.join(own, name))
    else:
        found = traces.folder_or_skip(arguments.source)
        expanded = {path for path in traces.captures(found, arguments.build) if not path.startswith(found)}
        files = [*traces.files(found), *sorted(expanded)][::1 if traces.all_wanted() else SHARE]
    return judge(files, arguments)


def judge(files, arguments):
    outcomes, faults = Counter(), []
    with ThreadPoolExecutor(2) as pool:
        results = pool.map(lambda path: fault_of(arguments.sojourn, path, arguments.sanitized), files)
        for path, (outcome, fault) in zip(files, results):
            outcomes[outcome] += 1
            if fault:
                faults.append(f"{path}: {fault}")
                print(faults[-1], flush=True)
    print(f"{len(files)} files:", ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items())))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
