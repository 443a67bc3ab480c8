"""Bad days with strangers: floods, unknown certificates, bytes that are no IPFIX, elements of a later version."""
import os
import re
import resource
import socket
import ssl
import struct
import subprocess
import sys
import time

from day import ALL, WAIT, Day, memory_of
from servers import check, free_port, need, point


def message(*sets, domain=1):
    body = b"".join(struct.pack(">HH", number, 4 + len(data)) + data for number, data in sets)
    return struct.pack(">HHIII", 10, 16 + len(body), int(time.time()), 0, domain) + body


def good_points_go_on(day, words, lines=1):
    """... whatever somebody else did."""
    day.points()
    time.sleep(8)
    ledgers = day.end()
    check(all(ledgers[name]["joined"] > 500 for name in ("north", "south")), f"{ledgers}")
    check(1 <= day.collector.lines(words) <= lines, f"'{words}' not in 1 to {lines} lines: {day.collector.text()}")
    check(len(day.collector.text().splitlines()) < 12, f"a flood of lines: {day.collector.text()}")
    return ledgers


def counted(day, line, **reasons):
    """The collector says at its end how often each of `reasons` occurred, or at least, for a number below zero."""
    found = re.search(rf"^  {line}: (.*)$", day.collector.summary(), re.M)
    check(found is not None, f"nothing '{line}' at the end: {day.collector.summary()}")
    counts = {name: int(number.replace(" ", "")) for name, number in re.findall(r"([a-z-]+) ([0-9 ]+)", found[1])}
    for name, number in reasons.items():
        count = counts.get(name.replace("_", "-"), 0)
        check(count == number if number >= 0 else count >= -number, f"{name} is {count}, not {number}: {found[0]}")


def template_flood(program, folder):
    day = Day(program, folder)
    before = memory_of(day.collector.process)
    with socket.create_connection(("127.0.0.1", day.collector.port)) as stranger:
        try:
            for number in range(256, 65536):
                stranger.sendall(message((2, struct.pack(">HH", number, 40) + struct.pack(">HH", 8, 4) * 40), domain=number))
        except OSError:
            pass
    check(memory_of(day.collector.process) - before < 60_000, "templates fill the memory")
    good_points_go_on(day, "cannot be read in full")
    counted(day, "could not be read", too_many_domains=-1)


def connection_flood(program, folder):
    day = Day(program, folder)
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(limit[1], 8192), limit[1]))
    strangers = []
    for _ in range(1500):
        try:
            strangers.append(socket.create_connection(("127.0.0.1", day.collector.port), timeout=2))
        except OSError:
            break
    check(len(strangers) >= 1024, f"only {len(strangers)} connections")
    time.sleep(1)
    for each in strangers[:200]:
        each.close()
    time.sleep(1)
    good_points_go_on(day, "connections")
    # At least: those that a slow collector had not accepted yet take the places of the 200.
    counted(day, "connections refused or closed", too_many=-(len(strangers) - 1024 - 200))


def unknown_certificate(program, folder):
    """A point whose certificate somebody else has signed, and a stranger without one: refused, and one line for both."""
    need("certtool")
    here = os.path.dirname(os.path.abspath(__file__))
    for whose in ("ours", "theirs"):
        os.mkdir(f"{folder}/{whose}")
        subprocess.run([sys.executable, f"{here}/certificates.py", f"{folder}/{whose}"], check=True)
    port = free_port()
    files = lambda whose, name: ("--certificate", f"{folder}/{whose}/{name}.pem", "--key", f"{folder}/{whose}/{name}.key",
                                 "--authority", f"{folder}/ours/ca.pem")
    day = Day(program, folder, collect=(*WAIT, "--tls", f"127.0.0.1:{port}", *files("ours", "collector")))
    stranger = point(program, day.first, "stranger", port, *ALL, "--transport", "tls", *files("theirs", "point"))
    day.collector.wait_for("TLS with 127.0.0.1")
    nobody = ssl.create_default_context()
    nobody.check_hostname, nobody.verify_mode = False, ssl.CERT_NONE
    for _ in range(5):
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=5) as plain, nobody.wrap_socket(plain) as wrapped:
                wrapped.sendall(message((2, struct.pack(">HHHH", 256, 1, 8, 4))))
                check(wrapped.recv(1) == b"", "a stranger without a certificate was answered")
        except (ssl.SSLError, OSError):
            pass
    day.points("--transport", "tls", *files("ours", "point"), port=port)
    time.sleep(8)
    stranger.terminate()
    errors = stranger.communicate(timeout=60)[1]
    check(stranger.returncode == 1 and "did not take" in errors, f"the stranger ended with {stranger.returncode}: {errors}")
    ledgers = day.end()
    check(sorted(ledgers) == ["north", "south"] and all(ledger["joined"] > 500 for ledger in ledgers.values()), f"{ledgers}")
    day.one_line("TLS with 127.0.0.1")
    counted(day, "connections refused or closed", certificate=-6)


def malformed(program, folder):
    """Bytes that are not IPFIX, cut messages, impossible lengths: counted and closed, others go on."""
    day = Day(program, folder)
    for data in (b"GET / HTTP/1.0\r\n\r\n", b"\0" * 100, struct.pack(">HHIII", 10, 15, 0, 0, 0), message((2, b"\1\0\0\1")),
                 message((256, b"x" * 30)), message((3, b"\xff" * 40)), b"\xff" + os.urandom(5000)) * 20:
        try:
            with socket.create_connection(("127.0.0.1", day.collector.port)) as stranger:
                stranger.sendall(data)
        except OSError:
            pass
    good_points_go_on(day, "cannot be read in full")
    counted(day, "connections refused or closed", not_ipfix=80)
    counted(day, "could not be read", other_version=60, wrong_length=20, bad_template=20, without_template=20)


def unknown_elements(program, folder):
    """A later version's elements beside those we know: the flow is taken, without label."""
    day = Day(program, folder)
    fields = struct.pack(">HHHHHHHHHHHH", 8, 4, 12, 4, 7, 2, 11, 2, 4, 1, 2, 8) + struct.pack(">HHI", 0x8000 | 77, 4, 99999)
    template = struct.pack(">HH", 300, 8) + fields + struct.pack(">HH", 9999, 3)
    flow = bytes([198, 18, 0, 1, 198, 18, 0, 2]) + struct.pack(">HHBQ", 1, 2, 17, 5) + b"abcd" + b"xyz"
    with socket.create_connection(("127.0.0.1", day.collector.port)) as stranger:
        stranger.sendall(message((2, template)) + message((300, flow * 10)))
        time.sleep(1)
    day.points()
    time.sleep(8)
    ledgers = day.end()
    check(ledgers["others"]["without_label"] == 10, f"{ledgers}")
    check(ledgers["north"]["joined"] > 500, f"{ledgers}")
