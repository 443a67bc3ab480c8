"""Do the completions offer the names that the program accepts?  check.py runs this.

When the program refuses a name, it lists those that there are.
"""

import re

from program import difference, read


# ---- what each text says ---------------------------------------------------------------------------

def names_of_refusal(text):
    """What a message says that it would accept: "choose from a, b", "not in {a,b}", "neither a nor b", ...

    Phrases and placeholders, such as "a length from 1 to 32" and "prefix/N", are no names.
    """
    for start in ("choose from ", "not in {", "expected ", "what does is ", "there are ", " neither ", " is not "):
        if start in text:
            rest = text.partition(start)[2].partition(" (see ")[0].replace("the commands ", "")
            if start.endswith("{"):
                rest = rest.partition("}")[0].replace(",", ", ")
            parts = re.split(r",? (?:and|or|nor) |, ", rest)
            return {part for part in parts if re.fullmatch(r"[a-z0-9][a-z0-9-]*", part)}
    return set()


def names_among(values):
    """Words, as against numbers, sizes and times."""
    return {value for value in values if re.fullmatch(r"[a-z][a-z0-9-]*", value)}


def function_of(text, name):
    found = re.search(rf"^{name}\(\) \{{\n(.*?)^\}}", text, re.M | re.S)
    return found[1] if found else ""


def words_of_bash(text, quoted):
    """The words of a quoted text, with its variables filled in."""
    variables = {name: value for name, _, value in re.findall(r"""^(\w+)=(['"])([^'"]*)\2$""", text, re.M)}
    while found := re.search(r"\$(\w+)", quoted):
        quoted = quoted.replace(found[0], variables.get(found[1], ""))
    return set(quoted.split())


def values_of_bash(text, command):
    """The fixed values of each option, by option; "" is what stands without one."""
    offers = r"""(?:compgen -W|_sojourn_list "\$current") (['"])(.*?)\1"""
    values = {}
    for labels, action in re.findall(r"^    (-[^)]*|\*)\)\s(.*?);;$", function_of(text, f"_sojourn_{command}"), re.M | re.S):
        for _, quoted in re.findall(offers, action):
            words = words_of_bash(text, quoted)
            if not any(word.startswith("-") for word in words):
                values.update({label: words for label in re.split(r"[\s|\\]+", labels.replace("*", ""))})
    return values


def values_of_zsh(text, command):
    kinds = set(re.findall(r"^    '([a-z-]+)\[", function_of(text, "_sojourn_kinds"), re.M))
    values = {}
    for line in function_of(text, f"_sojourn_{command}").splitlines():
        option = re.match(r"\s+'(?:\*?(--[a-z0-9-]+)=|1:)", line)
        action = re.split(r"(?<!\\):", line.rstrip(" \\'"))[-1].replace("\\:", ":")
        if option and action.startswith("("):
            values[option[1] or ""] = set(action.strip("()").split())
        elif option and action == "_sojourn_kinds":
            values[option[1]] = kinds
    return values


def values_of_fish(text, command):
    kinds = re.search(r"for kind in (.*)$", text, re.M)
    values = {}
    for line in re.findall(rf"^complete -c sojourn -n '__fish_seen_subcommand_from {command}[;'].*$", text, re.M):
        option = re.search(r" -l ([a-z0-9-]+)", line)
        offered = re.search(r" -a (?:'([^']*)'|(\S+))", line)
        if not offered:
            continue
        words = offered[1] or offered[2]
        if words.startswith("(__sojourn_kinds") and kinds:
            words = kinds[1].replace("$argv", words.strip("()").partition(" ")[2])
        if not words.startswith("("):
            values["--" + option[1] if option else ""] = set(words.split())
    return values


# ---- the comparison --------------------------------------------------------------------------------

# Where an option, or without one an argument, takes a name: what leads to it, what is accepted as well, and
# what else may be offered.  A run in a folder that does not exist ends before it writes anything.
CAPTURE = "missing/a.pcap"
PREFIXES = r"prefix/\d+(/\d+)?"
MARKS = [("--carrier", set(), r"dscp:\d,\d")]
POINT_MARKS = [(option, set(), "") for option in ("--mark", "--observe", "--restore")]
CHOICES = {
    "rtt": ([CAPTURE], [("--kind", {"all", "usual"}, ""), ("--by", {"prefix/24"}, PREFIXES), ("--entry-probability", set(), ""),
                        *((option, set(), "") for option in ("--table", "--engine", "--hook", "--kernel-output", "--color", "--sort"))]),
    "oneway": ([CAPTURE, "missing/b.pcap"],
               [("--by", {"prefix/24"}, PREFIXES), *((option, set(), "") for option in ("--method", "--label", "--marking", "--color")),
                *MARKS]),
    "mark": ([CAPTURE, "missing/b.pcap"], [("--method", set(), ""), *MARKS]),
    "point": ([], [("--kind", {"all", "usual", "none"}, ""), ("--prefix", set(), r"\d+"), *POINT_MARKS, *MARKS,
                   *((option, set(), "") for option in ("--engine", "--transport", "--at", "--reference"))]),
    "watch": ([], [("--kind", {"all", "usual"}, ""), ("--prefix", set(), r"\d+")]),
    "query": (["missing/store.db"], [("--by", {"prefix/24"}, PREFIXES)]),
    "lab": (["compare", CAPTURE], [("--kind", set(), ""), ("", set(), "")]),
    "generate": (["missing/c.pcap"], [("--model", set(), ""), ("--path", set(), "")]),
}
# Groupings that are known, but not of delays between two points.
NOT_OF_TWO_POINTS = re.compile(r"sojourn: --by ")


