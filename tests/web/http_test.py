#!/usr/bin/env python3
"""http_test.py SOJOURN MAKE_STORE: what the server does with those who mean no good, or are slow, or many."""
import json
import os
import socket
import sys
import tempfile
import threading
import time

from server import Server

failures = []


def check(name, holds, detail=""):
    if not holds:
        failures.append(f"{name}: {detail}")


def first_line(answer):
    return answer.split(b"\r\n")[0].decode("latin-1", "replace")


def answers(server):
    """The API over a real store; its numbers are in web/api's own tests."""
    status = server.json("/api/v1/status")
    check("subjects", [s["name"] for s in status["subjects"]] ==
          ["<img src=x onerror=alert(1)>", "north", "north:south", "paris:lyon", "shop", "south:north"], status["subjects"])
    heat = server.json(f"/api/v1/heatmap?subject=north:south&kind=oneway&prefix=198.51.100.0/24&columns=1000&from_s={server.now - 3600}&to_s={server.now}")
    check("heatmap adds up", sum(heat["cells"]["weight"]) == 360 * 100, sum(heat["cells"]["weight"]))
    medians = [m for m in heat["series"]["median_ns"] if m is not None]
    check("median", medians and all(4e6 * 0.98 < m < 8e6 * 1.02 for m in medians), medians[:3])
    losses = [v for v in heat["series"]["loss"] if v is not None]
    check("loss", losses and all(abs(v - 0.01) < 1e-9 for v in losses), losses[:3])
    groups = server.json(f"/api/v1/groups?subject=north:south&kind=oneway&from_s={server.now - 600}&to_s={server.now}")["groups"]
    check("who", [(g["prefix"], g["verdict"]) for g in groups] == [("203.0.113.0/24", "slower"), ("198.51.100.0/24", "same")], groups)
    day = server.json(f"/api/v1/heatmap?subject=paris:lyon&kind=oneway&from_s={server.now - 86400}&to_s={server.now}")
    check("a day", day["step_s"] == 600 and len(day["cells"]["weight"]) > 500, (day["step_s"], len(day["cells"]["weight"])))
    health = server.json("/api/v1/health")
    check("ledgers add up", all(l["fault"] is None for l in health["ledgers"]), health["ledgers"])


def headers(server):
    for path in ("/", "/api/v1/status", "/metrics", "/nothing"):
        _, head, _ = server.get(path)
        policy = next((line for line in head.split("\r\n") if line.lower().startswith("content-security-policy")), "")
        check(f"policy of {path}", "default-src 'none'" in policy and "unsafe" not in policy, head)
        check(f"no cookie at {path}", "set-cookie" not in head.lower() and "access-control" not in head.lower(), head)
        check(f"nosniff at {path}", "x-content-type-options: nosniff" in head.lower(), head)


def tricks(server):
    for path in ("/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/page.js/../../x", "//etc/passwd", "/api/v1/../status",
                 "/api/v1/", "/api/v1/status/", "/api/v1/status%00", "/page.js%00.css", "/api/v2/status", "/metrics/"):
        status, _, body = server.get(path)
        check(f"path {path}", status in (400, 404) and b"root:" not in body, status)
    for query in ("?subject=%", "?a=1&a=2", "?" + "&".join(f"p{i}=1" for i in range(40)), "?subject=%00&kind=tcp",
                  "?subject=north&kind=tcp&columns=-1", "?subject=north&kind=tcp&from_s=1e9", "?subject=north&kind=tcp&prefix=::/129"):
        status, _, _ = server.get("/api/v1/heatmap" + query)
        check(f"query {query[:30]}", status == 400, status)
    for host in ("evil.example", "localhost.evil.example:80", "127.0.0.1.evil.example"):
        status, _, _ = server.get("/api/v1/status", f"Host: {host}")
        check(f"host {host}", status == 421, status)
    status, _, body = server.get("/api/v1/status", method="HEAD")
    check("HEAD", status == 200 and body == b"", (status, body))


