"""Defects that were found once, end to end: each check is named after what must hold, and gives what is wrong, or None."""
import csv
import io
import math
import random

import tunnels
from frames import ACK, FIN, PSH, START, dns, pings, read, tcp, udp, write

CLIENT, SERVER = (10, 0, 0, 1), (192, 0, 2, 1)
MS = 1_000_000


def quantile(report, kind, q):
    return next(one for one in report["kinds"][kind]["quantiles"] if one["q"] == q)


def samples(place, *options):
    return list(csv.DictReader(io.StringIO(place.run("rtt", "x.pcap", "--samples", "-", *options).stdout)))


# --- round trips

def three_hosts_do_not_bound_a_median(place):
    """Samples of one flow are alike: 3 000 of three hosts are not 3 000 independent ones."""
    write("x.pcap", pings([(i % 3, (10 + 10 * (i % 3)) * MS + i % 7) for i in range(3000)]))
    found = quantile(place.json("rtt", "x.pcap"), "icmp", 0.5)
    return f"an interval from three flows: {found}" if found["bounded"] else None


def unchanged_flows_raise_no_alarm_in_fixed_memory(place):
    """Hosts with a delay of their own; other hosts the next day.  The twin must be found: ten times the delay."""
    def day(path, seed, factor=1):
        draw = random.Random(seed)
        own = [int(draw.lognormvariate(math.log(20 * MS), 0.8) * factor) for _ in range(60)]
        write(path, pings([(i % 60, own[i % 60] + i % 1000) for i in range(6000)]))
    alarms = 0
    for pair in range(4):
        day("x.pcap", 2 * pair)
        day("y.pcap", 2 * pair + 1)
        place.run("rtt", "x.pcap", "--memory", "1MiB", "--save-distribution", "usual.json")
        alarms += place.run("rtt", "y.pcap", "--memory", "1MiB", "--expect", "usual.json", status=None).returncode == 3
    day("y.pcap", 99, 10)
    if place.run("rtt", "y.pcap", "--memory", "1MiB", "--expect", "usual.json", status=None).returncode != 3:
        return "ten times the delay raises no alarm"
    return f"{alarms} alarms of 4 at a rate of 0.001" if alarms else None


def fixed_memory_finds_all_where_all_fits(place):
    capture = place.source("tests/captures/demo.pcapng")
    exact, found = place.json("rtt", capture), place.json("rtt", capture, "--memory", "64KiB", "--seed", "1")
    for kind in ("tcp", "icmp"):
        one, other = exact["kinds"][kind]["samples"], found["kinds"][kind]["samples"]
        if one != other:
            return f"{kind}: {other} of {one} pairs in 64 KiB"
    return None


def intervals_in_fixed_memory_include_their_rounding(place):
    write("x.pcap", pings([(i % 100, 100 * MS) for i in range(3000)], gap=3 * MS))
    for memory in ("4KiB", "64KiB"):
        found = quantile(place.json("rtt", "x.pcap", "--memory", memory, "--seed", "1"), "icmp", 0.5)
        if not found["low_ns"] <= 100 * MS <= found["high_ns"]:
            return f"{memory}: 100 ms are not in [{found['low_ns']}, {found['high_ns']}]"
    return None


def the_median_of_three_is_the_middle_one(place):
    write("x.pcap", pings([(1, 478_000), (2, 544_000), (3, 769_000)]))
    report = place.json("rtt", "x.pcap", "--window", "1h")
    found = quantile(report, "icmp", 0.5)["delay_ns"]
    window = [one for one in report["windows"] if one["kind"] == "icmp"]
    text = str(window)
    return None if found == 544_000 and "544000" in text else f"{found}, and in the window {text[:300]}"


