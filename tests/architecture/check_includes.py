#!/usr/bin/env python3
"""Checks that the #include lines keep to the layers of CMakeLists.txt, and ARCHITECTURE.md to both.

    check_includes.py [--source DIR]           exit status 1 and a line per fault
    check_includes.py [--source DIR] --write   renews the drawing and the table in ARCHITECTURE.md
    check_includes.py --self-test              shows that wrong includes are found
"""
import argparse
import os
import re
import sys
import tempfile

BEGIN, END = "<!-- layers -->", "<!-- /layers -->"
SOURCES = (".h", ".cpp", ".c")


def read(*parts):
    with open(os.path.join(*parts), encoding="utf-8") as file:
        return file.read()


def layers_of(source):
    """{folder: the folders it may use}, lowest first; apps may use them all."""
    layers = {}
    for name, rest in re.findall(r"^sojourn_layer\((\w+)\s*([^)]*)\)", read(source, "CMakeLists.txt"), re.M):
        uses = re.search(r"\bUSES\b((?:\s+(?!LIBRARIES\b)\w+)*)", rest)
        layers[name] = uses.group(1).split() if uses else []
    layers["apps"] = list(layers)
    return layers


def includes_of(path):
    """(line number, included file) of each #include "..." line"""
    for number, line in enumerate(read(path).splitlines(), 1):
        found = re.match(r'\s*#\s*include\s*"([^"]+)"', line)
        if found:
            yield number, found.group(1)


def examine(source, layers):
    """(faults, {folder: folders that it includes today})"""
    faults, used = [], {folder: set() for folder in layers}
    for folder, allowed in layers.items():
        later = [other for other in allowed if list(layers).index(other) >= list(layers).index(folder)]
        faults += [f"CMakeLists.txt: {folder} uses {other}, which comes after it" for other in later]
        if not os.path.isdir(os.path.join(source, folder)):
            continue
        for name in sorted(os.listdir(os.path.join(source, folder))):
            if not name.endswith(SOURCES):
                continue
            for number, included in includes_of(os.path.join(source, folder, name)):
                place, target = f"{folder}/{name}:{number}", included.split("/")[0]
                if "/" not in included:
                    faults.append(f'{place}: write the folder too: "{folder}/{included}"')
                elif target != folder and target not in allowed:
                    faults.append(f"{place}: {folder} may not include {included}; it may use "
                                  f"{' '.join(allowed) or 'nothing'}")
                elif not os.path.exists(os.path.join(source, included)):
                    faults.append(f"{place}: there is no {included}")
                elif target != folder:
                    used[folder].add(target)
    return faults, used


def height(folder, layers):
    return 1 + max((height(other, layers) for other in layers[folder]), default=-1)


def section(layers, used, holds):
    """The drawing and the table, as ARCHITECTURE.md shows them."""
    top = max(height(folder, layers) for folder in layers)
    lines = ["", "```text"]
    for level in range(top, -1, -1):
        row = [folder for folder in layers if height(folder, layers) == level]
        lines.append(f"  {level}   " + "   ".join(f"{folder:10}" for folder in row).rstrip())
    lines += ["```", "", "| folder | holds | may include | includes today |", "|---|---|---|---|"]
    for folder, allowed in layers.items():
        today = [other for other in layers if other in used[folder]]
        lines.append(f"| `{folder}/` | {holds.get(folder, '?')} | {' '.join(allowed) or '-'} | {' '.join(today) or '-'} |")
    return "\n".join(lines) + "\n\n"


def split_page(page):
    """(before, section, after); the words of the column `holds` are kept from the page."""
    before, _, rest = page.partition(BEGIN)
    inside, _, after = rest.partition(END)
    holds = dict(re.findall(r"^\| `(\w+)/` \| ([^|]*?) \|", inside, re.M))
    return before, inside, after, holds


def check(source, write):
    layers = layers_of(source)
    faults, used = examine(source, layers)
    page = read(source, "ARCHITECTURE.md")
    before, inside, after, holds = split_page(page)
    wanted = section(layers, used, holds)
    if write:
        with open(os.path.join(source, "ARCHITECTURE.md"), "w", encoding="utf-8") as file:
            file.write(before + BEGIN + wanted + END + after)
    elif inside != wanted:
        faults.append("ARCHITECTURE.md: the layers are not as in CMakeLists.txt and the #include lines; "
                      "tests/architecture/check_includes.py --write renews them")
    if "?" in [holds.get(folder, "?") for folder in layers]:
        faults.append("ARCHITECTURE.md: a folder has no words in the column `holds`")
    return faults


def self_test():
    """Small trees with one fault each."""
    good = {"CMakeLists.txt": "sojourn_layer(core LIBRARIES fmt)\nsojourn_layer(wire USES core LIBRARIES z)\n",
            "core/time.h": "#pragma once\n", "wire/tcp.h": '#include "core/time.h"\n#include <vector>\n',
            "apps/main.cpp": '#include "wire/tcp.h"\n',
            "ARCHITECTURE.md": f"{BEGIN}\n| `core/` | a | |\n| `wire/` | b | |\n| `apps/` | c | |\n{END}\n"}
    wrong = {"upwards": {"core/time.h": '#include "wire/tcp.h"\n'},
             "outside": {"wire/tcp.h": '#include "apps/main.h"\n'},
             "no folder": {"wire/udp.h": '#include "tcp.h"\n'},
             "missing file": {"wire/tcp.h": '#include "core/tiem.h"\n'},
             "upwards in CMake": {"CMakeLists.txt": "sojourn_layer(core USES wire)\nsojourn_layer(wire)\n"},
             "a new arrow": {"core/packet.h": "", "apps/main.cpp": '#include "core/packet.h"\n'},
             "a new folder": {"CMakeLists.txt": good["CMakeLists.txt"] + "sojourn_layer(export USES core)\n"}}
    failures = []
    for name, change in [("nothing", {})] + list(wrong.items()):
        with tempfile.TemporaryDirectory() as source:
            for files, write in ((good, True), ({**good, **change}, False)):
                for path, text in files.items():
                    if write or path != "ARCHITECTURE.md":
                        os.makedirs(os.path.dirname(os.path.join(source, path)), exist_ok=True)
                        with open(os.path.join(source, path), "w", encoding="utf-8") as file:
                            file.write(text)
                faults = check(source, write)
            if bool(faults) != bool(change):
                failures.append(f"{name}: {faults or 'no fault found'}")
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--source", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    faults = self_test() if arguments.self_test else check(arguments.source, arguments.write)
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
