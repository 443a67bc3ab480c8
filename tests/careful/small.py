"""Manners: pipes that close, locales, colours, full devices, numbers that others can read."""
import json
import os
import re
import subprocess

from tool import Terminal, one_line


def head_ends_it_quietly(place):
    """As other tools: no line on standard error, and ended by SIGPIPE."""
    done = place.shell("generate --model tcp --packets 60000 large.pcap --truth large.csv", timeout=120)
    if done.returncode:
        return done.stderr.decode()
    for command in ("rtt large.pcap --samples -", "rtt large.pcap --by flow --top 100000",
                    "rtt large.pcap --samples - --plot p.svg", "mark large.pcap -",
                    "generate --model tcp --packets 60000 - --truth /dev/null", "oneway large.pcap --write-records -"):
        done = place.shell(f"{{s}} {command} | head -c 1000 > /dev/null; echo ${{PIPESTATUS[0]}}", timeout=120)
        if done.stderr or done.stdout.strip() != b"141":
            return f"{command}: status {done.stdout!r}, {done.stderr[:200]!r}"
    return None if "p.svg" in place.names() else "the plot is lost with the pipe"


def full_devices_are_noticed(place):
    place.capture("x.pcap")
    for command in ("--help", "--version", "rtt --help", "rtt x.pcap", "rtt x.pcap --json", "rtt x.pcap --samples -",
                    "rtt x.pcap --plot -", "oneway x.pcap --write-records -", "mark x.pcap -", "mark x.pcap m.pcap", "lab",
                    "lab compare x.pcap --seeds 1 --memory 4KiB", "lab compare x.pcap --seeds 1 --memory 4KiB --json",
                    "lab tune x.pcap --seeds 1", "generate --model tcp --packets 100 - --truth /dev/null",
                    "generate --model tcp --packets 100 g.pcap"):
        fault = one_line(place.shell(f"{command} > /dev/full"), 1, "No space left")
        if fault:
            return f"sojourn {command} > /dev/full: {fault}"
    return None


def a_closed_standard_error_is_no_reason_to_die(place):
    done = place.shell("rtt missing.pcap 2>&-")
    return None if done.returncode == 1 else f"exit status {done.returncode}"


def the_c_locale_gets_ascii(place):
    place.capture("x.pcap")
    for environment in ({"LC_ALL": "C"}, {"LC_ALL": "POSIX"}, {"LC_ALL": "", "LC_CTYPE": "", "LANG": ""},
                        {"LC_ALL": "de_DE.ISO-8859-1"}, {"LC_ALL": "C", "LANG": "en_US.UTF-8"}):
        for command in ("rtt x.pcap --by host --sla 'tcp p95 < 1ms'", "lab"):
            done = place.shell(command, **environment)
            if done.stdout and not done.stdout.isascii():
                return f"{environment} {command}: {[line for line in done.stdout.splitlines() if not line.isascii()][:2]}"
    for environment in ({"LC_ALL": "C.UTF-8"}, {"LC_ALL": "", "LC_CTYPE": "", "LANG": "en_US.utf8"}):
        if place.shell("rtt x.pcap", **environment).stdout.isascii():
            return f"{environment}: ASCII"
    return None


def colours_only_where_they_are_wanted(place):
    place.capture("x.pcap")
    def shown(*arguments, **environment):
        terminal = Terminal([place.sojourn, "rtt", "x.pcap", *arguments], folder=place.folder, **environment)
        terminal.watch(20)
        terminal.end()
        return b"\x1b[1m" in terminal.shown
    for expected, arguments, environment in (
            (True, (), {}), (False, (), {"TERM": "dumb"}), (False, (), {"NO_COLOR": "1"}), (False, ("--color", "auto"), {"NO_COLOR": "1"}),
            (False, ("--color", "auto"), {"TERM": "dumb"}), (True, ("--color", "always"), {"TERM": "dumb"}),
            (False, ("--color", "never"), {})):
        if shown(*arguments, **environment) != expected:
            return f"{arguments} {environment}: {'no ' if expected else ''}colours"
    return None


def standard_output_has_one_owner(place):
    place.capture("x.pcap")
    place.capture("y.pcap")
    for command in ("rtt x.pcap --plot - --json", "rtt x.pcap --plot - --samples -", "oneway x.pcap y.pcap --plot - --json",
                    "lab compare x.pcap --plot - --json"):
        fault = one_line(place.shell(command), 2, "standard output")
        if fault:
            return f"{command}: {fault}"
    plot = place.shell("rtt x.pcap --plot -").stdout
    return None if plot.startswith(b"<svg") and plot.rstrip().endswith(b"</svg>") else "--plot - prints more than the picture"


