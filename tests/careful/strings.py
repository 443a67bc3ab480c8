"""Foreign text, names of files and fields of records, is shown and not obeyed."""
import json
import os
import xml.dom.minidom

from tool import one_line

ESCAPE = b"\x1b[31mred\x1b]0;title\x07.pcap"
LATIN1 = b"caf\xe9.pcap"


def run(place, *arguments):
    import subprocess
    return subprocess.run([place.sojourn, *arguments], cwd=place.folder, capture_output=True, timeout=60,
                          stdin=subprocess.DEVNULL, env={**os.environ, "LC_ALL": "C.UTF-8"})


def file_names_are_not_obeyed(place):
    """In errors, warnings and reports of every command that takes a name."""
    web = place.read_capture("web.pcap")
    place.write(ESCAPE, web)
    place.write(b"cut" + ESCAPE, web[:-10])
    commands = [("rtt", ESCAPE), ("rtt", b"cut" + ESCAPE), ("rtt", b"cut" + ESCAPE, "--json"), ("rtt", b"missing" + ESCAPE),
                ("rtt", ESCAPE, "--expect", b"missing" + ESCAPE), ("rtt", ESCAPE, "--samples", b"no/" + ESCAPE),
                ("rtt", ESCAPE, "--kind", ESCAPE), ("rtt", ESCAPE, "--by", ESCAPE), ("rtt", "-i", b"\x1b[31m"),
                ("oneway", ESCAPE, b"cut" + ESCAPE), ("oneway", ESCAPE, b"missing" + ESCAPE),
                ("mark", ESCAPE, b"m" + ESCAPE), ("generate", "--model", "tcp", "--packets", "100", b"g" + ESCAPE),
                ("lab", "compare", ESCAPE, "--seeds", "1", "--memory", "4KiB"), (ESCAPE,), ("lab", ESCAPE)]
    for command in commands:
        done = run(place, *command)
        if b"\x1b" in done.stdout + done.stderr or b"\x07" in done.stdout + done.stderr:
            return f"{command} prints {(done.stdout + done.stderr)[:200]!r}"
    return None


def record_fields_are_not_obeyed_nor_printed_whole(place):
    place.capture("x.pcap")
    run(place, "oneway", "x.pcap", "--write-records", "good.csv")
    lines = place.read("good.csv").splitlines(True)
    for field in (b"\x1b[2J", b"x" * 10_000_000, b"\xff\xfe"):
        fields = lines[1].split(b",")
        fields[5] = field
        place.write("bad.csv", lines[0] + b",".join(fields))
        done = run(place, "oneway", "bad.csv", "good.csv", "--method", "endpoint")
        fault = one_line(done, 1, "bad.csv", "line 2", "packets")
        if fault or len(done.stderr) > 1500 or b"\x1b" in done.stderr or b"\xff" in done.stderr:
            return f"{field[:10]!r}: {fault or done.stderr[:300]!r}"
    return None


def pictures_and_documents_are_valid_whatever_the_name(place):
    web = place.read_capture("web.pcap")
    for name in (LATIN1, ESCAPE, b"<&\">.pcap", b"\xef\xbf\xbf.pcap"):
        place.write(name, web)
        place.write(b"2" + name, web)
        done = run(place, "rtt", name, "--plot", "p.svg", "--json")
        if done.returncode:
            return f"{name}: exit status {done.returncode} {done.stderr!r}"
        try:
            json.loads(done.stdout.decode("utf-8"))
            xml.dom.minidom.parseString(place.read("p.svg"))
            done = run(place, "oneway", name, b"2" + name, "--plot", "q.svg", "--json")
            if done.returncode == 0:
                json.loads(done.stdout.decode("utf-8"))
                xml.dom.minidom.parseString(place.read("q.svg"))
            elif b"bug" in done.stderr or done.returncode != 1:
                return f"oneway {name}: exit status {done.returncode} {done.stderr!r}"
        except Exception as error:  # whatever the parsers say
            return f"{name}: {error}"
    return None


CHECKS = [file_names_are_not_obeyed, record_fields_are_not_obeyed_nor_printed_whole,
          pictures_and_documents_are_valid_whatever_the_name]
