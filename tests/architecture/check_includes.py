#!/usr/bin/env python3
"""Checks that the #include lines keep to the layers of CMakeLists.txt, and ARCHITECTURE.md to both.

    check_includes.py [--source DIR]           exit status 1 and a line per fault
    check_includes.py [--source DIR] --write   renews the drawing and the table in ARCHITECTURE.md
    check_includes.py --self-test              shows that wrong includes are found
"""
import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile

BEGIN, END = "<!-- layers -->", "<!-- /layers -->"
SOURCES = (".h", ".cpp", ".c")
MOST_FILES = 40  # in a larger folder files are hard to find
PREFETCH, PREFETCH_HOME = "__builtin_prefetch", "core/prefetch.h"  # which explains why


def read(*parts):
    with open(os.path.join(*parts), encoding="utf-8") as file:
        return file.read()


class Layer:
    """A folder, what its files may include, and what only its tests may include besides."""

    def __init__(self, uses, tests_use):
        self.uses, self.tests_use = uses, tests_use


def layers_of(source):
    """{folder: Layer}, lowest first; apps may use them all, and its folders apps."""
    text = re.sub(r"#.*", "", read(source, "CMakeLists.txt"))
    lists = {name: words.split() for name, words in re.findall(r"^set\((\w+)\s+([^)]*)\)", text, re.M)}
    layers = {}
    for folder, rest in re.findall(r"^sojourn_layer\(([\w/]+)\s*([^)]*)\)", text, re.M):
        rest = re.sub(r"\$\{(\w+)\}", lambda found: " ".join(lists.get(found.group(1), [])), rest)
        words = {"USES": [], "TESTS_USE": [], "LIBRARIES": []}
        for word in rest.split():
            if word in words:
                current = words[word]
            else:
                current.append(word)
        layers[folder] = Layer(words["USES"], words["TESTS_USE"])
    layers["apps"] = Layer(list(layers), [])
    for name in sorted(os.listdir(os.path.join(source, "apps"))) if os.path.isdir(os.path.join(source, "apps")) else []:
        if os.path.isdir(os.path.join(source, "apps", name)):
            layers[f"apps/{name}"] = Layer(list(layers), [])
    return layers


def is_test(name):
    return name.endswith("_test.cpp") or name.startswith("test_")


def includes_of(path):
    """(line number, included file) of each #include "..." line"""
    for number, line in enumerate(read(path).splitlines(), 1):
        found = re.match(r'\s*#\s*include\s*"([^"]+)"', line)
        if found:
            yield number, found.group(1)


def examine(source, layers):
    """(faults, {folder: folders that it includes})"""
    faults, used, used_by_tests = [], {folder: set() for folder in layers}, {folder: set() for folder in layers}
    order = list(layers)
    for folder, layer in layers.items():
        for other in layer.uses + layer.tests_use:
            if other not in layers:
                faults.append(f"CMakeLists.txt: {folder} uses {other}, which is no layer")
            elif other in layer.uses and order.index(other) >= order.index(folder):
                faults.append(f"CMakeLists.txt: {folder} uses {other}, which comes after it")
        if not os.path.isdir(os.path.join(source, folder)):
            faults.append(f"CMakeLists.txt: there is no folder {folder}")
            continue
        names = sorted(os.listdir(os.path.join(source, folder)))
        for name in names:
            if not name.endswith(SOURCES):
                continue
            if PREFETCH in read(source, folder, name) and f"{folder}/{name}" != PREFETCH_HOME:
                faults.append(f"{folder}/{name}: {PREFETCH} may be dropped by the compiler; take {PREFETCH_HOME}")
            allowed = layer.uses + (layer.tests_use if is_test(name) else [])
            for number, included in includes_of(os.path.join(source, folder, name)):
                place, target = f"{folder}/{name}:{number}", os.path.dirname(included)
                if not target:
                    faults.append(f'{place}: write the folder too: "{folder}/{included}"')
                elif target != folder and target not in allowed:
                    faults.append(f"{place}: {folder} may not include {included}; it may use "
                                  f"{' '.join(allowed) or 'nothing'}")
                elif not os.path.exists(os.path.join(source, included)):
                    faults.append(f"{place}: there is no {included}")
                elif target != folder:
                    (used_by_tests if is_test(name) else used)[folder].add(target)
    if not faults:  # a permission that nobody needs would hide a new arrow
        faults += [f"CMakeLists.txt: {folder} {word} {other}, which it does not include"
                   for folder, layer in layers.items() if folder.split("/")[0] != "apps"
                   for word, others, needed in (("USES", layer.uses, used[folder]),
                                                ("TESTS_USE", layer.tests_use, used_by_tests[folder] - used[folder]))
                   for other in others if other not in needed]
    return faults, used