def counts_have_one_parser(place):
    place.capture("x.pcap")
    place.capture("y.pcap")
    counts = ("rtt x.pcap --by host --top", "rtt x.pcap --by host --max-groups", "oneway x.pcap y.pcap --top",
              "rtt x.pcap --seed", "rtt x.pcap --threads", "rtt x.pcap --stages", "oneway x.pcap y.pcap --max-flows",
              "lab compare x.pcap --seeds", "generate x --points", "generate x --points 2 --references",
              "point -i lo --observe-references --top", "oneway x.pcap y.pcap --link-overhead")
    for count in counts:
        for number in ("-1", "1.5", "many", "1e30", "18446744073709551616", "''"):
            done = place.shell(f"{count} {number}")
            fault = one_line(done, 2, f"{number.strip(chr(39))}' is not a whole number from ")
            if fault or len(done.stderr) > 120:
                return f"{count} {number}: {fault or done.stderr}"
    for command in ("rtt x.pcap --by host --top 0", "rtt x.pcap --by host --max-groups 0", "oneway x.pcap y.pcap --top 0"):
        if fault := one_line(place.shell(command), 2, "0' is not a whole number from 1 "):
            return f"{command}: {fault}"
    for command in ("rtt x.pcap --by host --top 1e3", "oneway x.pcap y.pcap --top 1e3", "rtt x.pcap --seed 1e6",
                    "rtt x.pcap --by host --max-groups 1e3"):
        done = place.shell(command)
        if done.returncode != 0 or done.stderr:
            return f"{command}: {done.returncode} {done.stderr}"
    return None


def hosts_have_one_parser(place):
    """Whoever connects needs a host and a port above 0; brackets, lengths and what follows are alike everywhere."""
    place.capture("x.pcap")
    for host in ("north:", "north:65536", "north:0", "north:80x", "[::1", "[::1]80", "[north]:80", ":80", "1::2::3", "a b"):
        for command in (f"point x.pcap --name a --to '{host}'", f"query 'clickhouse://{host}/a'",
                        f"watch -i lo --alarm 'each tcp usual' --webhook 'http://{host}/'"):
            done = place.shell(command)
            fault = one_line(done, 1 if command.startswith("query") else 2, f"'{host}': ")
            if fault:
                return f"{command}: {fault}"
    return None


def seeds_survive_a_reader_of_doubles(place):
    """JavaScript and jq read numbers as doubles; --seed with what they read gives the same run."""
    place.capture("x.pcap")
    seeds = [json.loads(place.shell("rtt x.pcap --json").stdout)["table"]["seed"] for _ in range(12)]
    if any(int(float(seed)) != seed or seed >= 2**53 for seed in seeds) or len(set(seeds)) < 12:
        return f"seeds {seeds}"
    for command in ("rtt x.pcap", "oneway x.pcap y.pcap", "mark x.pcap m.pcap", "generate --model tcp g.pcap", "lab l1",
                    "lab compare x.pcap"):
        fault = one_line(place.shell(f"{command} --seed 9007199254740992"), 2, "9007199254740991")
        if fault:
            return f"{command}: {fault}"
    return None


def zstd_long_is_read(place):
    """What `zstd --long=31` packs asks for a window of 2 GiB; here the descriptor (RFC 8878, 3.1.1.1.2) says so."""
    web = place.read_capture("web.pcap")
    packed = bytearray(subprocess.run(["zstd", "-q", "-c"], input=web, capture_output=True, check=True).stdout)
    if packed[4] & 0x20 or packed[4] & 0xc0:
        return "zstd wrote another header than this test knows"
    packed[5] = 21 << 3  # 2^(10 + 21)
    place.write("long.pcap.zst", bytes(packed))
    place.capture("x.pcap")
    long, plain = (place.shell(f"rtt {name} --samples - --seed 1") for name in ("long.pcap.zst", "x.pcap"))
    if long.returncode or long.stdout != plain.stdout:
        return f"exit status {long.returncode}, {long.stderr!r}"
    return one_line(place.shell_with_little_memory("ulimit -v 1000000; {s} rtt long.pcap.zst"), 1, "2 GiB")


def the_manual_names_every_command(place):
    """sojourn(1): in its synopsis and in its list."""
    manual = open(os.path.join(place.captures, "..", "..", "docs", "man", "sojourn.1"), encoding="utf-8").read()
    commands = re.findall(r"^  ([a-z]+) ", place.shell("--help").stdout.decode().partition("Subcommands:\n")[2].partition("\n\n")[0], re.M)
    synopsis = manual.partition(".Sh SYNOPSIS")[2].partition(".Sh ")[0]
    missing = [command for command in commands if f".Cm {command}\n" not in synopsis]
    return f"the synopsis lacks {missing}" if missing or len(commands) < 5 else None


CHECKS = [head_ends_it_quietly, full_devices_are_noticed, a_closed_standard_error_is_no_reason_to_die,
          the_c_locale_gets_ascii, colours_only_where_they_are_wanted, standard_output_has_one_owner, counts_have_one_parser,
          hosts_have_one_parser, seeds_survive_a_reader_of_doubles, zstd_long_is_read, the_manual_names_every_command]
