#!/usr/bin/env python3
"""What others make of our IPFIX, and we of theirs.

    run.py --sojourn PROGRAM --source DIR --tools DIR tshark|nfdump|pmacct|softflowd|fixbuf|point|live|tls|delays

tshark, nfdump, pmacct: `sojourn point` reads a capture and sends all its packets' flows to them; per flow key, packets
and bytes have to be those that `sojourn oneway --write-records` finds.  softflowd, fixbuf: they send, our listener takes.
point: the program itself, over both transports, ended in the middle, and with a collector that comes late.
"""
import argparse
import csv
import json
import os
import re
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict

SKIP = 77


def need(*programs):
    for program in programs:
        if not shutil.which(program):
            print(f"skipped: {program} is not installed (tools/setup test)")
            sys.exit(SKIP)


def free_port(kind):
    with socket.socket(socket.AF_INET, kind) as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


def point(program, capture, port, *options, name="north"):
    return subprocess.run([program, "point", capture, "--name", name, "--to", f"127.0.0.1:{port}", "--every", "1s", *options],
                          capture_output=True, encoding="utf-8", timeout=120)


def check(holds, message):
    if not holds:
        sys.exit("run.py: " + message)


def expected_flows(program, capture, folder):
    """{key: [packets, bytes]} by our own CSV of flow records: all packets are selected in both."""
    path = os.path.join(folder, "records.csv")
    done = subprocess.run([program, "oneway", capture, "--write-records", path, "--sampling", "1"],
                          capture_output=True, encoding="utf-8", timeout=120)
    check(done.returncode == 0, f"oneway --write-records: {done.stderr}")
    flows = defaultdict(lambda: [0, 0])
    first = {}
    with open(path, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            key = (row["source"], row["destination"], int(row["source_port"]), int(row["destination_port"]),
                   int(row["protocol"]))
            flows[key][0] += int(row["packets"])
            flows[key][1] += int(row["bytes"])
            first[key] = min(first.get(key, 1 << 63), int(row["first_ns"]))
    check(len(flows) > 10, "the capture has too few flows to compare anything")
    return dict(flows), first


def compare(what, found, flows):
    wrong = [f"{key}: {found.get(key)} instead of {value}" for key, value in flows.items() if found.get(key) != value]
    check(not wrong, f"{what} has {len(wrong)} of {len(flows)} flows wrong, such as {wrong[:3]}")
    check(len(found) == len(flows), f"{what} has {len(found)} flows instead of {len(flows)}")


# ---- ours, read by others --------------------------------------------------------------------------

def receive_messages(server, messages):
    """All IPFIX messages of one TCP connection."""
    connection, _ = server.accept()
    data = b""
    while piece := connection.recv(65536):
        data += piece
    while len(data) >= 16:
        length = struct.unpack(">H", data[2:4])[0]
        messages.append(data[:length])
        data = data[length:]


def write_pcap(path, messages):
    """Each message as a UDP datagram to port 4739."""
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 262144, 101))
        for i, message in enumerate(messages):
            udp = struct.pack(">HHHH", 50000, 4739, 8 + len(message), 0) + message
            ip = struct.pack(">BBHHHBBHII", 0x45, 0, 20 + len(udp), i & 0xffff, 0, 64, 17, 0, 0x7f000001, 0x7f000001)
            file.write(struct.pack("<IIII", i, 0, len(ip + udp), len(ip + udp)) + ip + udp)