def names_accepted(program, command, option, arguments):
    """As the program lists them when it refuses a name that does not exist."""
    if not option:
        return names_of_refusal(program.refusal(command, "no-such-name"))
    names = names_of_refusal(program.refusal(command, *arguments, option, "no-such-name"))
    if (command, option) == ("oneway", "--by"):
        names = {name for name in names
                 if not NOT_OF_TWO_POINTS.match(program.refusal(command, *arguments, option, name))}
    return names


def check(program):
    trouble = []
    shells = (("completions/sojourn.bash", values_of_bash), ("completions/_sojourn", values_of_zsh),
              ("completions/sojourn.fish", values_of_fish))
    for command, (arguments, choices) in CHOICES.items():
        for path, values_of in shells:
            trouble += [f"{path} offers names for 'sojourn {command} {option}', which CHOICES lacks: {' '.join(sorted(values))}"
                        for option, values in sorted(values_of(read(path), command).items())
                        if option not in {choice[0] for choice in choices} and names_among(values)]
        for option, more, others in choices:
            names = names_accepted(program, command, option, arguments)
            if not names:
                trouble.append(f"'sojourn {command} {option}' lists no names when it refuses one: the test cannot read it")
            what = f"values of 'sojourn {command} {option}':"
            refused = {value for value in more
                       if program.refusal(command, *arguments, option, value).startswith(f"sojourn: {option}: ")}
            trouble += [f"CHOICES says that {what} {value}, which is refused" for value in sorted(refused)]
            for path, values_of in shells:
                offered = values_of(read(path), command).get(option, set())
                offered = {value for value in offered if value in more or not re.fullmatch(others or "-", value)}
                trouble += difference(what, names | more, path, offered)
    return trouble


def self_test():
    """Takes one value away from each text; each time the difference has to show."""
    refusals = {
        "sojourn: --table: 'x' is not a table; choose from exact, lda (see sojourn rtt --help)": {"exact", "lda"},
        "sojourn: --hook: x not in {tc,xdp} (see sojourn rtt --help)": {"tc", "xdp"},
        "sojourn: --by: cannot group by 'x': expected flow, prefix/N or dns-name, or several with commas between": {"flow", "dns-name"},
        "sojourn: --prefix: 'x' is neither a length from 1 to 32 nor host, port or flow": {"host", "port", "flow"},
        "sojourn: --at: 'x' is neither ingress nor egress": {"ingress", "egress"},
        "sojourn: --reference: 'x' is not 1-in-300, 'every 780us', both or adaptive": {"1-in-300", "both", "adaptive"},
        "sojourn: EXPERIMENT: 'x' is not an experiment; there are all, l1, and the commands compare and tune": {"all", "l1", "compare", "tune"},
        "sojourn: --carrier: 'x' carries no mark; what does is dscp, dscp:BIT,BIT, flow-label": {"dscp", "flow-label"},
    }
    trouble = [f"read {sorted(names_of_refusal(text))} from: {text}" for text, names in refusals.items()
               if names_of_refusal(text) != names]
    expected = {"--kind": {"all", "tcp", "none"}, "--engine": {"kernel", "dscp:1,0"}, "--color": {"kernel", "dscp:1,0"}, "": {"l1", "scale"}}
    texts = {
        "bash": ("_sojourn_kinds='all tcp'\n_sojourn_both=\"kernel\n  dscp:1,0\"\n_sojourn_lab() {\n  case $previous in\n"
                 "    --kind) _sojourn_list \"$current\" \"$_sojourn_kinds none\" ;;\n"
                 "    --engine | \\\n      --color)\n      mapfile -t COMPREPLY < <(compgen -W \"$_sojourn_both\" -- \"$current\")\n      ;;\n"
                 "    --seed | --top) ;;\n    *)\n      if a; then\n        compgen -W \"--help\" -- \"$current\"\n      else\n"
                 "        compgen -W 'l1 scale' -- \"$current\"\n      fi\n      ;;\n  esac\n}\n", values_of_bash),
        "zsh": ("_sojourn_kinds() {\n  _values -s , 'kind' \\\n    'all[a\\: b]' \\\n    'tcp[c]' \\\n    'none[d]'\n}\n"
                "_sojourn_lab() {\n  _arguments \\\n    '--kind=[x]:kinds:_sojourn_kinds' \\\n    '*--engine=[x: y]:n:(kernel dscp\\:1,0)' \\\n"
                "    '--color=[x]:n:(kernel dscp\\:1,0)' \\\n    '--seed=[y]:number:' \\\n    '1:experiment:(l1 scale)'\n}\n", values_of_zsh),
        "fish": ("    for kind in all tcp $argv\ncomplete -c sojourn -n '__fish_seen_subcommand_from lab; and not x' -a 'l1 scale'\n"
                 + "".join(f"complete -c sojourn -n '__fish_seen_subcommand_from lab' -l {line}\n" for line in (
                     "kind -x -a '(__sojourn_kinds none)' -d 'x'", "engine -x -a 'kernel dscp:1,0' -d 'x'",
                     "color -x -a 'kernel dscp:1,0' -d 'x'", "seed -x -d 'x'", "html -x -a '(__sojourn_captures)'")), values_of_fish),
    }
    for name, (text, values_of) in texts.items():
        if values_of(text, "lab") != expected:
            trouble.append(f"{name}: read the values {values_of(text, 'lab')}")
        for gone in ("tcp", "none", "kernel", "scale"):
            if values_of(text.replace(gone, ""), "lab") == expected:
                trouble.append(f"{name}: that the value {gone} is missing goes unnoticed")
    return trouble
