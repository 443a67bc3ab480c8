#!/usr/bin/env python3
"""Checks that what people write is read in one place: numbers, shares, hosts and ports by core/parse.h.

    check_parsers.py [--source DIR]     exit status 1 and a line per fault
    check_parsers.py --self-test        shows that such lines are found

A second parser takes other texts than the first: "1e3" for one option and not for the next.  Other functions that
make numbers of text belong to the files of FORMATS alone, which read what programs write.
"""
import argparse
import os
import re
import sys
import tempfile

# Raw strings, strings, characters and comments, of which only the code around them is looked at.
NOT_CODE = re.compile(r'R"\(.*?\)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|//[^\n]*|/\*.*?\*/', re.S)
PARSER = re.compile(r"\b(from_chars|strto[a-z]+|sto(?:i|l|ll|ul|ull|f|d|ld)|ato[a-z]|v?[fs]?scanf|i?stringstream)\b"
                    r"|\bCLI::(Range|Bound|Number|PositiveNumber|NonNegativeNumber|TypeValidator|AsNumberWithUnit|"
                    r"AsSizeValue|ValidIPV4)\b")
FORMATS = {
    "capture/time_bound.cpp": "the one parser of times: fields of so many digits each",
    "collector/seen_reports.cpp": "ranges of numbers as a store keeps them",
    "export/files/output_path.cpp": "the kernel's names of open files: /dev/fd/3",
    "export/marking/marking_report_csv.cpp": "columns of marking records",
    "export/oneway/record_csv.cpp": "columns of flow records",
    "store/clickhouse/http_client.cpp": "status and lengths of HTTP",
    "store/clickhouse_tiers.cpp": "names of partitions, as the server made them",
}
# Not part of the program; tests may read numbers as they like.
NOT_LOOKED_AT = {"tests", "bench", "build", "docs", "tools"}


def code_of(text):
    """`text` without strings and comments, line by line where it was."""
    return NOT_CODE.sub(lambda found: '""' + "\n" * found.group().count("\n"), text)


def is_test(name):
    return name.endswith("_test.cpp") or name.startswith("test_")


def sources(source):
    for folder, folders, names in os.walk(source):
        folders[:] = sorted(one for one in folders if not one.startswith(".")
                            and (folder != source or one not in NOT_LOOKED_AT))
        for name in sorted(names):
            if name.endswith((".h", ".hpp", ".cpp")) and not is_test(name):
                yield os.path.relpath(os.path.join(folder, name), source)


def check(source, formats=None):
    formats = FORMATS if formats is None else formats
    faults, used = [], set()
    for path in sources(source):
        if path.startswith("core" + os.sep):
            continue
        with open(os.path.join(source, path), encoding="utf-8") as file:
            code = code_of(file.read())
        for found in PARSER.finditer(code):
            used.add(path)
            if path not in formats:
                number = code.count("\n", 0, found.start()) + 1
                faults.append(f"{path}:{number}: {found.group()}: core/parse.h reads what people write "
                              "(a file that reads a format is named with its reason in check_parsers.py)")
    for path in sorted(set(formats) - used):
        faults.append(f"{path}:1: is named in check_parsers.py and reads no numbers")
    return faults


def self_test():
    right = ["const auto number = parse_count(text, 1, 64);", "// std::from_chars(a, b, c)", 'say("std::stoi(text)");',
             "customs_atoll(x);", "->check(CLI::IsMember({}))", "history(text);", "to_chars(a, b, c);"]
    wrong = ["std::from_chars(a, b, c);", "x = strtoull(text, nullptr, 10);", "x = std::stoul(text);", "d = stod(text);",
             "x = atoi(text);", 'std::sscanf(text, "%d", &x);', "std::istringstream in{text};",
             "std::stringstream in{text};", "->check(CLI::Range(1, 2))", "->check(CLI::PositiveNumber)",
             'f("\\""); x = std::strtod(text, &end);']
    failures = []

    def faults_of(path, line, formats):
        with tempfile.TemporaryDirectory() as source:
            os.makedirs(os.path.join(source, os.path.dirname(path)))
            with open(os.path.join(source, path), "w", encoding="utf-8") as file:
                file.write("\n\n" + line + "\n")
            return [fault.split(": ")[0] for fault in check(source, formats)]

    for line in right + wrong:
        for path in ("apps/a.cpp", "apps/point/b.h", "web/api/c.cpp"):
            if (faults := faults_of(path, line, {})) != [f"{path}:3"] * (line in wrong):
                failures.append(f"{line} in {path}: {faults or 'not found'}")
        for path in ("core/a.cpp", "web/a_test.cpp", "web/test_a.h", "tests/web/a.cpp", "bench/a.cpp", "build/a.cpp"):
            if faults := faults_of(path, line, {}):
                failures.append(f"{line} in {path}: {faults}")
    if faults := faults_of("apps/a.cpp", wrong[0], {"apps/a.cpp": "why"}):
        failures.append(f"a file of the list: {faults}")
    if faults_of("apps/a.cpp", right[0], {"apps/a.cpp": "why"}) != ["apps/a.cpp:1"]:
        failures.append("a file of the list that reads nothing is not found")
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--source", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    faults = self_test() if arguments.self_test else check(os.path.normpath(arguments.source))
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
