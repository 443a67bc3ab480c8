#!/usr/bin/env python3
"""Checks that apps/ only parses, connects and prints: no loop over packets, no formatting of results or of warnings in reports.

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
    (re.compile(r"\bfor\s*\([^;()]*\bPacket\b[^;()]*:"), "loops over packets: that belongs to pipeline/"),
    (re.compile(r"\b(?:fputs|fwrite)\s*\(|\bcerr\b"), "writes past console/, which knows what standard output and error belong to"),
    (re.compile(r"\bformat_to(?:_n)?\s*\(|\bo?stringstream\b"), "builds a text piece by piece: that belongs to export/"),
    (re.compile(r"\bwarnings\s*\.\s*(?:push|emplace)_back\s*\(\s*(?:fmt::format|[^;]*\+)|\breport\.input\.\w+\s*=[^;]*\bfmt::format"
                r"|\bwarnings\s*=[^;=]*\bfmt::format"),
     "puts words together for a report: a report gets numbers, and its words are in export/"),
    (re.compile(r"\bsay_text(?:_aside)?\s*\((?:\s*fmt::|[^;]*[^+;]\+[^+])|(?:\.|->)\s*write\s*\(\s*fmt::|\bfmt::print\b|\bprintf\s*\(|\bstd::cout\b"),
     "formats a result: that belongs to export/"),
]


# CLI11 writes its help into a stream.
ALLOWED = {("apps/main.cpp", "ostringstream")}


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
                    if (os.path.relpath(path, source), found.group()) in ALLOWED:
                        continue
                    number = code.count("\n", 0, found.start()) + 1
                    faults.append(f"{os.path.relpath(path, source)}:{number}: {reason}")
    return faults


def self_test():
    right = ['x = std::next(i);', 'a = spool.next_due();', '// source.next(batch)', 'say_text("source.next(batch) Json");',
             'complain(fmt::format("{}", 1));', 'R"(say_text(fmt::format("{}"))\n)";', 'file->write(json_line(report));',
             'for (const Point point : {Point::first, Point::last}) {', 'for (const std::string& packet : names) f();',
             'say_text_aside(text);', 'say_text(texts[i++]);', 'warn(fmt::format("{}", 1));', 'report.input.warnings = all_warnings(source);',
             'report.input.warnings.emplace_back("interrupted");', 'warnings.push_back(words);',
             'report.input.packets = counters.packets;\nconst auto text = fmt::format("{}", 1);',
             'request.json = true;', "f('\"'); // nlohmann", 'snprintf(a, b, "c");']
    wrong = ['while (source.next(batch).count)', 'f = (*source)->next(\n  packets);', 'Json state;',
             '#include <nlohmann/json.hpp>', 'say_text(\n    fmt::format("{}", 1));', 'file->write(fmt::format("{}", 1));',
             'for (const Packet& packet : batch) ++count;', 'for (const Packet& p :\n     packets_of(batch)) {', 'std::fputs("x", stderr);',
             'fwrite(a, 1, n, stdout);', 'std::cerr << 1;', 'std::ostringstream text;', 'fmt::format_to(out, "{}", 1);',
             'report.warnings.push_back(fmt::format("{}", 1));', 'input.warnings.emplace_back(\n    fmt::format("{}", 1));',
             'report.input.warnings.push_back(name + " has none");', 'report.input.drops = fmt::format("{}", 1);',
             'report.warnings = {fmt::format("{}", 1)};', 'say_text_aside(fmt::format("{}", 1));',
             'say_text(one(a) + other(b));', 'fmt::print("{}", 1);', 'std::printf("x");', "f('\"'); Json x;"]
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