def files_of(source):
    """What git tracks or would take in; of a tree without git, all that was not made there."""
    if os.path.exists(os.path.join(source, ".git")):
        listed = subprocess.run(["git", "-C", source, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                                capture_output=True, text=True, check=False)
        if listed.returncode == 0:
            return {path for path in listed.stdout.split("\0") if os.path.isfile(os.path.join(source, path))}
    found = []
    for folder, folders, names in os.walk(source):
        folders[:] = [name for name in folders if name not in ("build", "node_modules", "__pycache__") and name[0] != "."]
        found += [os.path.relpath(os.path.join(folder, name), source) for name in names]
    return found


def crowded(source):
    """A fault for each folder with too many files, whether it is a layer or not."""
    counts = collections.Counter(os.path.dirname(path) for path in files_of(source))
    return [f"{folder or '.'}: {count} files, more than {MOST_FILES}; look for a sub-system inside"
            for folder, count in sorted(counts.items())
            if count > MOST_FILES]


def height(folder, layers):
    order = list(layers)
    below = [other for other in layers[folder].uses if other in order[:order.index(folder)]]
    return 1 + max((height(other, layers) for other in below), default=-1)


def section(layers, used, holds):
    """The drawing and the table, as ARCHITECTURE.md shows them."""
    heights = {folder: height(folder, layers) for folder in layers}
    lines = ["", "```text"]
    for level in range(max(heights.values()), -1, -1):
        row = [folder for folder in layers if heights[folder] == level]
        lines.append(f"  {level:2}   " + "   ".join(row))
    lines += ["```", "", "| folder | holds | may include |", "|---|---|---|"]
    for folder in layers:
        today = [other for other in layers if other in used[folder]]
        lines.append(f"| `{folder}/` | {holds.get(folder, '?')} | {' '.join(today) or '-'} |")
    return "\n".join(lines) + "\n\n"


def split_page(page):
    """(before, section, after); the words of the column `holds` are kept from the page."""
    before, _, rest = page.partition(BEGIN)
    inside, _, after = rest.partition(END)
    holds = dict(re.findall(r"^\| `([\w/]+)/` \| ([^|]*?) \|", inside, re.M))
    return before, inside, after, holds


def check(source, write):
    layers = layers_of(source)
    faults, used = examine(source, layers)
    faults += crowded(source)
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
    good = {"CMakeLists.txt": "set(low core)\nsojourn_layer(core LIBRARIES fmt)\n"
                              "sojourn_layer(wire/headers USES ${low} LIBRARIES z)\n"
                              "sojourn_layer(wire USES wire/headers TESTS_USE lab)\nsojourn_layer(lab USES core)\n",
            "core/time.h": "#pragma once\n", "wire/headers/tcp.h": '#include "core/time.h"\n#include <vector>\n',
            "wire/walk.h": '#include "wire/headers/tcp.h"\n', "lab/queue.h": '#include "core/time.h"\n',
            "wire/walk_test.cpp": '#include "lab/queue.h"\n',
            "apps/main.cpp": '#include "wire/headers/tcp.h"\n',
            "ARCHITECTURE.md": f"{BEGIN}\n" + "".join(
                f"| `{folder}/` | a | |\n" for folder in ("core", "wire/headers", "wire", "lab", "apps")) + f"{END}\n"}
    wrong = {"upwards": {"core/time.h": '#include "wire/headers/tcp.h"\n'},
             "from a sub-folder to its parent": {"wire/headers/tcp.h": '#include "wire/walk.h"\n'},
             "outside": {"wire/headers/tcp.h": '#include "apps/main.h"\n'},
             "what only tests may use": {"wire/walk.h": '#include "lab/queue.h"\n'},
             "no folder": {"wire/headers/udp.h": '#include "tcp.h"\n'},
             "missing file": {"wire/headers/tcp.h": '#include "core/tiem.h"\n'},
             "upwards in CMake": {"CMakeLists.txt": good["CMakeLists.txt"].replace("(core ", "(core USES wire ")},
             "a permission without need": {"CMakeLists.txt": good["CMakeLists.txt"].replace("TESTS_USE lab", "core TESTS_USE lab")},
             "one for tests": {"CMakeLists.txt": good["CMakeLists.txt"].replace("TESTS_USE lab", "TESTS_USE lab core")},
             "no such layer": {"CMakeLists.txt": good["CMakeLists.txt"].replace("${low}", "${low} bore")},
             "a new arrow": {"core/packet.h": "", "apps/main.cpp": '#include "core/packet.h"\n'},
             "a prefetch that may be dropped": {"wire/walk.h": '#include "wire/headers/tcp.h"\n__builtin_prefetch(this);'},
             "a crowd": {f"core/file{number}.h": "" for number in range(41)},
             "a crowd outside the layers": {f"tests/live/file{number}.sh": "" for number in range(41)},
             "a crowd of data": {f"tests/fuzz/corpus/wire/file{number}": "" for number in range(41)},
             "a new folder": {"CMakeLists.txt": good["CMakeLists.txt"] + "sojourn_layer(export USES core)\n",
                              "export/json.h": '#include "core/time.h"\n'}}
    right = {"nothing": {},
             "what is just not too much": {f"tests/live/file{number}.sh": "" for number in range(40)}}
    failures = []
    for name, change in {**right, **wrong}.items():
        with tempfile.TemporaryDirectory() as source:
            for files, write in ((good, True), ({**good, **change}, False)):
                for path, text in files.items():
                    if write or path != "ARCHITECTURE.md":
                        os.makedirs(os.path.dirname(os.path.join(source, path)), exist_ok=True)
                        with open(os.path.join(source, path), "w", encoding="utf-8") as file:
                            file.write(text)
                faults = check(source, write)
            if bool(faults) != (name in wrong):
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
