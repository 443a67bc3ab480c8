#!/usr/bin/env python3
"""alarm_test.py SOJOURN MAKE_STORE: an alarm from the store to API, metrics, log and a webhook that refuses twice; by TLS as well.

The store has 203.0.113.0/24 at 30 ms and 198.51.100.0/24 at 8 ms and less: of 'each oneway p95 < 25ms' only the first
can alarm, and paris:lyon, most of whose prefixes had their busy time half an hour ago.
"""
import hashlib
import hmac
import http.server
import json
import os
import shutil
import ssl
import sys
import tempfile
import threading
import time

from authority import LONG_AGO, Authority
from server import Server

SECRET = "a-secret-of-the-test"
failures = []


def check(name, holds, detail=""):
    if not holds:
        failures.append(f"{name}: {detail}")


class Hook(http.server.BaseHTTPRequestHandler):
    """server.taken, server.refused: the first two it refuses."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        refuse = self.server.refused < 2
        self.server.refused += refuse
        if not refuse:
            self.server.taken.append((self.path, dict(self.headers), body))
        self.send_response(500 if refuse else 204)
        self.send_header("Content-Length", "0")
        self.send_header("Connection", "close")
        self.end_headers()

    def log_message(self, *_):
        pass


def start_hook(certificate=None):
    hook = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hook)
    hook.taken, hook.refused = [], 0
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*certificate)
        hook.socket = context.wrap_socket(hook.socket, server_side=True)
        hook.handle_error = lambda *_: None  # a client that does not trust us
    threading.Thread(target=hook.serve_forever, daemon=True).start()
    return hook


def wait_until(holds, seconds=20):
    for _ in range(seconds * 10):
        if holds():
            break
        time.sleep(0.1)


def check_delivery(hook):
    check("refused first", hook.refused == 2, hook.refused)
    check("told once", len(hook.taken) == 1, hook.taken)
    if hook.taken:
        path, headers, body = hook.taken[0]
        document = json.loads(body)
        check("document", document["event"] == "opened" and document["alarm"]["subject"] == "north:south", document)
        check("path", path == "/alarms?from=test", path)
        signature = "sha256=" + hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
        check("signature", headers.get("Sojourn-Signature") == signature, headers)


def by_tls(sojourn, make_store, folder, rules):
    """To a webhook with a good certificate; nothing to one that is expired, of another authority or for another address."""
    ours, theirs = Authority(folder, "ours"), Authority(folder, "theirs")
    good = start_hook(ours.sign("good"))
    with Server(sojourn, make_store, *rules, "--webhook", f"https://127.0.0.1:{good.server_port}/alarms?from=test",
                "--webhook-authority", ours.certificate) as server:
        wait_until(lambda: good.taken)
        check_delivery(good)
    bad = {"expired": ours.sign("old", LONG_AGO), "issuer is unknown": theirs.sign("good"),
           "does not match": ours.sign("elsewhere", address="198.51.100.1")}
    for words, certificate in bad.items():
        hook = start_hook(certificate)
        with Server(sojourn, make_store, *rules, "--webhook", f"https://127.0.0.1:{hook.server_port}/", "--webhook-authority",
                    ours.certificate) as server:
            def log(server=server):
                return open(server.log.name, encoding="utf-8").read()
            wait_until(lambda: "webhook:" in log())
            check(f"a certificate: {words}", words in log() and not hook.taken and hook.refused == 0, (log(), hook.taken))


def main():
    sojourn, make_store = sys.argv[1:3]
    hook = start_hook()
    with tempfile.TemporaryDirectory() as folder:
        secret = os.path.join(folder, "secret")
        with open(secret, "w", encoding="ascii") as file:
            file.write(SECRET + "\n")
        rules = ["--alarm", "each oneway p95 < 25ms", "--alarm", "tcp p95 < 5s", "--alarm-every", "1s", "--alarm-except", "100.64.0.0/10",
                 "--webhook-secret-file", secret]
        with Server(sojourn, make_store, *rules, "--webhook", f"http://127.0.0.1:{hook.server_port}/alarms?from=test") as server:
            wait_until(lambda: server.json("/api/v1/alarms")["alarms"] and hook.taken)
            alarms = server.json("/api/v1/alarms")["alarms"]
            check("one alarm", [(a["rule"], a["subject"], a["groups"]) for a in alarms] ==
                  [("each oneway p95 < 25ms", "north:south", ["203.0.113.0/24"])], alarms)
            if alarms:
                check("its value", abs(alarms[0]["value_ns"] - 30e6) < 3e5 and alarms[0]["bound_ns"] == 25_000_000, alarms)
                check("the interval excludes the bound", alarms[0]["low_ns"] is not None and alarms[0]["low_ns"] > 25e6, alarms)
                check("it goes on", alarms[0]["until_s"] is None, alarms)
            metrics = server.get("/metrics")[2].decode()
            check("metric", 'sojourn_alarm{rule="each oneway p95 < 25ms",subject="north:south"} 1' in metrics and
                  "sojourn_alarms_open 1" in metrics and "sojourn_webhook_total" in metrics, [l for l in metrics.splitlines() if "alarm" in l])
            log = open(server.log.name, encoding="utf-8").read()
            check("log", "alarm 1: each oneway p95 < 25ms: north:south, 203.0.113.0/24" in log, log)
            check_delivery(hook)
        if shutil.which("certtool"):
            by_tls(sojourn, make_store, folder, rules)
        else:
            print("without certtool (gnutls-bin) the webhook by TLS is left out")
    for failure in failures:
        print(failure)
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
