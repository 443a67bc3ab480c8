#!/usr/bin/env python3
"""What the command line promises: exit status, one clear line on stderr, and nothing lost.

    run.py --sojourn PROGRAM --source DIR --build DIR

CASES is the table; each row is a command, the exit status, and words that stderr (if the status is
not 0) or stdout must hold.  {captures} is tests/captures, {build} a scratch folder with the files
that `make_files` writes.
"""
import argparse
import gzip
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import time

OK, ERROR, USAGE, SLA = 0, 1, 2, 3

CASES = [
    # help and version
    ("--help", OK, ["rtt", "Examples"]),
    ("--version", OK, ["sojourn "]),
    ("rtt --help", OK, ["--kind", "--expire", "--sla", "Examples"]),
    # bad input: one line each, naming the file
    ("rtt {build}/missing.pcap", ERROR, ["missing.pcap", "No such file"]),
    ("rtt {build}", ERROR, ["directory"]),
    ("rtt {build}/empty.pcap", ERROR, ["empty.pcap", "empty"]),
    ("rtt {build}/text.pcap", ERROR, ["text.pcap", "not a pcap"]),
    ("rtt {build}/short-header.pcap", ERROR, ["short-header.pcap"]),
    ("rtt {build}/link-type.pcap", ERROR, ["link-type.pcap", "link type 9999"]),
    ("rtt {build}/text.gz", ERROR, ["text.gz"]),
    ("rtt {build}/unreadable.pcap.gz", ERROR, ["unreadable.pcap.gz"]),
    # counted and warned about, not fatal
    ("rtt {build}/cut.pcap", OK, ["cut"]),
    ("rtt {build}/huge-length.pcap", OK, ["length"]),
    ("rtt {build}/backwards.pcap", OK, ["2 packets", "No round trip"]),
    ("rtt {build}/no-packets.pcap", OK, ["0 packets", "No round trip"]),
    ("rtt {build}/lying-block.pcapng", OK, ["block"]),
    # several files, compressed files, standard input
    ("rtt {captures}/web.pcap {captures}/dns.pcap", OK, ["handshake", "dns"]),
    ("rtt {build}/web.pcap.gz", OK, ["handshake"]),
    ("rtt {build}/web.pcap.zst", OK, ["handshake"]),
    ("rtt - < {captures}/web.pcap", OK, ["handshake"]),
    ("rtt - < {build}/web.pcap.gz", OK, ["handshake"]),
    ("rtt {captures}/web.pcap {build}/missing.pcap", ERROR, ["missing.pcap"]),
    # options that would have no effect, and contradictory words
    ("point -i lo --mark step --filter tcp", USAGE, ["--filter is for points of flows and round trips, not for marks"]),
    ("point -i lo --mark step --engine socket", USAGE, ["--engine is for points of flows and round trips"]),
    ("point -i lo --observe step --capacity 1Gbit", USAGE, ["--capacity", "reference packets"]),
    ("point -i lo --observe-references --filter tcp", USAGE, ["--filter", "not for reference packets"]),
    ("point -i lo {captures}/web.pcap --observe-references", USAGE, ["sojourn oneway --method rli"]),
    ("point -i lo --reference both --to ::1 --name a", USAGE, ["--to needs --observe-references"]),
    ("point -i lo --observe-references --to ::1", USAGE, ["--name is required"]),
    ("point -i lo --to ::1 --name \"$(printf 'a\\033[31m')\"", USAGE, ["--name must have 1 to 64 printable characters"]),
    ("point -i lo --to ::1 --name a:b", USAGE, ["--name must have 1 to 64 printable characters"]),
    ("point -i lo --mark step --name 'a\"b'", USAGE, ["--name must have 1 to 64 printable characters"]),
    ("point -i lo --observe-references --spool x", USAGE, ["--spool is for points with --to"]),
    ("query {build}/none.db --references --marks a:b", USAGE, ["--marks does not go with --references"]),
    ("query {build}/none.db --references --csv", USAGE, ["--references needs a POINT with --csv"]),
    ("point", USAGE, ["nothing to measure"]),
    ("point -i nosuch0 --mark step", ERROR, ["no such interface"]),
    ("rtt {captures}/tls.pcap --names --by port", USAGE, ["--names shows hosts"]),
    ("rtt {captures}/tls.pcap --names --by prefix/24", USAGE, ["--names shows hosts"]),
    ("rtt -i lo -i lo", USAGE, ["-i lo is named twice"]),
    ("query missing.db --ipfix --ledger", USAGE, ["--ipfix writes one-way delays"]),
    ("query missing.db --ipfix --loss", USAGE, ["--ipfix writes one-way delays"]),
    ("watch -i lo --alarm-rate 0.1", USAGE, ["--alarm-rate needs --alarm"]),
    ("watch -i lo --webhook http://127.0.0.1/", USAGE, ["--webhook needs --alarm"]),
    ("collect --store {build}/x.db --alarm-every 1min", USAGE, ["--alarm-every needs --alarm"]),
    # counters of alternate marking
    ("oneway {build}/first.marks {build}/last.marks", OK, ["lost 1 of 200", "not known (--clock-error)"]),
    ("oneway {build}/last.marks {build}/first.marks", ERROR, ["a marks", "name its records first"]),
    ("oneway {build}/first.marks {build}/missing.marks", ERROR, ["cannot open", "missing.marks"]),
    ("oneway {captures}/web.pcap {build}/last.marks", ERROR, ["web.pcap does not hold marking records"]),
    ("oneway {build}/first.marks {build}/none.marks", ERROR, ["none.marks", "no interval"]),
    ("oneway {build}/first.marks {build}/mixed.marks", ERROR, ["mixed.marks", "line 3", "as in the lines before"]),
    ("oneway {build}/first.marks {build}/last.marks --interval 2s", ERROR, ["--interval", "says itself"]),
    ("oneway {build}/first.marks {build}/last.marks --sampling 0.1", ERROR, ["--sampling", "says itself"]),
    # an option may stand before the capture as well as after it
    ("rtt --kind tcp {captures}/web.pcap", OK, ["tcp"]),
    ("rtt --inside 10.0.0.0/8 {captures}/web.pcap", OK, ["tcp"]),
    ("rtt --by host --top 2 {captures}/web.pcap", OK, ["tcp"]),
    ("rtt --sla 'tcp max < 1h' {captures}/web.pcap", OK, ["tcp"]),
    ("rtt {captures}/web.pcap --sla 'tcp max < 1ns'", SLA, []),
    ("rtt {captures}/web.pcap --filter 'tcp port 80 or tcp port 443'", OK, []),
    # service levels of each group: server 192.0.2.2 answers in 10 ms, the client in microseconds
    ("rtt {captures}/web.pcap --by host --sla 'each tcp p50 < 1h'", OK, ["0 violated"]),
    ("rtt {captures}/web.pcap --by host --sla 'each tcp p50 < 1ms'", SLA, ["violated   192.0.2.2"]),
    ("rtt {captures}/web.pcap --by host --sla 'each quic p50 < 1ns'", OK, ["no group has samples"]),
    # expected distributions: the same, all delays half as long again, and files that are none
    ("rtt {captures}/ping.pcap --save-distribution {build}/ping.json", OK, ["icmp"]),
    ("rtt {captures}/ping.pcap --expect {build}/ping.json", OK, ["icmp.server: as expected", "D = 0"]),
    ("rtt {build}/slow-ping.pcap --expect {build}/ping.json", SLA, ["icmp.server: slower than expected", "was 19.80 ms"]),
    ("rtt {build}/slow-ping.pcap --expect {build}/ping.json --expect-tolerance 60%", OK, ["icmp.server: as expected"]),
    ("rtt {captures}/ping.pcap --expect {build}/ping.json --save-distribution {build}/ping.json", OK, ["as expected"]),
    ("rtt {captures}/ntp.pcap --expect {build}/ping.json", OK, ["icmp.server: no samples now", "Nothing could be compared"]),
    ("rtt {captures}/ping.pcap --expect {build}/missing.json", ERROR, ["missing.json", "No such file"]),
    ("rtt {captures}/ping.pcap --expect {build}/text.pcap", ERROR, ["text.pcap", "--save-distribution"]),
    ("rtt {captures}/ping.pcap --expect {build}", ERROR, ["directory"]),
    ("rtt {captures}/ping.pcap --expect /dev/zero", ERROR, ["/dev/zero", "too large"]),
    ("rtt {captures}/ping.pcap --save-distribution {build}/no-folder/usual.json", ERROR, ["no-folder"]),
    ("rtt {captures}/ping.pcap --save-distribution /dev/full", ERROR, ["/dev/full"]),
    # wrong usage
    ("", USAGE, ["--help"]),
    ("measure", USAGE, ["measure"]),
    ("rtt", USAGE, ["capture"]),
    ("rtt --no-such-option {captures}/web.pcap", USAGE, ["--no-such-option"]),
    ("rtt {captures}/web.pcap --kind tcp,udp", USAGE, ["udp", "handshake"]),
    ("rtt {captures}/web.pcap --kind ''", USAGE, ["--kind"]),
    ("rtt {captures}/web.pcap --expire 5", USAGE, ["--expire"]),
    ("rtt {captures}/web.pcap --expire -1s", USAGE, ["--expire"]),
    ("rtt {captures}/web.pcap --expire 0s", USAGE, ["--expire"]),
    ("rtt {captures}/web.pcap --expire 300years", USAGE, ["--expire"]),
    ("rtt {captures}/web.pcap --window 1parsec", USAGE, ["--window"]),
    ("rtt {captures}/web.pcap --inside 10.0.0.0/33", USAGE, ["--inside", "33"]),
    ("rtt {captures}/web.pcap --by colour", USAGE, ["--by", "colour"]),
    ("rtt {captures}/web.pcap --by prefix/129", USAGE, ["--by"]),
    ("rtt {captures}/web.pcap --top 0 --by host", USAGE, ["--top", "'0' is not a whole number from 1 to 10^12"]),
    ("rtt {captures}/web.pcap --table staged --memory 64KiB --stages 9", USAGE, ["--stages", "from 1 to 8"]),
    ("rtt {captures}/web.pcap --sla 'tcp p95'", USAGE, ["--sla"]),
    ("rtt {captures}/web.pcap --sla 'tcp p101 < 5ms'", USAGE, ["--sla"]),
    ("rtt {captures}/web.pcap --threads 0", USAGE, ["--threads"]),
    ("rtt {captures}/web.pcap --threads many", USAGE, ["--threads"]),
    ("rtt {captures}/web.pcap --table fastest", USAGE, ["--table"]),
    ("rtt {captures}/web.pcap --by host --sla 'each tcp.server p95 < 5ms'", SLA, ["violated   192.0.2.2"]),
    ("rtt {captures}/web.pcap --by host,prefix/24", USAGE, ["--by", "at once"]),
    ("rtt {captures}/web.pcap --split 1s", USAGE, ["--split", "--by"]),
    ("rtt - --by host --split 1s < {captures}/web.pcap", USAGE, ["--split"]),
    ("rtt {captures}/web.pcap --sort p95", USAGE, ["--sort", "--by"]),
    ("rtt {captures}/web.pcap --by tunnel,interface", USAGE, ["tunnel", "interface", "which way it came"]),
    ("rtt {captures}/web.pcap --by dns-name --anonymize", USAGE, ["--by dns-name", "--anonymize"]),
    ("rtt {captures}/web.pcap --by dns", USAGE, ["dns-name", "dns-type", "dns-code"]),
    ("rtt {captures}/web.pcap --kind quic --loss", USAGE, ["--loss", "unanswered"]),
    ("oneway {captures}/bulk.pcap.gz {captures}/bulk.server.pcap.gz --by tunnel", USAGE, ["--by interface, tunnel", "sojourn rtt"]),
    ("rtt {captures}/web.pcap --by asn", USAGE, ["--by asn", "--mmdb"]),
    ("rtt {captures}/web.pcap --by host --mmdb {captures}/places.mmdb", USAGE, ["--mmdb", "--by asn"]),
    ("rtt {captures}/web.pcap --by asn --mmdb {captures}/places.mmdb --anonymize", USAGE, ["--anonymize"]),
    ("rtt {captures}/web.pcap --by asn --mmdb {captures}/no-such.mmdb", ERROR, ["no-such.mmdb", "No such file"]),
    ("rtt {captures}/web.pcap --by host --sort change", USAGE, ["--sort change", "--split", "--expect"]),
    ("rtt {captures}/web.pcap --by host --sort lost", USAGE, ["--sort lost", "--loss"]),
    ("rtt {captures}/web.pcap --from 1h", OK, ["no packet lies in the range asked for"]),
    ("rtt {captures}/web.pcap --by host --sort worst", USAGE, ["--sort", "p95"]),
    ("rtt {captures}/web.pcap --from noon", USAGE, ["--from", "is not a time"]),
    ("rtt -i lo --from 10s", USAGE, ["--from", "--duration"]),
    ("rtt {captures}/web.pcap --expect {build}/ping.json --false-alarm 0", USAGE, ["--false-alarm"]),
    ("rtt {captures}/web.pcap --expect {build}/ping.json --false-alarm 2", USAGE, ["--false-alarm"]),
    ("rtt {captures}/web.pcap --expect {build}/ping.json --expect-tolerance much", USAGE, ["--expect-tolerance"]),
    # options that contradict each other
    ("rtt {captures}/web.pcap --sla 'each tcp p95 < 5ms'", USAGE, ["--by"]),
    ("rtt {captures}/web.pcap --false-alarm 0.01", USAGE, ["--expect"]),
    ("rtt {captures}/web.pcap --expect-tolerance 1%", USAGE, ["--expect"]),
    ("rtt {captures}/web.pcap --save-distribution -", USAGE, ["--save-distribution"]),
    ("rtt -i lo {captures}/web.pcap", USAGE, ["-i"]),
    ("rtt {captures}/web.pcap --kernel-output histograms", USAGE, ["--kernel-output is for -i"]),
    ("rtt -i lo --engine socket --kernel-output histograms", USAGE, ["--kernel-output is for --engine kernel"]),
    ("rtt -i lo --kernel-output histograms --by host", USAGE, ["--by needs samples one by one"]),
    ("rtt -i lo --kernel-output histograms --inside 10.0.0.0/8", USAGE, ["--inside needs samples"]),
    ("rtt -i lo --kernel-output histograms --table fridges", USAGE, ["whole numbers", "--table fridge"]),
    ("rtt {captures}/web.pcap --duration 1s", USAGE, ["--duration"]),
    ("rtt {captures}/web.pcap --json --every 1s", USAGE, ["--every", "--window"]),
    ("rtt -i lo --every 1s", USAGE, ["--every", "--json"]),
    ("rtt -i lo --json --every 1s --heatmap", USAGE, ["--heatmap", "--every"]),
    ("rtt -i lo --json --every 1s --kernel-output histograms", USAGE, ["histograms", "--every"]),
    ("rtt -i lo --json --every 1s --sla 'dns unanswered < 1%'", USAGE, ["unanswered", "next interval"]),
    ("rtt {captures}/web.pcap --json --samples -", USAGE, ["--json", "--samples"]),
    ("rtt - -", USAGE, ["standard input"]),
    ("rtt {captures}/web.pcap --kind dns --sla 'tcp p95 < 1s'", USAGE, ["--sla"]),
    ("rtt {captures}/web.pcap --top 3", USAGE, ["--top"]),
    # kinds that the kernel does not measure are refused (as root this would run, and find nothing)
    ("point -i lo --name a --to 127.0.0.1:9 --duration 1s --engine kernel --kind response", ERROR, ["response is not in the kernel"]),
    ("point -i lo --name a --to 127.0.0.1:9 --duration 1s --engine kernel --kind tcp,tls", ERROR, ["tls is not in the kernel"]),
    # failures of the outside world
    ("rtt {captures}/web.pcap --samples {build}/no-folder/samples.csv", ERROR, ["no-folder"]),
    ("rtt {captures}/web.pcap --plot {build}/no-folder/plot.svg", ERROR, ["no-folder"]),
    ("rtt {captures}/web.pcap --filter 'tcp prot 80'", ERROR, ["filter"]),
    ("rtt -i no-such-interface --duration 1s", ERROR, ["no-such-interface"]),
    ("rtt {captures}/web.pcap --samples /dev/full", ERROR, ["/dev/full"]),
    ("rtt {captures}/web.pcap > /dev/full", ERROR, ["No space left"]),
]


