#!/usr/bin/env python3
"""Checks that apps/ only parses, connects and prints: no loop over packets, no formatting of results.

    check_apps.py [--source DIR]     exit status 1 and a line per fault
    check_apps.py --self-test        shows that such lines are found

What cannot be told from the text of a line is left to whoever reads it; messages of errors are made in apps.
"""
import argparse
import os
import re
import sys
import tempfile

# Raw strings, strings, characters and comments, of which only the code around them is looked at.
NOT_CODE = re.compile(r'R"\(.*?\)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|//[^\n]*|/\*.*?\*/', re.S)
RULES = [
    (re.compile(r"(?:\.|->)\s*next\s*\("), "reads packets from a source: the loop belongs to pipeline/"),
    (re.compile(r"\bJson\b|\bnlohmann\b"), "makes JSON: that belongs to export/ or web/"),
    (re.compile(r"\bsay_text\s*\(\s*fmt::|(?:\.|->)\s*write\s*\(\s*fmt::|\bfmt::print\b|\bprintf\s*\(|\bstd::cout\b"),
     "formats a result: that belongs to export/"),
]


def code_of(text):
    """`text` without strings and comments, line by line where it was."""
    return NOT_CODE.sub(lambda found: '""' + "\n" * found.group().count("\n"), text)


def check(source):
    faults = []
    for folder, _, names in sorted(os.walk(os.path.join(source, "apps"))):
        for name in sorted(names):
            if not name.endswith((".h", ".cpp")):
                continue
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8") as file:
                code = code_of(file.read())
            for pattern, reason in RULES:
                for found in pattern.finditer(code):
                    number = code.count("\n", 0, found.start()) + 1
                    faults.append(f"{os.path.relpath(path, source)}:{number}: {reason}")
    return faults


def self_test():
    right = ['x = std::next(i);', 'a = spool.next_due();', '// source.next(batch)', 'say_text("source.next(batch) Json");',
             'complain(fmt::format("{}", 1));', 'R"(say_text(fmt::format("{}"))\n)";', 'file->write(json_line(report));',
             'request.json = true;', "f('\"'); // nlohmann", 'snprintf(a, b, "c");']
    wrong = ['while (source.next(batch).count)', 'f = (*source)->next(\n  packets);', 'Json state;',
             '#include <nlohmann/json.hpp>', 'say_text(\n    fmt::format("{}", 1));', 'file->write(fmt::format("{}", 1));',
             'fmt::print("{}", 1);', 'std::printf("x");', "f('\"'); Json x;"]
    failures = []
    for line in right + wrong:
        for path in ("apps/a.cpp", "apps/point/b.h"):
            with tempfile.TemporaryDirectory() as source:
                os.makedirs(os.path.join(source, "apps", "point"))
                with open(os.path.join(source, path), "w", encoding="utf-8") as file:
                    file.write("\n\n" + line + "\n")
                faults = check(source)
            if [fault.split(": ")[0] for fault in faults] != [f"{path}:3"] * (line in wrong):
                failures.append(f"{line}: {faults or 'not found'}")
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--source", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    faults = self_test() if arguments.self_test else check(arguments.source)
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
