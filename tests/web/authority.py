"""Certificates for the tests of TLS: two authorities, and what they signed, good and expired.  By certtool (gnutls-bin)."""
import os
import subprocess

LONG_AGO = 'activation_date = "2020-01-01 00:00:00"\nexpiration_date = "2021-01-01 00:00:00"\n'
GOOD = "expiration_days = 2\n"


class Authority:
    """Authority(folder, "ours").sign("client") -> (certificate, key), both names of PEM files."""

    def __init__(self, folder, name):
        self.folder, self.name = folder, name
        self.certificate, self.key = self.path(name + ".pem"), self.path(name + ".key")
        self.tool("--generate-privkey", "--key-type", "ecdsa", "--outfile", self.key)
        template = self.template(name, "ca\ncert_signing_key\n" + GOOD)
        self.tool("--generate-self-signed", "--load-privkey", self.key, "--template", template, "--outfile", self.certificate)

    def sign(self, name, validity=GOOD, address="127.0.0.1"):
        certificate, key = self.path(f"{self.name}-{name}.pem"), self.path(f"{self.name}-{name}.key")
        self.tool("--generate-privkey", "--key-type", "ecdsa", "--outfile", key)
        template = self.template(f"{self.name}-{name}", f"ip_address = {address}\ntls_www_server\ntls_www_client\nsigning_key\n" + validity)
        self.tool("--generate-certificate", "--load-privkey", key, "--load-ca-certificate", self.certificate,
                  "--load-ca-privkey", self.key, "--template", template, "--outfile", certificate)
        return certificate, key

    def path(self, name):
        return os.path.join(self.folder, name)

    def template(self, name, text):
        with open(self.path(name + ".cfg"), "w", encoding="ascii") as file:
            file.write(f"cn = {name}\n{text}")
        return file.name

    @staticmethod
    def tool(*arguments):
        subprocess.run(["certtool", *arguments], check=True, capture_output=True)