def tshark(program, source, folder, _tools):
    need("tshark")
    capture = os.path.join(source, "tests/captures/demo.pcapng")
    flows, _ = expected_flows(program, capture, folder)
    server = socket.create_server(("127.0.0.1", 0))
    messages = []
    thread = threading.Thread(target=receive_messages, args=(server, messages))
    thread.start()
    done = point(program, capture, server.getsockname()[1], "--sampling", "1")
    check(done.returncode == 0, f"point: {done.stderr}")
    thread.join(30)
    check(len(messages) > 3, f"only {len(messages)} messages came")
    path = os.path.join(folder, "messages.pcap")
    write_pcap(path, messages)

    def ask(*arguments):
        return subprocess.run(["tshark", "-r", path, "-d", "udp.port==4739,cflow", *arguments], capture_output=True,
                              encoding="utf-8", check=True, timeout=120).stdout
    complaints = ask("-Y", "_ws.malformed || _ws.expert", "-V")
    check(not complaints, f"tshark complains: {complaints[-2000:]}")
    check(len(ask("-Y", "cflow.version == 10").splitlines()) == len(messages), "tshark does not see all messages as IPFIX")
    check("No template found" not in ask("-V"), "tshark misses a template")
    found = defaultdict(lambda: [0, 0])
    document = json.loads(ask("-T", "json", "--no-duplicate-keys", "-J", "cflow"))

    def walk(value):
        if isinstance(value, list):
            for item in value:
                walk(item)
        elif isinstance(value, dict):
            if "cflow.packets" in value and "cflow.protocol" in value:
                key = (value.get("cflow.srcaddr") or value.get("cflow.srcaddrv6"),
                       value.get("cflow.dstaddr") or value.get("cflow.dstaddrv6"), int(value["cflow.srcport"]),
                       int(value["cflow.dstport"]), int(value["cflow.protocol"]))
                found[key][0] += int(value["cflow.packets"])
                found[key][1] += int(value["cflow.octets"])
            else:
                for item in value.values():
                    walk(item)
    walk(document)
    compare("tshark", dict(found), flows)
    print(f"tshark: {len(messages)} messages without a complaint, {len(found)} flows as ours")


