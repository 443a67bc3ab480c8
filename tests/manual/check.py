#!/usr/bin/env python3
"""Do the manual pages, the completions and the README say what the program does?

    check.py --sojourn build/release/sojourn            compare
    check.py --sojourn build/release/sojourn --write    renew README.md's example and its plot
    check.py --self-test                                would the comparison notice?
    check.py --tool bash|zsh|fish|mandoc               does this program read the files that are written for it?

`--help` is what the others are held to: every option that it prints has to be in the manual page
and in each completion, and what these know has to be in --help.  The same for kinds, JSON keys and
the header of the CSV.  Where an option takes a name, the completions have to offer the names that
the program lists when it refuses another.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import choices
from program import ROOT, Program, difference, read

DEMO = "tests/captures/demo.pcapng"
PLOT = "docs/images/demo.svg"
EXAMPLE = re.compile(r"(<!-- demo -->\n```text\n)(.*?)(```\n<!-- /demo -->)", re.S)
ELAPSED = re.compile(r"^Read in .*$", re.M)


# ---- what each text says: functions of the text alone, so that the self-test can bend it --------

def options_of_help(text):
    """Long options at the start of a line of the list; descriptions are further right."""
    return set(re.findall(r"^(?:  ){1,2}(?:-\w,)?(--[a-z][a-z0-9-]*)", text, re.M))


def subcommands_of_help(text):
    part = text.partition("\nSubcommands:\n")[2].partition("\n\n")[0]
    return set(re.findall(r"^  ([a-z][\w-]*)", part, re.M))


def options_of_manual(text):
    return {"-" + option for line in re.findall(r"^\.It (Fl .*)$", text, re.M)
            for option in re.findall(r"Fl (-[a-z][a-z0-9-]*)", line)}


def options_of_bash(text, command):
    name = f"_sojourn_{command}_options" if command else "_sojourn_options"
    found = re.search(rf"^{name}='([^']*)'", text, re.M)
    return set(found[1].split()) if found else set()


def options_of_zsh(text, command):
    name = f"_sojourn_{command}" if command else "_sojourn"
    found = re.search(rf"^{name}\(\) \{{\n(.*?)^\}}", text, re.M | re.S)
    if not found:
        return set()
    specs = re.findall(r"^\s+'(?:\([^)]*\))?'?(\{[^}]*\}|\*?--[a-z0-9-]+)", found[1], re.M)
    return {option for spec in specs for option in re.findall(r"--[a-z][a-z0-9-]*", spec)}


def options_of_fish(text, command):
    guard = f"'__fish_seen_subcommand_from {command}'" if command else "__fish_use_subcommand"
    lines = [line for line in text.splitlines() if line.startswith(f"complete -c sojourn -n {guard} ")]
    return {"--" + option for line in lines for option in re.findall(r" -l ([a-z][a-z0-9-]*)", line)}


def keys_of_json(value, names):
    """Names of all keys, but for those that are data: reasons, kinds and legs."""
    if isinstance(value, list):
        return set().union(*(keys_of_json(item, names) for item in value))
    if not isinstance(value, dict):
        return set()
    keys = set(value) - names
    for key, inner in value.items():
        if key != "skipped":
            keys |= keys_of_json(inner, names)
    return keys


def keys_of_manual(text):
    section = text.partition(".Sh JSON\n")[2].partition("\n.Sh ")[0]
    lines = re.findall(r"^\.(?:It )?Va (.*)$", section, re.M)
    return {word for line in lines for word in line.split() if word not in {",", ".", ";"}}


def keys_of_design(text):
    """First column of each table of docs/design/json.md."""
    rows = re.findall(r"^\| (`.*?) \|", text, re.M)
    return {key for row in rows for key in re.findall(r"`([a-z][a-z0-9_]*)`", row)}


# ---- the comparison ------------------------------------------------------------------------------

def check_options(program):
    trouble = []
    top = program.run("--help")
    commands = subcommands_of_help(top)
    if not commands:
        trouble.append("--help names no subcommand: the test cannot read it")
    for command in [None, *sorted(commands)]:
        shown = program.run(command, "--help") if command else top
        options = options_of_help(shown)
        for nested in sorted(subcommands_of_help(shown)) if command else ():
            options |= options_of_help(program.run(command, nested, "--help"))
        title = f"of 'sojourn {command}'" if command else "of 'sojourn'"
        manual = f"docs/man/sojourn-{command}.1" if command else "docs/man/sojourn.1"
        if len(options) < 2:
            trouble.append(f"--help {title} names no options: the test cannot read it")
        if not (ROOT / manual).exists():
            trouble.append(f"{manual} is missing")
        else:
            trouble += difference(f"options {title}:", options, manual, options_of_manual(read(manual)))
        for path, options_of in (("completions/sojourn.bash", options_of_bash),
                                 ("completions/_sojourn", options_of_zsh),
                                 ("completions/sojourn.fish", options_of_fish)):
            trouble += difference(f"options {title}:", options, path, options_of(read(path), command))
    return trouble


# Only a live run has them, which needs root: tests/live looks at such a report.
LIVE_KEYS = {"engine", "entry_probability", "how", "kernel_bytes", "missed", "missed_what", "process_bytes",
             "program_ns_per_packet", "requests_turned_away", "why"}
INTERVAL_KEYS = {"interval", "number", "end_ns"}


def check_values(program):
    with tempfile.TemporaryDirectory() as folder:
        usual = str(Path(folder) / "usual.json")
        program.run("rtt", DEMO, "--save-distribution", usual)
        report = json.loads(program.run("rtt", DEMO, "--kind", "all", "--json", "--by", "port", "--window", "1s", "--heatmap", "--loss", "--split", "2s", "--sla", "dns unanswered < 50%", "--table", "exact",
                                        "--memory", "1GiB",
                                        "--sla", "tcp p95 < 1h", "--sla", "each tcp p95 < 1h", "--expect", usual))
    kinds = set(report["kinds"])
    trouble = []
    for path in ("completions/sojourn.bash", "completions/_sojourn", "completions/sojourn.fish",
                 "docs/man/sojourn-rtt.1", "docs/glossary.md", "docs/design/pairing.md"):
        words = set(re.findall(r"[a-z][a-z0-9-]*", read(path)))
        trouble += [f"{path} lacks the kind {kind}" for kind in sorted(kinds - words)]

    legs = {"server", "client", "external", "internal", "sum", "network", "thinking"}
    keys = keys_of_json(report, kinds | legs)
    for path, keys_of in (("docs/man/sojourn-rtt.1", keys_of_manual), ("docs/design/json.md", keys_of_design)):
        trouble += difference("JSON keys", keys | LIVE_KEYS | INTERVAL_KEYS, path, keys_of(read(path)))

    header = program.run("rtt", DEMO, "--kind", "ntp", "--samples", "-").splitlines()[0]
    if f"\n{header}\n" not in read("docs/man/sojourn-rtt.1"):
        trouble.append(f"docs/man/sojourn-rtt.1 lacks the header of the CSV: {header}")
    return trouble


def demo_output(program):
    with tempfile.TemporaryDirectory() as folder:
        plot = Path(folder) / "demo.svg"
        return program.run("rtt", DEMO, "--plot", str(plot)), plot.read_text(encoding="utf-8")


def check_example(program):
    text, plot = demo_output(program)
    shown = EXAMPLE.search(read("README.md"))
    trouble = []
    if not shown:
        trouble.append("README.md has no <!-- demo --> example")
    elif ELAPSED.sub("", shown[2]) != ELAPSED.sub("", text):
        trouble.append(f"README.md does not show what 'sojourn rtt {DEMO}' prints; renew it with --write")
    if read(PLOT) != plot:
        trouble.append(f"{PLOT} is not what --plot draws; renew it with --write")
    return trouble


def write_example(program):
    text, plot = demo_output(program)
    readme = read("README.md")
    if not EXAMPLE.search(readme):
        sys.exit("check.py: README.md has no <!-- demo --> example")
    (ROOT / "README.md").write_text(EXAMPLE.sub(lambda found: found[1] + text + found[3], readme),
                                     encoding="utf-8")
    (ROOT / PLOT).write_text(plot, encoding="utf-8")


SYNTAX = {"bash": ["completions/sojourn.bash"], "zsh": ["completions/_sojourn"], "fish": ["completions/sojourn.fish"],
          "mandoc": sorted(str(page.relative_to(ROOT)) for page in (ROOT / "docs/man").glob("*.1"))}


def check_syntax(tool):
    """What a tool says about the files that are written for it."""
    command = [tool, "-Tlint", "-Wwarning"] if tool == "mandoc" else [tool, "-n"]
    done = subprocess.run([*command, *SYNTAX[tool]], cwd=ROOT, capture_output=True, encoding="utf-8", timeout=60)
    trouble = [*done.stdout.splitlines(), *done.stderr.splitlines()]
    return trouble or ([f"{tool} ends with status {done.returncode}"] if done.returncode != 0 else [])


# What a user types, where the cursor is, and what has to be offered.
COMPLETIONS = [
    (["sojourn", "r"], {"rtt"}),
    (["sojourn", "rtt", "--kee"], {"--keep-ambiguous"}),
    (["sojourn", "lab", "t"], {"tune"}),
    (["sojourn", "lab", "tune", "tests/captures/de"], {"tests/captures/delayed-ack.pcap", "tests/captures/demo.pcapng"}),
    (["sojourn", "generate", "--model", "f"], {"fridge"}),
    (["sojourn", "rtt", "--kind", "tcp,d"], {"tcp,dns"}),
    (["sojourn", "rtt", "--by", "p"], {"port", "prefix/24", "prefix/24/48"}),
    (["sojourn", "rtt", "--color", "a"], {"auto", "always"}),
    (["sojourn", "rtt", "-i", "lo"], {"lo"}),
    (["sojourn", "rtt", "tests/captures/de"], {"tests/captures/delayed-ack.pcap", "tests/captures/demo.pcapng"}),
]


def bash_offers(words):
    script = ('source completions/sojourn.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); '
              '_sojourn; printf "%s\\n" "${COMPREPLY[@]}"')
    return ["bash", "-c", script, "bash", *words]


def fish_offers(words):
    return ["fish", "-c", f"source completions/sojourn.fish; complete -C '{' '.join(words)}'"]


OFFERS = {"bash": bash_offers, "fish": fish_offers}


def check_completions(shell):
    trouble = []
    for words, expected in COMPLETIONS:
        done = subprocess.run(OFFERS[shell](words), cwd=ROOT, capture_output=True, encoding="utf-8", timeout=60)
        offered = {line.partition("\t")[0] for line in done.stdout.splitlines() if line}
        if offered != expected:
            trouble.append(f"{shell}: after '{' '.join(words)}' offers {sorted(offered)}, not {sorted(expected)}"
                           + done.stderr)
    return trouble


def check_tool(tool):
    return check_syntax(tool) + (check_completions(tool) if tool in OFFERS else [])


def self_test():
    """Takes one option away, or adds one, in each text; each time the difference has to show."""
    options = {"--help", "--kind", "--top"}
    texts = {
        "--help": ("  -h,--help   x\n  --kind TEXT   as --other says\n  --top UINT   y\n", options_of_help),
        "manual": (".It Fl h , Fl -help\n.It Fl -kind Ar kinds\n.It Fl -top Ar n\nSee\n.Fl -other .\n", options_of_manual),
        "bash": ("_sojourn_rtt_options='--help --kind\n  --top'\n", lambda text: options_of_bash(text, "rtt")),
        "zsh": ("_sojourn_rtt() {\n  _arguments \\\n    '(- *)'{-h,--help}'[x]' \\\n    '*--kind=[as --other]:k:_k' \\\n"
                "    '(-i)--top=[y]:n:'\n}\n", lambda text: options_of_zsh(text, "rtt")),
        "fish": ("".join(f"complete -c sojourn -n '__fish_seen_subcommand_from rtt' -l {name} -d 'x'\n"
                         for name in ("help", "kind", "top")), lambda text: options_of_fish(text, "rtt")),
    }
    trouble = []
    for name, (text, options_of) in texts.items():
        if options_of(text) != options:
            trouble.append(f"{name}: read {sorted(options_of(text))}")
        for bent in (text.replace("top", "tip"), text.replace("kind", "kinds")):
            if not difference("options", options, name, options_of(bent)):
                trouble.append(f"{name}: a changed option goes unnoticed")
    trouble += choices.self_test()
    if keys_of_json({"a": [{"b": 1}], "skipped": {"odd": 1}, "tcp": {"c": 2}}, {"tcp"}) != {"a", "b", "c", "skipped"}:
        trouble.append("JSON keys are not all found")
    if keys_of_design("| `a`, `b_ns` | see `c` |\n") != {"a", "b_ns"}:
        trouble.append("keys of the design page are not all found")
    return trouble


def main():
    parser = argparse.ArgumentParser(description="manual, completions and README against the program")
    parser.add_argument("--sojourn", default=str(ROOT / "build/release/sojourn"))
    parser.add_argument("--write", action="store_true", help="renew the example in README.md and its plot")
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("--tool", choices=SYNTAX, help="the files for this shell, or the manual pages, as it reads them")
    arguments = parser.parse_args()
    if arguments.tool and not shutil.which(arguments.tool):
        print(f"skipped: {arguments.tool} is not installed (tools/setup test)")
        return 77
    if arguments.tool:
        trouble = check_tool(arguments.tool)
    elif arguments.self_test:
        trouble = self_test()
    else:
        program = Program(arguments.sojourn)
        if arguments.write:
            write_example(program)
        trouble = check_options(program) + choices.check(program) + check_values(program) + check_example(program)
    for line in trouble:
        print(line)
    return 1 if trouble else 0


if __name__ == "__main__":
    sys.exit(main())
