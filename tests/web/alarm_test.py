#!/usr/bin/env python3
"""alarm_test.py SOJOURN MAKE_STORE: an alarm from the store to API, metrics, log and a webhook that refuses twice.

The store has 203.0.113.0/24 at 30 ms and 198.51.100.0/24 at 8 ms and less: of 'each oneway p95 < 25ms' only the first
can alarm, and paris:lyon, most of whose prefixes had their busy time half an hour ago.
"""
import hashlib
import hmac
import http.server
import json
import os
import sys
import tempfile
import threading
import time

from server import Server

SECRET = "a-secret-of-the-test"
failures = []


def check(name, holds, detail=""):
    if not holds:
        failures.append(f"{name}: {detail}")


class Hook(http.server.BaseHTTPRequestHandler):
    taken, refused = [], 0

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        refuse = Hook.refused < 2
        Hook.refused += refuse
        if not refuse:
            Hook.taken.append((self.path, dict(self.headers), body))
        self.send_response(500 if refuse else 204)
        self.send_header("Content-Length", "0")
        self.send_header("Connection", "close")
        self.end_headers()

    def log_message(self, *_):
        pass


def main():
    sojourn, make_store = sys.argv[1:3]
    hook = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hook)
    threading.Thread(target=hook.serve_forever, daemon=True).start()
    with tempfile.NamedTemporaryFile("w", suffix=".secret", delete=False) as file:
        file.write(SECRET + "\n")
    url = f"http://127.0.0.1:{hook.server_port}/alarms?from=test"
    with Server(sojourn, make_store, "--alarm", "each oneway p95 < 25ms", "--alarm", "tcp p95 < 5s", "--alarm-every", "1s",
                "--alarm-except", "100.64.0.0/10", "--webhook", url, "--webhook-secret-file", file.name) as server:
        alarms = []
        for _ in range(100):
            alarms = server.json("/api/v1/alarms")["alarms"]
            if alarms and Hook.taken:
                break
            time.sleep(0.2)
        check("one alarm", [(a["rule"], a["subject"], a["groups"]) for a in alarms] ==
              [("each oneway p95 < 25ms", "north:south", ["203.0.113.0/24"])], alarms)
        if alarms:
            check("its value", abs(alarms[0]["value_ns"] - 30e6) < 3e5 and alarms[0]["bound_ns"] == 25_000_000, alarms)
            check("the interval excludes the bound", alarms[0]["low_ns"] is not None and alarms[0]["low_ns"] > 25e6, alarms)
            check("it goes on", alarms[0]["until_s"] is None, alarms)
        metrics = server.get("/metrics")[2].decode()
        check("metric", 'sojourn_alarm{rule="each oneway p95 < 25ms",subject="north:south"} 1' in metrics and
              "sojourn_alarms_open 1" in metrics, [l for l in metrics.splitlines() if "alarm" in l])
        check("log", "alarm 1: each oneway p95 < 25ms: north:south, 203.0.113.0/24" in open(server.log.name, encoding="utf-8").read(),
              open(server.log.name, encoding="utf-8").read())
        check("refused first", Hook.refused == 2, Hook.refused)
        check("told once", len(Hook.taken) == 1, Hook.taken)
        if Hook.taken:
            path, headers, body = Hook.taken[0]
            document = json.loads(body)
            check("document", document["event"] == "opened" and document["alarm"]["subject"] == "north:south", document)
            check("path", path == "/alarms?from=test", path)
            signature = "sha256=" + hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
            check("signature", headers.get("Sojourn-Signature") == signature, headers)
    os.unlink(file.name)
    for failure in failures:
        print(failure)
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