def karns_rule_does_not_end_with_expire(place):
    """A FIN sent six times over more than ten seconds."""
    ports, back = (40000, 80), (80, 40000)
    frames = [(START, tcp(CLIENT, SERVER, ports, 1000, 1, ACK | PSH, 10, 1)),
              (START + MS, tcp(SERVER, CLIENT, back, 1, 1010, ACK, 0, 2))]
    for number, seconds in enumerate((1, 1.2, 1.6, 2.4, 4, 14)):
        sent = START + int(seconds * 1000) * MS
        frames.append((sent, tcp(CLIENT, SERVER, ports, 1010, 1, ACK | FIN, 0, 10 + number)))
    frames.append((sent + 116 * MS, tcp(SERVER, CLIENT, back, 1, 1011, ACK, 0, 3)))
    write("x.pcap", frames)
    delays = [int(one["delay_ns"]) for one in samples(place, "--kind", "tcp")]
    return None if delays == [MS] else f"samples {delays}"


def a_spin_bit_that_the_server_never_reflects_gives_nothing(place):
    draw = random.Random(5)
    frames = []
    for number in range(3000):
        spin = draw.getrandbits(1) << 5
        frames.append((START + number * 10 * MS, udp(CLIENT, SERVER, (40000, 443), bytes([0x40 | spin]) + draw.randbytes(40), number)))
        frames.append((START + number * 10 * MS + 5 * MS, udp(SERVER, CLIENT, (443, 40000), b"\x40" + draw.randbytes(40), number)))
    write("x.pcap", frames)
    found = samples(place, "--kind", "quic")
    return f"{len(found)} samples, the longest {max(int(one['delay_ns']) for one in found)} ns" if found else None


def an_nfs_client_below_its_server_is_the_client(place):
    """Without a SYN, port 1003 against 2049."""
    frames = []
    for number in range(20):
        time = START + number * 10 * MS
        frames.append((time, tcp(CLIENT, SERVER, (1003, 2049), 1000 + 100 * number, 1, ACK | PSH, 100, number)))
        frames.append((time + MS, tcp(SERVER, CLIENT, (2049, 1003), 1, 1100 + 100 * number, ACK, 0, number)))
    write("x.pcap", frames)
    legs = {one["leg"] for one in samples(place, "--kind", "tcp")}
    guessed = place.json("rtt", "x.pcap")["kinds"]["tcp"].get("guessed_legs")
    return None if legs == {"server"} and guessed == 20 else f"legs {legs}, {guessed} guessed"


