"""Where the system refuses memory or threads: one line and exit status 1, and nothing left behind."""
import json
import os
import struct

from tool import Skipped, one_line


def a_memory_limit_is_explained(place):
    place.capture("x.pcap")
    done = place.shell("generate --model tcp --packets 60000 --flows 20000 large.pcap --truth /dev/null", timeout=120)
    if done.returncode:
        return done.stderr.decode()
    size = os.path.getsize(place.path("large.pcap")) // 1024
    # The program itself and the mapped capture need this much; the addition is too small for its tables.
    explained = 0
    for kib in (14_000, 20_000, 26_000, 30_000, 40_000):
        done = place.shell_with_little_memory(f"ulimit -v {size + kib}; {{s}} rtt large.pcap --samples s.csv")
        if done.returncode == 0:
            continue
        if done.returncode == 127 or b"loading shared libraries" in done.stderr:
            continue  # the loader failed
        fault = one_line(done, 1, "memory")
        if fault:
            return f"with {size + kib} KiB: {fault}"
        if "s.csv" in place.names() or any("part" in name for name in place.names()):
            return f"with {size + kib} KiB: leaves {place.names()}"
        explained += 1
    return None if explained else "no limit was low enough: the test tests nothing"


def more_memory_than_the_machine_has_is_explained(place):
    place.capture("x.pcap")
    with open("/proc/sys/vm/overcommit_memory", encoding="ascii") as file:
        if file.read().strip() == "1":
            raise Skipped("this kernel promises any amount of memory")
    return one_line(place.shell("rtt x.pcap --memory 1000GiB --samples s.csv"), 1, "memory", "--memory SIZE") or (
        "leaves s.csv" if "s.csv" in place.names() else None)


def threads_that_cannot_start_are_explained(place):
    """Stacks of 64 GiB for threads: no second one fits."""
    place.capture("x.pcap")
    done = place.shell_with_little_memory("ulimit -s 67108864 && ulimit -v 20000000 && {s} rtt x.pcap --threads 8")
    return one_line(done, 1, "thread")


def syn_flood(place, name, packets):
    """As many SYNs, each from an address of its own, a microsecond apart."""
    ethernet = b"\x02" * 12 + b"\x08\x00"
    tcp = struct.pack(">HHIIBBHHH", 40000, 443, 1, 0, 0x50, 0x02, 64240, 0, 0)
    records = bytearray(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
    for number in range(packets):
        ip = struct.pack(">BBHHHBBHII", 0x45, 0, 40, number & 0xFFFF, 0, 64, 6, 0, 0x0A000000 + number, 0xC0000201)
        records += struct.pack("<IIII", 1_700_000_000 + number // 1_000_000, number % 1_000_000, 54, 54)
        records += ethernet + ip + tcp
    place.write(name, bytes(records))


def the_exact_table_stops_at_its_limit(place):
    """200 000 SYNs would take some 200 MB: the report so far, one line that names what helps, exit status 1."""
    syn_flood(place, "flood.pcap", 200_000)
    for threads in (1, 2):
        done = place.shell(f"rtt flood.pcap --table exact --memory 8MiB --threads {threads} --json")
        fault = one_line(done, 1, "stopped after", "8 MiB", "--memory 64MiB without --table exact")
        if fault:
            return fault
        report = json.loads(done.stdout)
        used = report["table"]["memory_bytes"] + report["table"]["connection_bytes"]
        requests = report["kinds"]["handshake"]["requests"]
        if not 0 < used <= 8 << 20 or report["table"]["limit_bytes"] != 8 << 20:
            return f"takes {used} bytes with a limit of 8 MiB"
        if not 2_000 < requests < 100_000:
            return f"{requests} of 200 000 SYNs measured before the limit of 8 MiB"
        if not any("stopped after" in warning for warning in report["input"]["warnings"]):
            return f"JSON does not say that it stopped: {report['input']['warnings']}"
        done = place.shell(f"rtt flood.pcap --table exact --memory 8MiB --threads {threads}")
        text = done.stdout.decode()
        if done.returncode != 1 or "stopped after" not in text:
            return f"the report does not say that it stopped: {text!r}"
    done = place.shell(f"rtt {place.capture('x.pcap')} --table exact --memory 8MiB")
    if done.returncode or b"of at most 8 MiB" not in b" ".join(done.stdout.split()):
        return f"the report does not state the limit: {done.stdout!r}"
    done = place.shell("rtt flood.pcap --memory 8MiB --json")
    if done.returncode or json.loads(done.stdout)["kinds"]["handshake"]["requests"] < 199_900:
        return f"what is said to help does not: {done.stderr!r}"
    return one_line(place.shell("rtt flood.pcap --table exact --memory 64KiB"), 2, "at least 1MiB")


def the_exact_table_has_a_limit_by_default(place):
    """Where all fits, it is not felt: nothing is said of it, and all is measured."""
    syn_flood(place, "few.pcap", 20_000)
    done = place.shell("rtt few.pcap --json")
    report = json.loads(done.stdout)
    if done.returncode or done.stderr or report["kinds"]["handshake"]["requests"] != 20_000:
        return f"exit status {done.returncode}: {done.stderr!r}"
    return "a limit that nobody named or reached is reported" if "limit_bytes" in report["table"] else None


CHECKS = [a_memory_limit_is_explained, more_memory_than_the_machine_has_is_explained, threads_that_cannot_start_are_explained, the_exact_table_stops_at_its_limit,
          the_exact_table_has_a_limit_by_default]