def marking_records(point, duty, lost=0, interval="1s"):
    """Four intervals of 50 packets at one point; the clock's error is not known."""
    start = 1_794_832_390
    lines = ["point,duty,marking,carrier,interval,clock_error_ns,since_ns,number,start_ns,read_ns,state,packets,pulses,"
             "pulse_ns,late_ns,early_ns,middle,contrary,other,marked_before,repeats,flow"]
    for number in range(start, start + 4):
        begin = f"{point},{duty},step,dscp:0,{interval},,{(start - 1) * 10**9},{number},{number * 10**9},{number * 10**9 + 1_500_000_000},ok"
        lines.append(f'{begin},0,0,0,0,0,0,0,0,0,,""')
        packets = 50 - (lost if number == start + 1 else 0)
        lines.append(f'{begin},{packets},0,0,0,0,{packets},0,0,0,,"any"')
    return "\n".join(lines).encode() + b"\n"


def make_files(captures, build):
    """The bad inputs, each wrong in one way."""
    if os.path.exists(os.path.join(build, "CMakeCache.txt")):
        sys.exit(f"{build} holds a build, and this test empties its folder: name another one")
    shutil.rmtree(build, ignore_errors=True)
    os.makedirs(build)
    with open(os.path.join(captures, "web.pcap"), "rb") as file:
        web = file.read()
    header, records = web[:24], web[24:]
    size = struct.unpack("<I", records[8:12])[0]
    first = records[:16 + size]
    seconds = struct.unpack("<I", first[:4])[0]
    section = struct.pack("<IIIHHqI", 0x0a0d0d0a, 28, 0x1a2b3c4d, 1, 0, -1, 28)
    interface = struct.pack("<IIHHII", 1, 20, 1, 0, 65535, 20)
    files = {
        "empty.pcap": b"",
        "first.marks": marking_records("a", "mark"),
        "last.marks": marking_records("b", "restore", lost=1),
        "none.marks": marking_records("b", "restore").split(b"\n")[0] + b"\n",
        "mixed.marks": marking_records("b", "restore").replace(b"step", b"pulse", 1),
        "text.pcap": b"This is no capture, it is a sentence.\n" * 10,
        "short-header.pcap": header[:20],
        "link-type.pcap": header[:20] + struct.pack("<I", 9999) + first,
        "no-packets.pcap": header,
        "cut.pcap": web[:24 + 16 + size + 16 + 10],
        "huge-length.pcap": header + first + struct.pack("<IIII", seconds, 0, 0xfffffff0, 0xfffffff0) + bytes(64),
        "backwards.pcap": header + first + struct.pack("<I", seconds - 5) + first[4:],
        "lying-block.pcapng": section + interface + struct.pack("<II", 6, 0xfffffff0) + bytes(64),
        "web.pcap.gz": gzip.compress(web),
        "text.gz": gzip.compress(b"a compressed sentence\n" * 10),
        "unreadable.pcap.gz": gzip.compress(web)[:40] + bytes(2000),
    }
    with open(os.path.join(captures, "ping.pcap"), "rb") as file:
        files["slow-ping.pcap"] = stretched(file.read(), 3, 2)
    for name, content in files.items():
        with open(os.path.join(build, name), "wb") as file:
            file.write(content)
    subprocess.run(["zstd", "-q", "-f", os.path.join(captures, "web.pcap"), "-o", os.path.join(build, "web.pcap.zst")],
                   check=True)