def dns_exchanges(place, ports, names, recursive):
    """None if each of 50 queries for every port and name is paired with its answer, half a millisecond later."""
    wanted, frames = 0, []
    for port in ports:
        for name in names:
            for number in range(50):
                time, identifier = START + len(frames) * MS, number * 997 % 65536
                query, answer = dns(identifier, False, name, recursive), dns(identifier, True, name, recursive)
                frames.append((time, udp(CLIENT, SERVER, (port, 53), query, number)))
                frames.append((time + MS // 2, udp(SERVER, CLIENT, (53, port), answer, number)))
                wanted += 1
    write("x.pcap", frames)
    found = len(samples(place, "--kind", "dns"))
    return None if found == wanted else f"{found} of {wanted} exchanges"


def dns_from_a_tunnels_port_is_dns(place):
    return dns_exchanges(place, tunnels.udp_ports(place.source(".")), ("example.org",), True)


def what_a_resolver_asks_from_a_tunnels_port_is_dns(place):
    """Its queries ask for no recursion, and letters are the first bytes of IP headers."""
    names = ("google.com", "gmail-smtp-in.l.google.com", "a.root-servers.net", "www.example.org",
             "GOOGLE.COM", "kernel.org", "mozilla.org", "o.gtld-servers.net", "nlnetlabs.nl", "d.nic.de")
    return dns_exchanges(place, tunnels.udp_ports(place.source(".")), names, False)


def packets_captured_twice_are_measured_once(place):
    frames = []
    for time, frame in pings([(i % 5, 20 * MS) for i in range(200)], gap=50 * MS):
        frames += [(time, frame), (time + 20_000, frame)]
    write("x.pcap", frames)
    report = place.json("rtt", "x.pcap")
    found = report["kinds"]["icmp"]
    if found["samples"] != 200 or found["ambiguous"] != 0:
        return f"{found['samples']} samples, {found['ambiguous']} ambiguous of 200"
    return None if "copies" in str(report) else "nobody counts the copies"


def an_acknowledgment_inside_a_super_packet_answers_it(place):
    """Segments of 30 000 bytes, each acknowledged after 10 000, 20 000 and at its end."""
    ports, back = (40000, 443), (443, 40000)
    frames, wanted = [], 50
    for number in range(wanted):
        time, first = START + number * 100 * MS, 1000 + 30_000 * number
        frames.append((time, tcp(CLIENT, SERVER, ports, first, 1, ACK | PSH, 30_000, number)))
        for part in (1, 2, 3):
            frames.append((time + part * 10 * MS, tcp(SERVER, CLIENT, back, 1, first + part * 10_000, ACK, 0, 3 * number + part)))
    write("x.pcap", frames)
    delays = [int(one["delay_ns"]) for one in samples(place, "--kind", "tcp")]
    # Until the first acknowledgment inside one, they might be jumbo frames.
    late = [delay for delay in delays if delay != 10 * MS]
    return None if len(delays) >= wanted - 1 and len(late) <= 1 else f"{len(delays)} samples, {len(late)} of them not the first 10 ms"


def times_that_cannot_be_are_named(place):
    write("x.pcap", list(reversed(pings([(1, 20 * MS)] * 20, gap=2000 * MS))))
    warned = place.json("rtt", "x.pcap")["input"].get("warnings")
    if not warned or "dated before" not in str(warned):
        return f"a capture in reverse order is read without a word in JSON: {warned}"
    return None if "dated before" in place.run("rtt", "x.pcap").stdout else "... and without a word in the report"


# --- one way

def marked_packets(place):
    """4 s of packets, a thousand a second, marked."""
    write("plain.pcap", [(START + number * MS, udp(CLIENT, SERVER, (40000, 9), number.to_bytes(8, "big"), number & 0xffff))
                         for number in range(4000)])
    place.run("mark", "plain.pcap", "first.pcap", "--method", "step", "--interval", "1s")
    return read("first.pcap")


BY_MARKS = ("oneway", "first.pcap", "last.pcap", "--method", "marking", "--marking", "step", "--interval", "1s")


def copies_on_the_way_do_not_hide_losses_from_marks(place):
    """Of twenty packets one is lost and another one comes twice."""
    last = []
    for number, (time, frame) in enumerate(marked_packets(place)):
        if number % 20 != 3:
            last.append((time + 2 * MS, frame))
        if number % 20 == 9:
            last.append((time + 2 * MS + 50_000, frame))
    write("last.pcap", last)
    loss = place.json(*BY_MARKS)["loss"]
    share = loss["lost"] / loss["sent"]
    return None if abs(share - 0.05) < 0.002 else f"{loss['lost']} of {loss['sent']} lost instead of one in twenty"


def reversed_colours_are_named_and_read(place):
    """Every twentieth packet lost on its way of 2 ms; then the colour bit turned round at both points."""
    marked = marked_packets(place)
    write("last.pcap", [(time + 2 * MS, frame) for number, (time, frame) in enumerate(marked) if number % 20])
    plain = place.json(*BY_MARKS)
    for name in ("first.pcap", "last.pcap"):
        write(name, [(time, frame[:15] + bytes([frame[15] ^ 0x04]) + frame[16:]) for time, frame in read(name)])
    if "other way round" not in str(place.json(*BY_MARKS)):
        return "nobody says that the colours are the other way round"
    turned = place.json(*BY_MARKS, "--reversed")
    if "other way round" in str(turned) or turned["tables"] != plain["tables"]:
        return f"with --reversed: {turned['tables']} instead of {plain['tables']}"
    return None