def wait_until_bound(port, process, seconds=20):
    """A UDP port of 127.0.0.1 or any address is taken."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        check(process.poll() is None, f"{process.args[0]} ended: {process.stderr.read() if process.stderr else ''}")
        with open("/proc/net/udp", encoding="ascii") as v4, open("/proc/net/udp6", encoding="ascii") as v6:
            if f":{port:04X} " in v4.read() + v6.read():
                return
        time.sleep(0.1)
    sys.exit(f"run.py: {process.args[0]} does not listen")


def nfdump(program, source, folder, _tools):
    need("nfcapd", "nfdump")
    capture = os.path.join(source, "tests/captures/demo.pcapng")
    flows, first = expected_flows(program, capture, folder)
    port = free_port(socket.SOCK_DGRAM)
    place = os.path.join(folder, "nfcapd")
    os.mkdir(place)
    daemon = subprocess.Popen(["nfcapd", "-p", str(port), "-b", "127.0.0.1", "-l", place, "-t", "3600"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_until_bound(port, daemon)
        done = point(program, capture, port, "--sampling", "1", "--transport", "udp", "--kind", "none")
        check(done.returncode == 0, f"point: {done.stderr}")
        time.sleep(1)
    finally:
        daemon.send_signal(signal.SIGTERM)
        daemon.wait(20)
    table = subprocess.run(["nfdump", "-R", place, "-q", "-N", "-6", "-o", "fmt:%tsr|%sa|%da|%sp|%dp|%pr|%pkt|%byt"],
                           capture_output=True, encoding="utf-8", check=True, timeout=60).stdout
    found, starts = defaultdict(lambda: [0, 0]), {}
    for line in table.splitlines():
        parts = [part.strip() for part in line.split("|")]
        if len(parts) != 8:
            continue
        protocol = {"TCP": 6, "UDP": 17, "ICMP": 1, "ICMP6": 58}.get(parts[5]) or int(parts[5])
        source_port, destination_port = int(parts[3].split(".")[0]), parts[4]
        if protocol in (1, 58):  # nfdump shows type.code there, which we do not send
            source_port, destination_port = 0, "0"
        key = (parts[1], parts[2], source_port, int(destination_port), protocol)
        found[key][0] += int(parts[6])
        found[key][1] += int(parts[7])
        starts[key] = min(starts.get(key, 1e30), float(parts[0]))
    compare("nfdump", dict(found), flows)
    late = [key for key in flows if abs(starts[key] * 1e9 - first[key]) > 1.1e6]
    check(not late, f"nfdump has other start times for {late[:3]}: {[(starts[k], first[k]) for k in late[:3]]}")
    print(f"nfdump: {len(found)} flows with our packets, bytes and start times")


def pmacct(program, source, folder, _tools):
    need("nfacctd")
    capture = os.path.join(source, "tests/captures/demo.pcapng")
    flows, _ = expected_flows(program, capture, folder)
    port = free_port(socket.SOCK_DGRAM)
    output = os.path.join(folder, "pmacct.csv")
    config = os.path.join(folder, "nfacctd.conf")
    with open(config, "w", encoding="ascii") as file:
        file.write(f"daemonize: false\nnfacctd_ip: 127.0.0.1\nnfacctd_port: {port}\nplugins: print[a]\n"
                   f"aggregate[a]: src_host, dst_host, src_port, dst_port, proto\nprint_output[a]: csv\nprint_output_file[a]: {output}\n"
                   "print_output_file_append[a]: true\nprint_refresh_time[a]: 3600\nnfacctd_time_new: true\nprint_num_protos: true\nnum_protos: true\n")
    daemon = subprocess.Popen(["nfacctd", "-f", config], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_until_bound(port, daemon)
        time.sleep(1)
        done = point(program, capture, port, "--sampling", "1", "--transport", "udp", "--kind", "none")
        check(done.returncode == 0, f"point: {done.stderr}")
        time.sleep(2)
    finally:
        daemon.send_signal(signal.SIGINT)  # writes what it has
        daemon.wait(30)
    end = time.monotonic() + 20
    while not os.path.exists(output) and time.monotonic() < end:
        time.sleep(0.2)
    time.sleep(1)
    found = defaultdict(lambda: [0, 0])
    names = {"tcp": 6, "udp": 17, "icmp": 1, "ipv6-icmp": 58}
    with open(output, encoding="ascii") as file:
        for row in csv.DictReader(file):
            protocol = names.get(row["PROTOCOL"]) or int(row["PROTOCOL"])
            key = (row["SRC_IP"], row["DST_IP"], int(row["SRC_PORT"]), int(row["DST_PORT"]), protocol)
            found[key][0] += int(row["PACKETS"])
            found[key][1] += int(row["BYTES"])
    compare("pmacct", dict(found), flows)
    print(f"pmacct: {len(found)} flows with our packets and bytes")


# ---- others', read by us ---------------------------------------------------------------------------

class Listen:
    """Our listener, and in the end what came."""

    def __init__(self, tools, transport, seconds, records=None, files=()):
        command = [os.path.join(tools, "sojourn-test-listen"), transport, str(seconds)]
        self.process = subprocess.Popen(command + ([str(records)] if records else []) + list(files), stdout=subprocess.PIPE,
                                        encoding="ascii")
        self.port = int(self.process.stdout.readline())

    def result(self):
        return json.loads(self.process.communicate(timeout=60)[0])


def softflowd(_program, source, folder, tools):
    need("softflowd")
    capture = os.path.join(source, "tests/captures/dns.pcap")
    listen = Listen(tools, "udp", 5)
    # Without a control socket: with one, 1.1.0 waits on that and never reads the capture.
    done = subprocess.run(["softflowd", "-r", capture, "-n", f"127.0.0.1:{listen.port}", "-v", "10", "-d", "-p",
                           os.path.join(folder, "pid"), "-c", "none"], capture_output=True, encoding="utf-8", timeout=60)
    came = listen.result()
    said = re.search(r"Flows exported: \d+ \((\d+) records\) in (\d+) packets", done.stdout + done.stderr)
    check(said, f"softflowd does not say what it sent: {done.stderr[-500:]}")
    check(came["without_label"] == int(said[1]) and came["messages"] == int(said[2]), f"{came}, but softflowd: {said[0]}")
    check(came["records"] == 0 and came["troubles"] == 0 and came["repeated"] == 0, f"{came}")
    print(f"softflowd: {came['without_label']} flows without label in {came['messages']} messages, as it says")


def fixbuf(_program, _source, _folder, tools):
    sender = os.path.join(tools, "sojourn-test-fixbuf")
    if not os.path.exists(sender):
        print("skipped: libfixbuf was not there when this was built (tools/setup test)")
        sys.exit(SKIP)
    for transport in ("tcp", "udp"):
        listen = Listen(tools, transport, 20, 1000)
        subprocess.run([sender, transport, str(listen.port), "1000"], check=True, timeout=60)
        came = listen.result()
        check(came["without_label"] == 1000 and came["troubles"] == 0 and came["missing"] == 0, f"{transport}: {came}")
    print("libfixbuf: 1000 flows without label over TCP, and over UDP")


# ---- the program itself ------------------------------------------------------------------------------

def whole_point(program, source, folder, tools):
    capture = os.path.join(source, "tests/captures/demo.pcapng")
    for transport in ("tcp", "udp"):
        listen = Listen(tools, transport, 8)
        done = point(program, capture, listen.port, "--sampling", "1", "--transport", transport)
        check(done.returncode == 0, f"point: {done.stderr}")
        came = listen.result()
        check(came["point"] == "north" and came["packets"] == 2081 and came["cells"] > 100, f"{transport}: {came}")
        check(came["missing"] == 0 and came["repeated"] == 0 and came["troubles"] == 0, f"{transport}: {came}")
        check("2 081 packets seen" in done.stdout, done.stdout)

    # Nobody listens: with a spool the next start sends it, and nothing is lost.
    spool = os.path.join(folder, "spool")
    port = free_port(socket.SOCK_STREAM)
    waiting = subprocess.Popen([program, "point", capture, "--name", "north", "--to", f"127.0.0.1:{port}", "--sampling", "1",
                                "--spool", spool], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(2)
    waiting.kill()  # -9
    waiting.wait()
    listen = Listen(tools, "tcp", 8)
    done = point(program, os.path.join(source, "tests/captures/dns.pcap"), listen.port, "--sampling", "1", "--spool", spool)
    check(done.returncode == 0, f"point: {done.stderr}")
    check("of an earlier run" in done.stdout, done.stdout)
    came = listen.result()
    check(came["packets"] > 2081 and came["missing"] == 0 and came["troubles"] == 0, f"{came}")

    # Wrong usage is one line.
    for options, words in ((["--to", "x"], "--name"), (["--name", "a b", "--to", "x"], "--name"),
                           (["--name", "a", "--to", "x", "--transport", "tls"], "--certificate"),
                           (["--name", "a", "--to", "x:99999"], "port"),
                           (["--name", "a", "--to", "x", "--sampling", "0"], "0")):
        done = subprocess.run([program, "point", capture, *options], capture_output=True, encoding="utf-8", timeout=20)
        check(done.returncode == 2 and done.stderr.count("\n") == 1 and words in done.stderr, f"{options}: {done.stderr}")
    short = os.path.join(folder, "short")
    with open(short, "w", encoding="ascii") as file:
        file.write("short\n")
    done = point(program, capture, 1, "--secret-file", short)
    check(done.returncode == 1 and "16" in done.stderr, done.stderr)
    print("point: TCP and UDP, killed and started again, wrong usage")


def make_certificates(folder):
    """An authority, certificates of a collector and a point by it, and one of a stranger by another."""
    def certtool(*arguments, template=""):
        path = os.path.join(folder, "template")
        with open(path, "w", encoding="ascii") as file:
            file.write(template + "expiration_days = 2\n")
        subprocess.run(["certtool", *arguments, "--template", path], cwd=folder, check=True, capture_output=True, timeout=60)
    for who in ("ours", "other", "collector", "point", "stranger"):
        subprocess.run(["certtool", "-p", "--ecc", "--outfile", who + ".key"], cwd=folder, check=True, capture_output=True, timeout=60)
    for who in ("ours", "other"):
        certtool("-s", "--load-privkey", who + ".key", "--outfile", who + ".pem", template=f"cn = {who}\nca\ncert_signing_key\n")
    for who, authority in (("collector", "ours"), ("point", "ours"), ("stranger", "other")):
        certtool("-c", "--load-privkey", who + ".key", "--load-ca-certificate", authority + ".pem", "--load-ca-privkey",
                 authority + ".key", "--outfile", who + ".pem",
                 template=f"cn = {who}\nip_address = 127.0.0.1\ntls_www_server\ntls_www_client\nsigning_key\n")


def tls(program, source, folder, tools):
    need("certtool")
    make_certificates(folder)
    capture = os.path.join(source, "tests/captures/demo.pcapng")

    def files(who, *options):
        return [os.path.join(folder, name) for name in (who + ".pem", who + ".key", "ours.pem")]

    def secured(who):
        certificate, key, authority = files(who)
        return ["--transport", "tls", "--certificate", certificate, "--key", key, "--authority", authority, "--sampling", "1"]
    listen = Listen(tools, "tls", 6, 1_000_000, files("collector"))
    done = point(program, capture, listen.port, *secured("point"))
    check(done.returncode == 0, f"point: {done.stderr}")
    came = listen.result()
    check(came["packets"] == 2081 and came["missing"] == 0 and came["troubles"] == 0, f"{came}")

    # A stranger's certificate: nothing is taken, the point says why in one line, and keeps its records.
    listen = Listen(tools, "tls", 12, 1_000_000, files("collector"))
    stranger = subprocess.Popen([program, "point", capture, "--name", "x", "--to", f"127.0.0.1:{listen.port}", *secured("stranger")],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
    select.select([stranger.stderr], [], [], 11)  # a busy machine takes its time
    time.sleep(1)  # whatever else it would say
    stranger.kill()
    said = stranger.communicate()[1]
    came = listen.result()
    check(came["packets"] == 0 and came["refused_certificates"] > 0, f"{came}")
    check(0 < said.count("\n") <= 3 and "127.0.0.1" in said, f"it says: {said}")
    print(f"tls: all records with a certificate, none without; the stranger is told: {said.strip()}")


def live(program, _source, _folder, tools):
    """On the loopback interface of a network namespace of its own, which goes when the test ends."""
    if os.geteuid() != 0:
        print("skipped: needs root")
        sys.exit(SKIP)
    need("unshare", "ip", "ping")
    if "SOJOURN_IN_NAMESPACE" not in os.environ:
        os.environ["SOJOURN_IN_NAMESPACE"] = "yes"
        done = subprocess.run(["unshare", "-n", sys.executable, *sys.argv])
        if done.returncode:
            sys.exit(done.returncode)
        return
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    listen = Listen(tools, "tcp", 35)
    watching = subprocess.Popen([program, "point", "-i", "lo", "--name", "live", "--to", f"127.0.0.1:{listen.port}",
                                 "--sampling", "1", "--every", "1s"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                encoding="utf-8")
    end = time.monotonic() + 20
    while True:  # until it has opened all: loading a program into the kernel takes seconds on a busy machine
        with open(f"/proc/{watching.pid}/status", encoding="ascii") as file:
            status = dict(line.split(":", 1) for line in file)
        if status["Uid"].split() == ["65534"] * 4 or time.monotonic() > end:
            break
        time.sleep(0.1)
    time.sleep(0.5)
    check(status["Uid"].split() == ["65534"] * 4, f"it still runs as {status['Uid']}")
    check(int(status["CapEff"], 16) == 0, f"it still has capabilities {status['CapEff']}")
    subprocess.run(["ping", "-q", "-c", "20", "-i", "0.05", "127.0.0.1"], check=True, stdout=subprocess.DEVNULL)
    time.sleep(1.5)
    watching.send_signal(signal.SIGTERM)
    said, complaints = watching.communicate(timeout=20)
    check(watching.returncode == 0, f"it ended with {watching.returncode}: {complaints}")
    came = listen.result()
    check(came["point"] == "live" and came["packets"] >= 40 and came["reports"] >= 3 and came["weight"] >= 20, f"{came}")
    check(came["missing"] == 0 and came["troubles"] == 0, f"{came}")
    print(f"live: {came['packets']} packets and {came['weight']} round trips of the loopback interface; it said:\n{said}")


def delays(program, _source, folder, _tools):
    """`sojourn query --ipfix`: tshark reads the file without a complaint, and the figures are those of --json."""
    need("tshark")
    subprocess.run([program, "generate", "--model", "chic", "--points", "2", "--packets", "20000", "--seed", "1", f"{folder}/two"],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    port, store = free_port(socket.SOCK_STREAM), f"{folder}/sojourn.db"
    with open(f"{folder}/log", "w", encoding="utf-8") as log:
        collector = subprocess.Popen([program, "collect", "--listen", f"127.0.0.1:{port}", "--store", store, "--wait", "2s"], stderr=log)
    while "listening" not in open(f"{folder}/log", encoding="utf-8").read():
        check(collector.poll() is None, "the collector ended")
        time.sleep(0.05)
    for name, which in (("north", "first"), ("south", "last")):
        done = point(program, f"{folder}/two.{which}.pcap", port, "--sampling", "1", "--kind", "none", name=name)
        check(done.returncode == 0, done.stderr)
    collector.terminate()
    check(collector.wait(timeout=60) == 0, "the collector failed")
    asked = [program, "query", store, "--since", "1000000h", "--by", "prefix/24"]
    path = f"{folder}/delays.ipfix"
    with open(path, "wb") as file:
        subprocess.run([*asked, "--ipfix"], stdout=file, check=True)
    rows = {}
    for subject in json.loads(subprocess.run([*asked, "--json"], check=True, capture_output=True).stdout)["subjects"]:
        for row in subject["rows"]:
            rows[subject["name"], row["prefix"] or "0.0.0.0/0"] = row
    found = {}
    data, at = open(path, "rb").read(), 0
    while at < len(data):
        version, length = struct.unpack(">HH", data[at:at + 4])
        check(version == 10 and length >= 16, "no message")
        inside, end = at + 16, at + length
        while inside < end:
            number, size = struct.unpack(">HH", data[inside:inside + 4])
            if number in (264, 265):
                family, address = (socket.AF_INET, 4) if number == 264 else (socket.AF_INET6, 16)
                body = data[inside + 4:inside + size]
                name, rest = body[1:1 + body[0]].decode(), body[1 + body[0]:]
                values = struct.unpack(f">{address}sBQQQIIIQ", rest)
                found[name, f"{socket.inet_ntop(family, values[0])}/{values[1]}"] = values[4:]
            inside += size
        at = end
    check(len(rows) > 2 and set(found) == set(rows), f"only one has {sorted(set(found) ^ set(rows))[:9]}")
    for key, (packets, mean, least, most, total) in found.items():
        row = rows[key]
        check(abs(packets - row["weight"]) <= 1 and abs(mean - row["mean_ns"] / 1000) <= 1, f"{key}: {found[key]} and {row}")
        check(least <= mean <= most and abs(total - packets * row["mean_ns"] / 1000) <= packets, f"{key}: {found[key]}")
    seen = subprocess.run(["tshark", "-r", path, "-V"], capture_output=True, encoding="utf-8", timeout=120)
    check(seen.returncode == 0, f"tshark: {seen.stderr}")
    check("Malformed" not in seen.stdout and "No template found" not in seen.stdout, "tshark complains")
    known = [line.strip() for line in seen.stdout.splitlines() if re.search(r"Type: .*(pathDelay|53[0-3])", line)]
    check(len(known) >= 4, f"tshark does not see the elements 530 to 533: {known}")
    print(f"delays: {len(found)} records as in --json; tshark: {known[:4]}")


PARTS = {"delays": delays, "live": live, "tls": tls, "tshark": tshark, "nfdump": nfdump, "pmacct": pmacct, "softflowd": softflowd, "fixbuf": fixbuf, "point": whole_point}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sojourn", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--tools", required=True)
    parser.add_argument("part", choices=PARTS)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        PARTS[arguments.part](os.path.abspath(arguments.sojourn), arguments.source, folder, arguments.tools)


if __name__ == "__main__":
    main()