def stretched(capture, numerator, denominator):
    """A nanosecond pcap with all times since its first packet, and so all delays, made longer."""
    result, at, first = capture[:24], 24, None
    while at < len(capture):
        seconds, nanoseconds, size = struct.unpack("<III", capture[at:at + 12])
        time_ns = seconds * 10**9 + nanoseconds
        first = time_ns if first is None else first
        time_ns = first + (time_ns - first) * numerator // denominator
        result += struct.pack("<II", *divmod(time_ns, 10**9)) + capture[at + 8:at + 16 + size]
        at += 16 + size
    return result


def fault_of(case, arguments, places):
    """What is wrong with a case's behaviour, or None."""
    command, status, words = case
    text = f"{arguments.sojourn} " + command.format(**places)
    try:
        done = subprocess.run(["/bin/sh", "-c", text], stdin=subprocess.DEVNULL, capture_output=True, timeout=20)
    except subprocess.TimeoutExpired:
        return "did not end within 20 s"
    output, errors = done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
    if done.returncode != status:
        return f"exit status {done.returncode} instead of {status}: {errors.strip() or output.strip()[:200]}"
    if status in (ERROR, USAGE):
        lines = errors.splitlines()
        if len(lines) != 1 or not lines[0].startswith("sojourn: "):
            return f"stderr should be one line that begins with 'sojourn: ', is {errors!r}"
        if output and status == USAGE:
            return f"prints a report in spite of wrong usage: {output[:100]!r}"
    missing = [word for word in words if word not in output + errors]
    return f"lacks {missing}: {(errors or output)[:300]!r}" if missing else None


