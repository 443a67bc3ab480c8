#!/usr/bin/env python3
"""certificates.py FOLDER: an authority, and a certificate of it for the collector and one for the points."""
import pathlib
import subprocess
import sys

folder = pathlib.Path(sys.argv[1])


def certtool(*arguments):
    subprocess.run(["certtool", *arguments], check=True, capture_output=True, cwd=folder)


for name in ("ca", "collector", "point"):
    certtool("--generate-privkey", "--key-type", "ecdsa", "--outfile", f"{name}.key")
(folder / "ca.cfg").write_text("cn = test authority\nca\ncert_signing_key\nexpiration_days = 2\n", encoding="ascii")
certtool("--generate-self-signed", "--load-privkey", "ca.key", "--template", "ca.cfg", "--outfile", "ca.pem")
NAMES = "ip_address = 127.0.0.1\nip_address = 198.51.100.17\nip_address = 198.51.100.33\n"
for name in ("collector", "point"):
    (folder / f"{name}.cfg").write_text(
        f"cn = {name}\n{NAMES}tls_www_server\ntls_www_client\nsigning_key\nexpiration_days = 2\n", encoding="ascii")
    certtool("--generate-certificate", "--load-privkey", f"{name}.key", "--load-ca-certificate", "ca.pem",
             "--load-ca-privkey", "ca.key", "--template", f"{name}.cfg", "--outfile", f"{name}.pem")
