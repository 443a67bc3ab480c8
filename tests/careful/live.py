"""The live view, in a network namespace of its own; needs root."""
import json
import os
import shutil
import signal
import subprocess
import sys
import time

from tool import Screen, Skipped, Terminal

NAMESPACE = f"careful-{os.getpid()}"


def in_namespace(check):
    """Makes a namespace with traffic on its loopback: 20 echo requests a second, for 30 s at most."""
    def wrapped(place):
        if os.geteuid() != 0 or subprocess.run(["ip", "netns", "add", NAMESPACE], capture_output=True).returncode:
            raise Skipped("network namespaces need root")
        ping = None
        try:
            subprocess.run(["ip", "-n", NAMESPACE, "link", "set", "lo", "up"], check=True)
            ping = subprocess.Popen(["ip", "netns", "exec", NAMESPACE, "ping", "-q", "-i", "0.05", "-w", "30", "127.0.0.1"],
                                    stdout=subprocess.DEVNULL)
            return check(place)
        finally:
            if ping:
                ping.kill()
                ping.wait()
            subprocess.run(["ip", "netns", "delete", NAMESPACE], check=True)
    wrapped.__name__ = check.__name__
    return wrapped


def command(place, *arguments):
    return ["ip", "netns", "exec", NAMESPACE, place.sojourn, "rtt", "-i", "lo", "--engine", "socket", *arguments]


@in_namespace
def the_report_stays_on_the_terminal(place):
    terminal = Terminal(command(place, "--duration", "3s"), folder=place.folder)
    terminal.watch(20)
    terminal.end()
    screen = Screen(24, 80).feed(terminal.shown)
    text = screen.everything()
    if terminal.status != 0 or "icmp" not in text or "Read in" not in text:
        return f"exit status {terminal.status}; after the end the terminal shows {text[-300:]!r}"
    return None if text.count("interface lo") == 1 else f"the report is there {text.count('interface lo')} times"


@in_namespace
def the_view_fits_the_terminal(place):
    """12 rows of 50 columns, and then 8 of 40: nothing scrolls, nothing wraps, and the rest is announced."""
    terminal = Terminal(command(place, "--duration", "5s", "--by", "host", "--window", "1s"), 12, 50, place.folder)
    terminal.watch(2.7)
    first = Screen(12, 50).feed(terminal.shown)
    seen = len(terminal.shown)
    terminal.resize(8, 40)
    terminal.watch(0.6)
    second = Screen(8, 40).feed(b"\x1b[?1049h" + terminal.shown[seen:])
    terminal.watch(20)
    terminal.end()
    for screen, size in ((first, 12), (second, 8)):
        lines = screen.text()
        if screen.other_scrolled or "interface lo" not in lines[0] or "more lines" not in lines[-1]:
            return f"{size} rows: scrolled {screen.other_scrolled}, shows {lines}"
        if screen.other_wrapped:
            return f"{size} rows: {screen.other_wrapped} lines are wider than the terminal: {lines}"
    return None


@in_namespace
def an_impatient_user_gets_the_terminal_back(place):
    terminal = Terminal(command(place), folder=place.folder)
    terminal.watch(2.5)
    for _ in range(2):
        terminal.signal(signal.SIGINT)
    terminal.watch(10)
    terminal.end()
    last = terminal.shown.rfind(b"\x1b[?1049l"), terminal.shown.rfind(b"\x1b[?1049h")
    return None if last[0] > last[1] >= 0 else "the other screen is never left, or never entered"


@in_namespace
def a_dumb_terminal_gets_only_the_report(place):
    terminal = Terminal(command(place, "--duration", "2500ms"), folder=place.folder, TERM="dumb")
    terminal.watch(20)
    terminal.end()
    return None if b"\x1b" not in terminal.shown and b"icmp" in terminal.shown else f"{terminal.shown[:200]!r}"


@in_namespace
def impossible_outputs_do_not_cost_a_live_run(place):
    started = time.monotonic()
    done = subprocess.run(command(place, "--duration", "5s", "--plot", "no-folder/x.svg"), cwd=place.folder,
                          capture_output=True, timeout=30)
    if done.returncode != 1 or b"no-folder" not in done.stderr or time.monotonic() - started > 3:
        return f"refused after {time.monotonic() - started:.1f} s, {done.stderr!r}"
    done = subprocess.run(command(place, "--duration", "2s", "--plot", "/dev/full"), cwd=place.folder, capture_output=True,
                          timeout=30)
    return None if done.returncode == 1 and b"icmp" in done.stdout else f"a full disk costs the report: {done.stderr!r}"


FLOOD = """
import socket
sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for _ in range(60_000):
    try:
        sender.sendto(bytes(1200), ("127.0.0.1", 9))
    except OSError:
        pass
"""


