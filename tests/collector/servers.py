"""ClickHouse servers, collectors and points of a test, on loopback ports and in a temporary folder."""
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import urllib.request

SKIP = 77


def need(*programs):
    for program in programs:
        if not shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin"):
            print(f"skipped: {program} is not installed (tools/setup test)")
            sys.exit(SKIP)


def check(holds, message):
    if not holds:
        sys.exit("failed: " + message)


def free_port():
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


def wait_until(holds, what, seconds=60):
    end = time.monotonic() + seconds
    while not holds():
        check(time.monotonic() < end, f"waited {seconds} s in vain: {what}")
        time.sleep(0.05)


class ClickHouse:
    """One shard."""

    def __init__(self, folder):
        os.makedirs(folder)
        self.folder, self.port, self.process = folder, free_port(), None
        with open(f"{folder}/config.xml", "w", encoding="ascii") as file:
            file.write(f"""<yandex><logger><level>warning</level><log>{folder}/log</log><errorlog>{folder}/errors</errorlog></logger>
<http_port>{self.port}</http_port><tcp_port>{free_port()}</tcp_port><listen_host>127.0.0.1</listen_host>
<path>{folder}/data/</path><tmp_path>{folder}/tmp/</tmp_path><mark_cache_size>67108864</mark_cache_size>
<users_config>users.xml</users_config><default_profile>default</default_profile><default_database>default</default_database></yandex>""")
        with open(f"{folder}/users.xml", "w", encoding="ascii") as file:
            file.write("<yandex><profiles><default/></profiles><quotas><default/></quotas><users><default><password></password>"
                       "<networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default>"
                       "</users></yandex>")
        self.start()

    def start(self):
        self.process = subprocess.Popen(["/usr/sbin/clickhouse-server", f"--config-file={self.folder}/config.xml"],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(self.answers, "ClickHouse to start")

    def answers(self):
        try:
            return urllib.request.urlopen(f"http://127.0.0.1:{self.port}/ping", timeout=2).status == 200
        except OSError:
            return False

    def select(self, sql):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/", sql.encode(), timeout=60) as answer:
            return answer.read().decode()

    def kill(self):
        if self.process:
            self.process.kill()
            self.process.wait()
        self.process = None


class Collector:
    def __init__(self, program, store, log, *options, listen=None, wrapper=(), address="127.0.0.1"):
        self.port = listen or free_port()
        self.program, self.store, self.log = program, store, log
        self.command = [*wrapper, program, "collect", "--store", store, "--listen", f"{address}:{self.port}", *options]
        self.process = None
        self.start()

    def start(self):
        before = self.lines("listening")
        with open(self.log, "a", encoding="utf-8") as log, open(self.log + ".summary", "w", encoding="utf-8") as summary:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=summary, stderr=log)
        wait_until(lambda: self.lines("listening") > before or self.process.poll() is not None, "the collector to listen")
        check(self.process.poll() is None, "the collector ended: " + self.text())

    def text(self):
        return open(self.log, encoding="utf-8").read() if os.path.exists(self.log) else ""

    def summary(self):
        """What it said at its end."""
        return open(self.log + ".summary", encoding="utf-8").read()

    def lines(self, word):
        return sum(word in line for line in self.text().splitlines())

    def wait_for(self, word, times=1, seconds=60):
        wait_until(lambda: self.lines(word) >= times, f"'{word}' in the log, which says {self.text()}", seconds)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def __del__(self):
        if self.process and self.process.poll() is None:
            self.process.kill()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        check(self.process.wait(timeout=120) == 0, "the collector failed: " + self.text())


class Tee:
    """What comes on its port goes to all of `ports`."""

    def __init__(self, ports):
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port, self.ports = self.server.getsockname()[1], ports
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            connection, _ = self.server.accept()
            threading.Thread(target=self.hand_on, args=(connection,), daemon=True).start()

    def hand_on(self, connection):
        others = [socket.create_connection(("127.0.0.1", port)) for port in self.ports]
        while data := connection.recv(65536):
            for other in others:
                other.sendall(data)
        for each in [connection, *others]:
            each.close()


def point(program, capture, name, port, *options):
    return subprocess.Popen([program, "point", capture, "--name", name, "--to", f"127.0.0.1:{port}", "--every", "1s", "--kind",
                             "none", *options], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
                            encoding="utf-8")


def finish(*points):
    for each in points:
        errors = each.communicate(timeout=120)[1]
        check(each.returncode == 0, f"a point failed: {errors}")


def made_recent(capture):
    """Moves a capture by whole days, so that it begins one to 25 hours ago: stores drop their finest slices after two days."""
    with open(capture, "rb") as file:
        data = bytearray(file.read())
    begin, at = struct.unpack_from("<I", data, 24)[0], 24
    days = int((time.time() - 3600 - begin) // 86400)
    while at < len(data):
        seconds, _, length = struct.unpack_from("<III", data, at)
        struct.pack_into("<I", data, at, seconds + days * 86400)
        at += 16 + length
    with open(capture, "wb") as file:
        file.write(data)
    return capture


def two_captures(program, folder, packets=60000, seed=1, *options):
    subprocess.run([program, "generate", "--model", "chic", "--points", "2", "--packets", str(packets), "--seed", str(seed), *options,
                    f"{folder}/two"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return made_recent(f"{folder}/two.first.pcap"), made_recent(f"{folder}/two.last.pcap")
