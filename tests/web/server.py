"""A collector with a page over a store of known content, for the tests beside this file."""
import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time


def free_port(kind=socket.SOCK_STREAM):
    with socket.socket(socket.AF_INET, kind) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """with Server(sojourn, make_store) as server: server.port, server.get(...)"""

    def __init__(self, sojourn, make_store, *options, host="127.0.0.1", empty=False, store=None, now=None):
        self.sojourn, self.make_store, self.options, self.host, self.empty = sojourn, make_store, options, host, empty
        self.folder = tempfile.mkdtemp(prefix="sojourn-web-")
        self.store = store or os.path.join(self.folder, "sojourn.db")
        self.now = now or int(time.time()) // 10 * 10
        self.process = None
        self.port = self.ipfix_port = 0

    def __enter__(self):
        if not self.empty:
            subprocess.run([self.make_store, self.store, str(self.now)], check=True)
        self.start()
        return self

    def start(self, port=0):
        self.log = open(os.path.join(self.folder, "log"), "w+", encoding="utf-8")
        self.ipfix_port = free_port()
        self.process = subprocess.Popen(
            [self.sojourn, "collect", "--listen", f"127.0.0.1:{self.ipfix_port}", "--store", self.store, "--web",
             f"{self.host}:{port}", *self.options], stderr=self.log)
        for _ in range(200):
            text = open(self.log.name, encoding="utf-8").read()
            found = re.search(r"https?://\S+:(\d+)/", text)
            if found:
                self.port = int(found[1])
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        raise SystemExit("the collector did not start: " + open(self.log.name, encoding="utf-8").read())

    def stop(self):
        self.process.terminate()
        self.status = self.process.wait(timeout=20)

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.stop()
        shutil.rmtree(self.folder)

    def column(self, delay_ms):
        """One more slice of 10 s, the one that is going on."""
        end = (int(time.time()) // 10 + 1) * 10
        subprocess.run([self.make_store, self.store, str(end), "--column", str(delay_ms)], check=True)

    def raw(self, request, timeout=30):
        """Bytes to the server, and all that comes back until it closes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=timeout) as connection:
            connection.sendall(request)
            answer = b""
            while True:
                try:
                    part = connection.recv(65536)
                except (ConnectionResetError, TimeoutError):
                    break
                if not part:
                    break
                answer += part
            return answer

    def get(self, path, *headers, method="GET"):
        """(status, headers, body) of one request."""
        lines = [f"{method} {path} HTTP/1.1", "Connection: close", *headers]
        if not any(line.lower().startswith("host:") for line in headers):
            lines.insert(1, "Host: localhost")
        answer = self.raw(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))
        head, _, body = answer.partition(b"\r\n\r\n")
        status = int(head.split()[1]) if head else 0
        return status, head.decode("latin-1"), body

    def json(self, path, *headers):
        status, _, body = self.get(path, *headers)
        assert status == 200, (path, status, body)
        return json.loads(body)