@in_namespace
def kernel_drops_are_a_warning_at_the_top(place):
    """The program sleeps while more passes than its ring of 32 MiB holds."""
    program = subprocess.Popen(command(place), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               cwd=place.folder)
    time.sleep(1)
    program.send_signal(signal.SIGSTOP)
    subprocess.run(["ip", "netns", "exec", NAMESPACE, sys.executable, "-c", FLOOD], check=True, timeout=60)
    program.send_signal(signal.SIGCONT)
    time.sleep(2)
    program.send_signal(signal.SIGINT)
    output, _ = program.communicate(timeout=30)
    top = output.decode().splitlines()[:6]
    return None if any(line.startswith("warning: the kernel dropped") for line in top) else f"the report begins with {top}"


def rights_of(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        return {name: value.split() for name, _, value in (line.partition(":") for line in file)}


def keeps_rights(pid):
    """What a process may still do beyond nobody, or None."""
    status = rights_of(pid)
    if set(status["Uid"] + status["Gid"]) != {"65534"} or status["Groups"]:
        return f"it is Uid {status['Uid']} Gid {status['Gid']} Groups {status['Groups']}"
    held = {name: status[name] for name in ("CapInh", "CapPrm", "CapEff", "CapAmb") if int(status[name][0], 16)}
    return f"it keeps {held}" if held else None if status["NoNewPrivs"] == ["1"] else "it may gain new rights"


@in_namespace
def root_becomes_nobody_before_the_first_packet(place):
    """And its outputs in root's folder still arrive."""
    place.write("p.svg", "old")
    program = subprocess.Popen(command(place, "--duration", "3s", "--samples", "s.csv", "--plot", "p.svg"),
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=place.folder)
    time.sleep(1.5)
    fault = keeps_rights(program.pid)
    output, errors = program.communicate(timeout=30)
    if fault or program.returncode or errors:
        return fault or f"exit status {program.returncode}, {errors!r}"
    if len(place.read("s.csv").splitlines()) < 10 or not place.read("p.svg").endswith(b"</svg>\n"):
        return "outputs are lost"
    return None if place.names() == ["p.svg", "s.csv"] and b"icmp" in output else f"leaves {place.names()}"


@in_namespace
def a_missing_capability_is_named(place):
    """With the line that grants it; and that line does."""
    os.chmod(place.folder, 0o755)
    program = place.path("sojourn")
    shutil.copy(place.sojourn, program)
    nobody = ["ip", "netns", "exec", NAMESPACE, "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
              "--inh-caps=-all", program, "rtt", "-i", "lo", "--engine", "socket", "--duration", "2s"]
    done = subprocess.run(nobody, capture_output=True, timeout=30)
    advice = f"setcap cap_net_raw=ep {program}"
    if done.returncode != 1 or b"CAP_NET_RAW" not in done.stderr or advice.encode() not in done.stderr:
        return f"exit status {done.returncode}, {done.stderr!r}"
    if shutil.which("setcap") is None or subprocess.run(["/bin/sh", "-c", advice], capture_output=True).returncode:
        raise Skipped("no setcap, or a file system without capabilities")
    running = subprocess.Popen(nobody, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(1)
    fault = keeps_rights(running.pid)
    output, errors = running.communicate(timeout=30)
    return fault or (None if running.returncode == 0 and b"icmp" in output else f"{running.returncode} {errors!r}")


SYN_FLOOD = """
import socket, struct
out = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
out.bind(("lo", 0))
tcp = struct.pack(">HHIIBBHHH", 40000, 443, 1, 0, 0x50, 0x02, 64240, 0, 0)
for number in range(60000):
    ip = struct.pack(">BBHHHBBHII", 0x45, 0, 40, number & 0xFFFF, 0, 64, 6, 0, 0x0A000000 + number, 0xC0000201)
    out.send(bytes(12) + b"\\x08\\x00" + ip + tcp)
"""


@in_namespace
def a_flood_does_not_grow_a_live_run(place):
    """Without a word about memory: 60 000 SYNs, each from an address of its own, would make exact take 50 MB."""
    running = subprocess.Popen(command(place, "--duration", "6s", "--json"), stdout=subprocess.PIPE)
    time.sleep(1.5)
    subprocess.run(["ip", "netns", "exec", NAMESPACE, sys.executable, "-c", SYN_FLOOD], check=True)
    report = json.loads(running.communicate(timeout=60)[0])
    table = report["table"]
    used = table["memory_bytes"] + table["connection_bytes"]
    seen = report["kinds"]["handshake"]["requests"]
    if seen < 10_000:
        return f"only {seen} SYNs were seen: the test tests nothing"
    return None if table["name"] != "exact" and used <= 16 << 20 else f"{table['name']} took {used} bytes"


CHECKS = [a_flood_does_not_grow_a_live_run, root_becomes_nobody_before_the_first_packet, a_missing_capability_is_named, the_report_stays_on_the_terminal, the_view_fits_the_terminal, an_impatient_user_gets_the_terminal_back,
          a_dumb_terminal_gets_only_the_report, impossible_outputs_do_not_cost_a_live_run,
          kernel_drops_are_a_warning_at_the_top]
