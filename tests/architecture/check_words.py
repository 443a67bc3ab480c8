#!/usr/bin/env python3
"""Checks that libsojourn does not speak of the command line: its callers have no options.

    check_words.py [--source DIR]     exit status 1 and a line per fault
    check_words.py --self-test        shows that such words are found

No string of the folders below `library` may name an option (--memory), a subcommand (sojourn rtt) or the operands
FIRST and LAST of a message.  The words of the command line are added in apps/ and export/.
"""
import argparse
import os
import re
import sys
import tempfile

STRING = re.compile(r'"((?:\\.|[^"\\])*)"')
OPTION = re.compile(r"(?<![\w-])--[a-z]")
COMMAND = re.compile(r"\bsojourn (rtt|oneway|mark|generate|lab|\.\.\.)")
OPERAND = re.compile(r"\w+ (FIRST|LAST)\b|\b(FIRST|LAST) \w+")


def library_folders(source):
    """Those of the sojourn_layer lines up to the one of `library`."""
    with open(os.path.join(source, "CMakeLists.txt"), encoding="utf-8") as file:
        folders = re.findall(r"^sojourn_layer\(([\w/]+)", file.read(), re.M)
    return folders[:folders.index("library") + 1]


def strings_of(text):
    """(line number, string) of each literal outside comments and #include lines."""
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(r"\s*(//|#\s*include)", line):
            continue
        for found in STRING.finditer(line):
            if "//" not in STRING.sub("", line[:found.start()]):
                yield number, found.group(1)


def check(source):
    faults = []
    for folder in library_folders(source):
        place = os.path.join(source, folder)
        for name in sorted(os.listdir(place)):
            if not name.endswith((".h", ".cpp")) or name.endswith("_test.cpp"):
                continue
            with open(os.path.join(place, name), encoding="utf-8") as file:
                for number, words in strings_of(file.read()):
                    if OPTION.search(words) or COMMAND.search(words) or OPERAND.search(words):
                        faults.append(f'{folder}/{name}:{number}: a word of the command line: "{words}"')
    return faults


def self_test():
    layers = "sojourn_layer(core)\nsojourn_layer(library USES core)\nsojourn_layer(export USES core)\n"
    right = ['x = "a -- b";', '// "--memory"', 'y = 1;  // say "--memory"', 'f("at least 4 KiB");', '#include "core/--a.h"',
             'name = "LAST";', 'text = "1--2";']
    wrong = ['f("--memory is needed");', 'f("see\\" --cache");', 'g("a", "(--x)");', 'h("try sojourn rtt x");',
             'h("traffic that LAST does not hold");']
    failures = []
    for line in right + wrong:
        with tempfile.TemporaryDirectory() as source:
            for path, text in {"CMakeLists.txt": layers, "core/a.cpp": line + "\n", "core/a_test.cpp": wrong[0],
                               "library/b.h": "", "export/c.cpp": wrong[0]}.items():
                os.makedirs(os.path.dirname(os.path.join(source, path)), exist_ok=True)
                with open(os.path.join(source, path), "w", encoding="utf-8") as file:
                    file.write(text)
            if len(check(source)) != (line in wrong):
                failures.append(f"{'missed' if line in wrong else 'wrongly found'}: {line}")
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
