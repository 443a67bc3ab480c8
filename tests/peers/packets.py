"""The packets of a capture as tshark dissects them: addresses, numbers, and tshark's own delays.

Everything the comparison knows about a packet comes from here, so it never depends on Sojourn's
own reading of the bytes.  The innermost IP packet counts, as in Sojourn; what an ICMP error quotes
does not.
"""
import gzip
import hashlib
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import tunnels  # noqa: E402

FIELDS = """frame.number frame.time_epoch frame.protocols ip.src ip.dst ipv6.src ipv6.dst ip.fragment
ipv6.fragment tcp.srcport tcp.dstport udp.srcport udp.dstport tcp.stream tcp.seq_raw tcp.ack_raw tcp.len
tcp.flags tcp.window_size_value tcp.analysis.acks_frame tcp.analysis.ack_rtt tcp.analysis.initial_rtt
tcp.analysis.keep_alive tcp.analysis.zero_window_probe icmp.type icmp.ident icmp.seq icmp.checksum
icmp.resp_to icmp.resptime icmpv6.type icmpv6.echo.identifier icmpv6.echo.sequence_number
icmpv6.checksum icmpv6.resp_to icmpv6.resptime dns.id dns.flags.response dns.flags.opcode
dns.count.queries dns.count.zones dns.qry.name dns.qry.type dns.qry.class dns.time dns.response_to dns.retransmission tcp.segment ip.len ip.hdr_len tcp.hdr_len ip.flags.mf ip.frag_offset
ipv6.fraghdr.more ipv6.fraghdr.offset frame.cap_len frame.len ip.id tcp.checksum udp.checksum
tcp.options.timestamp.tsval tcp.options.timestamp.tsecr""".split()
COLUMN = {name: column for column, name in enumerate(FIELDS)}

FIN, SYN, RST, ACK = 1, 2, 4, 16

# What Sojourn reads on the way to an IP packet inside UDP, as tshark calls it: the names of the registry, and what
# tshark has another name for.
FOLLOWED_OVER_UDP = tunnels.udp_names() | {"vxlan_gpe", "nsh"}
# Tunnels and link types that tshark follows and Sojourn does not.
UNFOLLOWED = {"arcnet", "capwap", "cmd", "fddi", "gtpprime", "infiniband", "ipcomp", "ipnet", "ipoib", "l2tpv3",
              "lwapp", "ppi", "stt", "tr", "tzsp"}


class Packet:
    """One frame's innermost TCP segment, DNS message or ICMP echo."""
    __slots__ = ("frame", "time", "kind", "source", "destination", "source_port", "destination_port",
                 "sender", "receiver", "unfollowed", "fragments", "innermost_fragmented", "row", "stream", "sequence",
                 "acknowledgment", "length", "peer_length", "flags", "window", "network_index")

    def field(self, name):
        return self.row[COLUMN[name]]

    def values(self, name):
        text = self.row[COLUMN[name]]
        return text.split("|") if text else []


class ImpossibleTime(Exception):
    """The capture's times are no times."""


def nanoseconds(text):
    """'-0.000001000' or '1475762040.036471000' -> integer nanoseconds, exactly."""
    negative = text.startswith("-")
    whole, _, fraction = text.lstrip("-").partition(".")
    value = int(whole) * 10**9 + int(fraction.ljust(9, "0")[:9] or 0)
    return -value if negative else value


def tshark_version():
    try:
        text = subprocess.run(["tshark", "--version"], capture_output=True, text=True).stdout
    except FileNotFoundError:
        return None
    return text.split("\n", 1)[0]


def dissected_rows(capture, cache_folder, version):
    """Lines of tshark's fields, remembered by the content of the capture and tshark's version."""
    with open(capture, "rb") as file:
        digest = hashlib.sha256(file.read() + version.encode() + " ".join(FIELDS).encode()).hexdigest()
    cached = os.path.join(cache_folder, digest + ".gz") if cache_folder else None
    if cached and os.path.exists(cached):
        with gzip.open(cached, "rt") as file:
            return file.read().splitlines()
    command = ["tshark", "-n", "-r", capture, "-T", "fields", "-E", "separator=/t", "-E", "occurrence=a",
               "-E", "aggregator=|"]
    for field in FIELDS:
        command += ["-e", field]
    # An exit status other than 0 may mean a capture cut short: what was read still counts.
    run = subprocess.run(command, capture_output=True)
    if b"aren't valid" in run.stderr:
        sys.exit(f"this tshark lacks a field: {run.stderr.decode()}")
    text = run.stdout.decode("utf-8", "replace")
    if cached:
        os.makedirs(cache_folder, exist_ok=True)
        with gzip.open(cached + ".new", "wt", compresslevel=1) as file:
            file.write(text)
        os.replace(cached + ".new", cached)
    return text.split("\n")[:-1]


def plan(protocols):
    """Which occurrence of each field belongs to the transport that Sojourn would pair, or None.

    Depends on the chain of protocols only, such as eth:ethertype:ip:gre:ip:tcp."""
    seen = {"ip": -1, "ipv6": -1, "tcp": -1, "udp": -1}
    kind, network, transport, tunnel, unfollowed, follows = None, None, None, None, None, False
    for token in protocols.split(":"):
        if token in ("ip", "ipv6"):
            if kind in ("icmp", "tcp"):
                break  # the packet that an ICMP error quotes, or that someone sends over TCP
            seen[token] += 1
            if kind == "udp" and not follows:
                tunnel = "udp"
            kind, network, follows, unfollowed = None, (token, seen[token]), False, unfollowed or tunnel
        elif token in ("tcp", "udp") and network:
            seen[token] += 1
            kind, transport = token, seen[token]
        elif token in ("icmp", "icmpv6") and network:
            kind, transport = "icmp", None
        elif token in UNFOLLOWED:
            tunnel = token
        follows |= token in FOLLOWED_OVER_UDP
    return kind and (kind, network[0], network[1], transport, unfollowed)