def merged_is_the_sum(arguments, places):
    """Two captures of the same minute, read together, give the samples of both, ordered by time."""
    def samples(*captures):
        text = subprocess.run([arguments.sojourn, "rtt", *captures, "--samples", "-"], capture_output=True, text=True,
                              check=True).stdout
        return text.splitlines()[1:]
    web, dns = (os.path.join(places["captures"], name) for name in ("web.pcap", "dns.pcap"))
    both = samples(web, dns)
    if sorted(both) != sorted(samples(web) + samples(dns)):
        return "merged captures give other samples than each alone"
    times = [int(line.split(",")[0]) for line in both]
    return None if times == sorted(times) else "samples of merged captures are not in the order of time"


def tunnel_ends_are_hidden(arguments, places):
    """--anonymize hides the ends of tunnels as well, and keeps tunnels apart."""
    def groups(*options):
        text = subprocess.run([arguments.sojourn, "rtt", os.path.join(places["captures"], "tunnels.pcapng"), "--kind",
                               "dns", "--by", "tunnel", "--json", *options], capture_output=True, check=True).stdout
        return [group["group"] for group in json.loads(text)["groups"]]
    plain, hidden = groups(), groups("--anonymize")
    ends = {word for label in plain for word in label.split() if "." in word or ":" in word}
    seen = sorted(end for end in ends if any(end in label.split() for label in hidden))
    if not ends or seen:
        return f"names {seen} of {sorted(ends)} in spite of --anonymize"
    return None if len(set(plain)) == len(set(hidden)) else f"{len(set(hidden))} tunnels instead of {len(set(plain))}"


