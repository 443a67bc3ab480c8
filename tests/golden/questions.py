#!/usr/bin/env python3
"""Does docs/questions.md show what the program prints?

    questions.py --sojourn PROGRAM --source DIR           exit status 1 and a diff per change
    questions.py --sojourn PROGRAM --source DIR --write   renews the page
    questions.py --self-test                              shows that a changed page is noticed

A block that begins with "$ COMMAND" is run in a folder with the files of tests/captures, where `sojourn` is the program; what follows it in the block
must be what it prints.  More than one "$" line in a block are commands of their own, each with its output.
"""
import argparse
import difflib
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join("docs", "questions.md")
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)


def renewed(page, run):
    """The page with each command's output as `run(command)` has it."""
    def block(found):
        commands = [line for line in found[1].splitlines() if line.startswith("$ ")]
        return "```console\n" + "".join(f"{line}\n{run(line[2:])}" for line in commands) + "```"
    return BLOCK.sub(block, page)


def runner(sojourn, captures):
    folder = tempfile.TemporaryDirectory(prefix="questions-", dir="/tmp")
    os.mkdir(os.path.join(folder.name, "bin"))
    os.symlink(os.path.abspath(sojourn), os.path.join(folder.name, "bin", "sojourn"))
    for name in os.listdir(captures):
        os.symlink(os.path.join(captures, name), os.path.join(folder.name, name))
    environment = {**os.environ, "TZ": "UTC", "LC_ALL": "C.UTF-8", "COLUMNS": "80", "PATH": folder.name + "/bin:" + os.environ["PATH"]}

    def run(command):
        done = subprocess.run(["/bin/sh", "-c", command], cwd=folder.name, env=environment, capture_output=True, timeout=60)
        text = (done.stdout + done.stderr).decode()
        return text if text.endswith("\n") or not text else text + "\n"
    return run


def self_test():
    page = "# a\n```console\n$ x\nold\n$ y\n```\n```text\n$ z\n```\n"
    new = renewed(page, lambda command: f"printed by {command}\n")
    right = new == "# a\n```console\n$ x\nprinted by x\n$ y\nprinted by y\n```\n```text\n$ z\n```\n" and renewed(new, lambda c: f"printed by {c}\n") == new
    print("a changed page is noticed" if right else f"not noticed: {new}")
    return 0 if right else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sojourn")
    parser.add_argument("--source", default=os.path.join(HERE, "..", ".."))
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()
    path = os.path.join(arguments.source, PAGE)
    with open(path, encoding="utf-8") as file:
        page = file.read()
    count = len(re.findall(r"^\$ ", page, re.M))
    new = renewed(page, runner(arguments.sojourn, os.path.join(os.path.realpath(arguments.source), "tests", "captures")))
    if arguments.write:
        with open(path, "w", encoding="utf-8") as file:
            file.write(new)
        return 0
    sys.stdout.writelines(difflib.unified_diff(page.splitlines(True), new.splitlines(True), PAGE, "printed now"))
    print(f"{count} commands, {'something changed: renew the page with --write' if new != page else 'none changed'}")
    return 1 if new != page or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