def occurrence(text, index):
    return text if "|" not in text else text.split("|")[index]


PLACES = {"ip": (3, 4), "ipv6": (5, 6), "tcp": (9, 10), "udp": (11, 12)}


def read_packets(capture, cache_folder, version):
    """(packets in file order, {frame: time in ns} of every frame, {frame: addresses} of first
    fragments whose packet tshark never saw whole, {frame: addresses} of what it does not dissect)"""
    packets, times, plans, started, joined, undissected = [], {}, {}, {}, set(), {}
    for line in dissected_rows(capture, cache_folder, version):
        row = line.split("\t")
        if len(row) != len(FIELDS) or not row[1]:
            continue  # a pcapng simple packet has no time
        frame = int(row[0])
        if len(row[1].partition(".")[2]) > 9 or row[1].startswith("-"):
            raise ImpossibleTime  # more than a second's worth of microseconds: anyone's guess
        times[frame] = nanoseconds(row[1])
        if row[COLUMN["ip.flags.mf"]] or row[COLUMN["ipv6.fraghdr.more"]]:
            started[frame] = starts_fragments(row)
            joined.update(int(number) for number in (row[7] + "|" + row[8]).split("|") if number)
        protocols = row[2]
        if protocols not in plans:
            plans[protocols] = plan(protocols)
        if protocols.endswith((":ip", ":ipv6", "udp:data")):
            undissected[frame] = frozenset(value.split("|")[-1] for value in row[3:7] if value)
        if not plans[protocols]:
            continue
        packet = Packet()
        packet.kind, network, network_index, transport_index, packet.unfollowed = plans[protocols]
        packet.frame, packet.row, packet.network_index = frame, row, network_index
        source, destination = PLACES[network]
        packet.source = occurrence(row[source], network_index)
        packet.destination = occurrence(row[destination], network_index)
        packet.source_port = packet.destination_port = 0
        if packet.kind != "icmp":
            source, destination = PLACES[packet.kind]
            if not row[source] or not row[destination]:
                continue  # the header was cut off
            packet.source_port = int(occurrence(row[source], transport_index))
            packet.destination_port = int(occurrence(row[destination], transport_index))
        packet.sender = (packet.source, packet.source_port, packet.destination, packet.destination_port)
        packet.receiver = (packet.destination, packet.destination_port, packet.source, packet.source_port)
        packet.fragments = [int(number) for number in
                            packet.values("ip.fragment") + packet.values("ipv6.fragment")]
        packet.innermost_fragmented = bool(packet.fragments) and is_fragment(packet, network, network_index)
        packet.time = times[frame]
        if packet.kind == "tcp":
            if not read_tcp(packet, network, network_index):
                continue
        elif packet.kind == "udp" and not row[COLUMN["dns.id"]]:
            continue
        packets.append(packet)
    incomplete = {frame: pair for frame, pair in started.items() if pair and frame not in joined}
    return packets, times, incomplete, undissected


def read_tcp(packet, network, network_index):
    """False if the header was cut off."""
    numbers = [packet.field(name) for name in TCP_NUMBERS]
    if not all(numbers):
        return False
    if any("|" in number for number in numbers):
        numbers = [number.split("|")[0] for number in numbers]
    packet.stream, packet.sequence, packet.acknowledgment, packet.peer_length, packet.window = map(int, numbers[:5])
    packet.flags = int(numbers[5], 16)
    packet.length = packet.peer_length
    if network == "ip" and not packet.fragments:
        # tshark takes the frame's length where that is less; some old captures lie about it.
        total, header = (int(occurrence(packet.field(name), network_index)) for name in ("ip.len", "ip.hdr_len"))
        if total:  # 0: segmentation was left to the network card, and only the frame knows
            packet.length = total - header - int(occurrence(packet.field("tcp.hdr_len"), 0))
    return True


TCP_NUMBERS = ("tcp.stream", "tcp.seq_raw", "tcp.ack_raw", "tcp.len", "tcp.window_size_value", "tcp.flags")


def is_fragment(packet, network, network_index):
    """Whether the innermost packet came in fragments, rather than a tunnel's packet around it."""
    if network == "ipv6":
        return bool(packet.field("ipv6.fragment"))
    offset, more = (packet.field(name) for name in ("ip.frag_offset", "ip.flags.mf"))
    return occurrence(offset, network_index) != "0" or occurrence(more, network_index) == "1"


def starts_fragments(row):
    """The two addresses if this frame is the first fragment of several, else None."""
    def last(name):
        return row[COLUMN[name]].split("|")[-1]
    if "|" in row[COLUMN["ipv6.fraghdr.offset"]]:  # a fragment in a fragment, made to confuse
        return frozenset((last("ipv6.src"), last("ipv6.dst")))
    for prefix, addresses in (("ipv6.fraghdr.more", "ipv6"), ("ip.flags.mf", "ip")):
        offset = "ipv6.fraghdr.offset" if addresses == "ipv6" else "ip.frag_offset"
        if last(prefix) == "1" and last(offset) == "0":
            return frozenset((last(addresses + ".src"), last(addresses + ".dst")))
    return None