def interrupt_reports(arguments, places):
    """Ctrl-C while the pipe is still open: the report of what was read so far, exit status 0."""
    with open(os.path.join(places["captures"], "web.pcap"), "rb") as file:
        capture = file.read()
    program = subprocess.Popen([arguments.sojourn, "rtt", "-", "--json"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    program.stdin.write(capture)
    program.stdin.flush()
    time.sleep(1.0)  # the pipe holds all of it by now; the program waits for more
    program.send_signal(signal.SIGINT)
    try:
        output, _ = program.communicate(timeout=10)
    except subprocess.TimeoutExpired:
        program.kill()
        return "does not end on SIGINT"
    if program.returncode != 0:
        return f"exit status {program.returncode} after SIGINT"
    whole = json.loads(subprocess.run([arguments.sojourn, "rtt", os.path.join(places["captures"], "web.pcap"), "--json"],
                                      capture_output=True, check=True).stdout)
    report = json.loads(output)
    read, there = report["input"]["packets"], whole["input"]["packets"]
    return None if read == there else f"reports {read} of the {there} packets that were read"


def shortened_file_is_explained(arguments, places):
    """A capture that is shortened while it is read: one line, exit status 1."""
    large, pipe = (os.path.join(places["build"], name) for name in ("shortened.pcap", "shortened.fifo"))
    with open(os.path.join(places["captures"], "web.pcap"), "rb") as file:
        capture = file.read()
    with open(large, "wb") as file:
        file.write(capture[:24])
        for _ in range(8 * 1024 * 1024 // len(capture) + 1):
            file.write(capture[24:])
    if os.path.exists(pipe):
        os.unlink(pipe)
    os.mkfifo(pipe)
    program = subprocess.Popen([arguments.sojourn, "rtt", large, pipe], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True)
    with open(pipe, "wb") as file:  # open at both ends: the first file is mapped, the program waits for the second
        os.truncate(large, 4096)
        file.write(capture)
    output, errors = program.communicate(timeout=60)
    if program.returncode != ERROR or output:
        return f"exit status {program.returncode}, prints {(output + errors)[:200]!r}"
    lines = errors.splitlines()
    return None if len(lines) == 1 and "shortened" in lines[0] else f"stderr is {errors!r}"


def failed_start_destroys_nothing(arguments, places):
    """A marking point that cannot start leaves the records of the last run as they are."""
    path = os.path.join(places["build"], "earlier-records.csv")
    with open(path, "w") as file:
        file.write("earlier\n")
    done = subprocess.run([arguments.sojourn, "point", "-i", "nosuch0", "--mark", "step", "--records", path],
                          capture_output=True, text=True, timeout=60)
    if done.returncode != ERROR:
        return f"exit status {done.returncode}: {done.stderr}"
    fresh = os.path.join(places["build"], "fresh-records.csv")
    subprocess.run([arguments.sojourn, "point", "-i", "nosuch0", "--mark", "step", "--records", fresh],
                   capture_output=True, timeout=60)
    if os.path.exists(fresh):
        return "a new file is left, and empty"
    with open(path) as file:
        return None if file.read() == "earlier\n" else "the file is empty"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name in ("--sojourn", "--source", "--build"):
        parser.add_argument(name, required=True)
    arguments = parser.parse_args()
    arguments.sojourn = os.path.abspath(arguments.sojourn)
    places = {"captures": os.path.join(arguments.source, "tests", "captures"), "build": arguments.build}
    make_files(places["captures"], places["build"])
    faults = 0
    checks = [(f"sojourn {case[0]}", lambda case=case: fault_of(case, arguments, places)) for case in CASES]
    checks += [(check.__doc__.split("\n")[0], lambda check=check: check(arguments, places))
               for check in (merged_is_the_sum, tunnel_ends_are_hidden, interrupt_reports, shortened_file_is_explained,
                             failed_start_destroys_nothing)]
    for name, check in checks:
        fault = check()
        if fault:
            faults += 1
            print(f"{name}\n    {fault}")
    print(f"{len(checks)} cases, {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
