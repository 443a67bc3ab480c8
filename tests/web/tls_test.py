#!/usr/bin/env python3
"""tls_test.py SOJOURN MAKE_STORE: who may see the page by TLS, with certificates that are right, wrong, expired or missing.

Also who may ask at all: an address of other machines is refused at the start without TLS and a token or an authority.
"""
import json
import os
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import warnings

from authority import LONG_AGO, Authority
from server import Server

TOKEN = "correct-horse-battery"
failures = []


def check(name, holds, detail=""):
    if not holds:
        failures.append(f"{name}: {detail}")


def ask(port, trust, path="/api/v1/status", client=None, token=None, version=None):
    """The status of a reply; the name of an exception if it does not come to one."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(trust)
    if client:
        context.load_cert_chain(*client)
    if version:
        context.set_ciphers("ALL:@SECLEVEL=0")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that old versions are deprecated is why they are tried
            context.minimum_version = context.maximum_version = version
    authorization = f"Authorization: Bearer {token}\r\n" if token else ""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=20) as plain, \
                context.wrap_socket(plain, server_hostname="127.0.0.1") as connection:
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{authorization}\r\n".encode())
            answer = b""
            while part := connection.recv(65536):
                answer += part
    except OSError as error:
        return type(error).__name__
    return int(answer.split()[1]) if answer.startswith(b"HTTP/1.1") else "nothing"


def by_certificate(sojourn, make_store, ours, theirs):
    certificate, key = ours.sign("server")
    good, expired, stranger = ours.sign("client"), ours.sign("old", LONG_AGO), theirs.sign("client")
    with Server(sojourn, make_store, "--web-certificate", certificate, "--web-key", key, "--web-authority", ours.certificate) as server:
        trust = ours.certificate
        for path in ("/", "/api/v1/status", "/metrics"):
            check(f"the right certificate, {path}", ask(server.port, trust, path, good) == 200)
        refused = {"none": None, "one of another authority": stranger, "an expired one": expired}
        for name, client in refused.items():
            for path in ("/", "/api/v1/status", "/metrics", "/api/v1/live?subject=north&kind=tcp"):
                status = ask(server.port, trust, path, client)
                check(f"{name}, {path}", status == 403 or isinstance(status, str), status)
        for version in (ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1):
            status = ask(server.port, trust, client=good, version=version)
            check(f"old {version.name}", isinstance(status, str), status)
        check("TLS 1.2", ask(server.port, trust, client=good, version=ssl.TLSVersion.TLSv1_2) == 200)
        check("a browser that does not know our authority", ask(server.port, theirs.certificate, client=good) == "SSLCertVerificationError")
        plain = server.raw(b"GET /api/v1/status HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        check("without TLS", b"200" not in plain[:20] and b"north" not in plain, plain[:80])
        with socket.create_connection(("127.0.0.1", server.port)) as half:  # a handshake that never ends
            half.sendall(b"\x16\x03\x01\x02\x00\x01")
            check("beside half a handshake", ask(server.port, trust, client=good) == 200)


def by_token(sojourn, make_store, ours, folder):
    certificate, key = ours.sign("server2")
    token_file = os.path.join(folder, "token")
    with open(token_file, "w", encoding="ascii") as file:
        file.write(TOKEN + "\n")
    # An address that other machines could reach: TLS and a token are enough.
    with Server(sojourn, make_store, "--web-certificate", certificate, "--web-key", key, "--web-token-file", token_file,
                host="0.0.0.0") as server:
        for token, status in ((TOKEN, 200), (TOKEN[:-1], 401), (None, 401)):
            found = ask(server.port, ours.certificate, token=token)
            check(f"token {token}", found == status, found)
        check("the page itself", ask(server.port, ours.certificate, "/") == 200)
        if shutil.which("curl"):
            curl = subprocess.run(["curl", "-s", "--max-time", "20", "--cacert", ours.certificate, "-H", f"Authorization: Bearer {TOKEN}",
                                   f"https://127.0.0.1:{server.port}/api/v1/status"], capture_output=True, check=False)
            check("curl", curl.returncode == 0 and "subjects" in json.loads(curl.stdout or b"{}"), curl)


def at_the_start(sojourn, make_store, ours, folder):
    certificate, key = ours.sign("server3")
    _, other_key = ours.sign("server4")
    token_file = os.path.join(folder, "token")
    store = os.path.join(folder, "start.db")
    tls = ["--web-certificate", certificate, "--web-key", key]
    short = os.path.join(folder, "short")
    with open(short, "w", encoding="ascii") as file:
        file.write("short\n")
    wrong = {
        "needs a certificate": ["--web", "0.0.0.0:0"],
        "needs a certificate and a key": ["--web", "0.0.0.0:0", "--web-token-file", token_file],
        "needs a token or an authority": ["--web", "0.0.0.0:0", *tls],
        "go together": ["--web", "0", "--web-certificate", certificate],
        "certificates of clients need TLS": ["--web", "0", "--web-authority", ours.certificate],
        "at least 16 characters": ["--web", "0", "--web-token-file", short],
        "no token in": ["--web", "0", "--web-token-file", "/dev/null"],
        "cannot read": ["--web", "0", "--web-certificate", folder + "/nothing", "--web-key", key],
        "are certificate and key right": ["--web", "0", "--web-certificate", certificate, "--web-key", other_key],
    }
    for words, options in wrong.items():
        run = subprocess.run([sojourn, "collect", "--listen", "127.0.0.1:0", "--store", store, *options], capture_output=True,
                             encoding="utf-8", timeout=20, check=False)
        check(f"{options}", run.returncode != 0 and words in run.stderr and run.stderr.count("\n") <= 2, run.stderr)
    with Server(sojourn, make_store, "--insecure", host="0.0.0.0") as server:
        check("--insecure", server.get("/api/v1/status")[0] == 200)


def main():
    sojourn, make_store = sys.argv[1:3]
    if not shutil.which("certtool"):
        print("skipped: needs certtool (gnutls-bin)")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = Authority(folder, "ours"), Authority(folder, "theirs")
        by_certificate(sojourn, make_store, ours, theirs)
        by_token(sojourn, make_store, ours, folder)
        at_the_start(sojourn, make_store, ours, folder)
    for failure in failures:
        print(failure)
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