def malformed(server):
    for request in (b"\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
                    b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n", b"GET / HTTP/1.1\r\nHost: a\r\nHost\x00: b\r\n\r\n",
                    b"\x00" * 1000 + b"\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"):
        with socket.create_connection(("127.0.0.1", server.port), timeout=5) as connection:
            connection.sendall(request)
            connection.shutdown(socket.SHUT_WR)
            try:
                answer = connection.recv(65536)
            except (ConnectionResetError, TimeoutError):
                answer = b""
            check(f"malformed {request[:20]}", answer == b"" or b" 200 " not in answer.split(b"\r\n")[0], first_line(answer))
    long = server.raw(b"GET /?" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    check("long line", not long or int(long.split()[1]) in (400, 413, 414, 431), first_line(long))
    many = server.raw(b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"".join(b"X-%d: %s\r\n" % (i, b"y" * 500) for i in range(200)) + b"\r\n")
    check("many headers", not many or int(many.split()[1]) in (413, 431), first_line(many))
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "BREW"):
        status, _, _ = server.get("/api/v1/status", method=method)
        check(f"method {method}", status in (400, 405), status)
    body = server.raw(b"GET /api/v1/status HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10000000000\r\n\r\n" + b"z" * 1000)
    check("announced body", int(body.split()[1]) == 413, first_line(body))
    chunked = server.raw(b"GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
    check("chunked body", int(chunked.split()[1]) == 413, first_line(chunked))


def slow_client(server, result):
    """A byte of a request every half second is ended after 20 s."""
    began = time.time()
    with socket.create_connection(("127.0.0.1", server.port), timeout=2) as connection:
        connection.settimeout(0.5)
        while time.time() - began < 40:
            try:
                connection.sendall(b"x")
                if connection.recv(1) == b"":
                    break
            except TimeoutError:
                continue
            except OSError:
                break
    result.append(time.time() - began)


def crowd(server):
    """More live streams than there is room for; then everybody leaves, and there is room again."""
    request = b"GET /api/v1/live?subject=north&kind=tcp HTTP/1.1\r\nHost: localhost\r\n\r\n"
    streams = []
    statuses = []
    for _ in range(205):
        connection = socket.create_connection(("127.0.0.1", server.port), timeout=5)
        connection.sendall(request)
        statuses.append(int(connection.recv(4096).split()[1]))
        streams.append(connection)
    check("streams", statuses.count(200) == 200 and statuses.count(503) == 5, {s: statuses.count(s) for s in set(statuses)})
    check("served beside them", server.get("/api/v1/status")[0] == 200)
    for connection in streams:
        connection.close()


def connections(server):
    """More connections than are accepted: the rest waits, and is served when the others have gone."""
    request = b"GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n"
    open_now = 513
    for _ in range(100):  # until those who left are gone there, too
        open_now = server.json("/api/v1/health")["process"]["http"]["connections"]
        if open_now <= 2:
            break
        time.sleep(0.1)
    check("all are gone", open_now <= 2, open_now)
    free = 512 - open_now
    idle = [socket.create_connection(("127.0.0.1", server.port), timeout=20) for _ in range(free + 10)]
    late = idle[-1]
    late.sendall(request)
    late.settimeout(1)
    try:
        answer = late.recv(100)
    except TimeoutError:
        answer = None
    check("the 513th waits", answer is None, answer)
    for connection in idle[:-1]:
        connection.close()
    late.settimeout(20)
    check("... and is served later", b" 404 " in late.recv(100))
    late.close()


def flood(server):
    """One request after the other, as fast as they are answered."""
    good = refused = 0
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        for _ in range(60):
            connection.sendall(b"HEAD /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n" * 50)
            answers = b""
            try:
                while answers.count(b"HTTP/1.1") < 50 and b"HTTP/1.1 429" not in answers:
                    answers += connection.recv(65536) or b"HTTP/1.1 429"
            except ConnectionResetError:
                answers += b"HTTP/1.1 429"  # the rest of the fifty lay unread when it was closed
            good += answers.count(b"HTTP/1.1 404")
            if b"HTTP/1.1 429" in answers:
                refused = 1
                break
    server_says = None
    for _ in range(50):  # until the bucket has a token again
        status, _, body = server.get("/api/v1/health")
        if status == 200:
            server_says = json.loads(body)["process"]["http"]["replies"]
            break
        time.sleep(0.1)
    refused = refused and server_says and server_says.get("429", 0) >= 1
    check("rate", refused and good >= 100, (good, refused))


def tokens(sojourn, make_store):
    with tempfile.NamedTemporaryFile("w", suffix=".token", delete=False) as file:
        file.write("correct-horse-battery\n")
    with Server(sojourn, make_store, "--web-token-file", file.name) as server:
        for header in ("X: y", "Authorization: Bearer wrong-horse-battery", "Authorization: Bearer correct-horse-batter",
                       "Authorization: Basic correct-horse-battery", "Authorization: Bearer ", "Authorization: correct-horse-battery"):
            for path in ("/api/v1/status", "/metrics", "/api/v1/live?subject=north&kind=tcp"):
                status, head, body = server.get(path, header)
                check(f"token {header} {path}", status == 401 and b"north" not in body and "WWW-Authenticate: Bearer" in head, (status, head))
        check("right token", server.get("/api/v1/status", "Authorization: Bearer correct-horse-battery")[0] == 200)
        check("the page itself", server.get("/")[0] == 200)
    os.unlink(file.name)


def strangers(server):
    """What the collector cannot read is in its metrics and on Health, while it runs."""
    for _ in range(3):
        with socket.create_connection(("127.0.0.1", server.ipfix_port)) as stranger:
            stranger.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    wanted = ['sojourn_listener_closed_total{reason="not-ipfix"} 3\n', 'sojourn_listener_trouble_total{reason="other-version"} 3\n',
              'sojourn_listener_trouble_total{reason="bad-record"} 0\n', "sojourn_listener_open_connections 0\n"]
    for _ in range(100):
        metrics = server.get("/metrics")[2].decode()
        if all(line in metrics for line in wanted):
            break
        time.sleep(0.1)
    check("strangers in metrics", all(line in metrics for line in wanted), [l for l in metrics.splitlines() if "listener" in l])
    heard = server.json("/api/v1/health")["process"]["listener"]
    check("strangers on Health", heard["closed"] == {"not-ipfix": 3} and heard["troubles"] == {"other-version": 3}, heard)


def main():
    sojourn, make_store = sys.argv[1:3]
    with Server(sojourn, make_store) as server:
        if server.get("/api/v1/status")[0] != 200:
            print("skipped: built without a web server")
            return 77
        slow_result = []
        threads = [threading.Thread(target=slow_client, args=(server, slow_result)) for _ in range(20)]
        for thread in threads:
            thread.start()
        answers(server)
        strangers(server)
        headers(server)
        tricks(server)
        malformed(server)
        crowd(server)
        tokens(sojourn, make_store)
        for thread in threads:
            thread.join()
        check("slow clients are ended", len(slow_result) == 20 and all(18 < t < 36 for t in slow_result), slow_result)
        check("... and counted", server.json("/api/v1/health")["process"]["http"]["too_slow"] >= 20)
        connections(server)
        flood(server)
        server.stop()
        check("ends well", server.status == 0, server.status)
    for failure in failures:
        print(failure)
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
