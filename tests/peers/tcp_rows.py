"""What the comparisons of TCP with tshark share: its fields of a packet, and what they are called with."""
import argparse
import subprocess

FIELDS = ("frame.number frame.time_epoch ip.src ip.dst ipv6.src ipv6.dst tcp.srcport tcp.dstport tcp.seq_raw tcp.ack_raw tcp.len "
          "tcp.flags").split()


def nanoseconds(text):
    whole, _, fraction = text.partition(".")
    return int(whole) * 10**9 + int(fraction.ljust(9, "0")[:9] or 0)


def rows_of(capture, fields, *options):
    """A dictionary for each TCP packet, as tshark prints it."""
    command = ["tshark", "-n", *options, "-r", capture, "-Y", "tcp", "-T", "fields"]
    for field in fields:
        command += ["-e", field]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", timeout=600)
    for line in done.stdout.splitlines():
        yield dict(zip(fields, line.split("\t")))


def packet_of(row):
    """The packet that FIELDS tell; ValueError or KeyError if it is cut short and tshark shows no numbers."""
    source, target = row["ip.src"] or row["ipv6.src"], row["ip.dst"] or row["ipv6.dst"]
    return {"number": row["frame.number"], "time": nanoseconds(row["frame.time_epoch"]),
            "from": (source, row["tcp.srcport"]), "to": (target, row["tcp.dstport"]),
            "seq": int(row["tcp.seq_raw"]), "ack": int(row["tcp.ack_raw"] or 0), "len": int(row["tcp.len"] or 0),
            "flags": int(row["tcp.flags"], 16)}


def parse_arguments(about):
    parser = argparse.ArgumentParser(description=about.split("\n")[0])
    parser.add_argument("--sojourn")
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("captures", nargs="*")
    return parser.parse_args()


def tell(wrong):
    """The end of a self-test: its exit code."""
    print("\n".join(wrong) or "the comparison notices what it should")
    return bool(wrong)


def print_classes(found, meanings):
    for name, count in found.most_common():
        print(f"  {count:6} {name}: {meanings.get(name, '')}")
