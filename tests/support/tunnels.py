"""The tunnels over UDP that Sojourn reads: the rows of `udp_tunnels` in wire/tunnels.cpp."""
import os
import re

ROW = re.compile(r'^ *UdpTunnel\{(\d+), Ends::\w+, "(\w+)"', re.MULTILINE)
SOURCE = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))


def _rows(source):
    with open(os.path.join(source, "wire", "tunnels.cpp")) as file:
        rows = ROW.findall(file.read())
    if len(rows) < 9:
        raise ValueError(f"wire/tunnels.cpp has {len(rows)} rows of udp_tunnels that look like those known here")
    return rows


def udp_ports(source=SOURCE):
    return [int(port) for port, _ in _rows(source)]


def udp_names(source=SOURCE):
    return {name for _, name in _rows(source)}
