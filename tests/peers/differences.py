"""What tshark reports, and why it may differ from the rules.

Every class is decided from the packets alone: neither tshark's verdict nor Sojourn's output takes
part, except that tshark names the frame it paired with.  README.md explains the classes.
"""
from collections import namedtuple

from packets import ACK, RST, SYN, nanoseconds
from rules import dns_messages, icmp_echo, is_super_packet, newer

PeerSample = namedtuple("PeerSample", "frame delay request_frame")


class Capture:
    """The packets with the indexes that the classes need."""

    def __init__(self, packets, times, incomplete_fragments, undissected):
        self.packets, self.times = packets, times
        self.incomplete_fragments, self.undissected = incomplete_fragments, undissected
        self.by_frame = {packet.frame: packet for packet in packets}
        self._flows = self._joined = None

    def sent_by(self, sender):
        """The TCP segments of one direction, in file order."""
        if self._flows is None:
            self._flows = {}
            for packet in self.packets:
                if packet.kind == "tcp":
                    self._flows.setdefault(packet.sender, []).append(packet)
        return self._flows.get(sender, [])

    def joined_segments(self):
        """Frames of TCP segments that tshark put together to a message."""
        if self._joined is None:
            self._joined = {int(frame) for packet in self.packets if packet.kind == "tcp"
                            for frame in packet.values("tcp.segment")}
        return self._joined

    def fragmented(self, *frames):
        return any(frame in self.by_frame and self.by_frame[frame].fragments for frame in frames)


def why_not_as_the_rules(capture, kind, key):
    """The rules know only what tshark dissects.  Sojourn reads the first part of a message even if
    the capture lacks the rest; tshark waits for the whole."""
    time, (address, port, peer, peer_port), delay, _ = key
    for frame, pair in capture.incomplete_fragments.items():
        is_one_of_the_two = capture.times[frame] in (time, time - delay)  # perhaps a tunnel's fragment
        makes_ambiguous = pair == {address, peer} and capture.times[frame] <= time
        if is_one_of_the_two or makes_ambiguous:
            return "incomplete-fragments"
    if kind == "icmp":  # fragments in fragments: together no echo, but the first alone reads like one
        for packet in capture.packets:
            if (packet.kind == "icmp" and packet.fragments and not icmp_echo(packet) and packet.time <= time
                    and {packet.source, packet.destination} == {address, peer}):
                return "incomplete-fragments"
    for frame, pair in capture.undissected.items():
        if capture.times[frame] in (time, time - delay) or pair == {address, peer}:
            return "not-dissected-by-tshark"
    if kind == "dns":
        for packet in capture.sent_by((peer, peer_port, address, port)):
            if (packet.time == time and packet.length and not packet.field("dns.id")
                    and packet.frame not in capture.joined_segments()):
                return "incomplete-message"
    return None


# --- tcp.analysis.ack_rtt ---------------------------------------------------------------------

def tcp_samples(capture):
    """ack_rtt by response frame.  A delay of zero is not printed, but the acknowledged frame is."""
    found = {}
    for packet in capture.packets:
        if packet.kind == "tcp" and packet.field("tcp.analysis.acks_frame"):
            delay = packet.values("tcp.analysis.ack_rtt")
            found[packet.frame] = PeerSample(packet.frame, nanoseconds(delay[0]) if delay else None,
                                             int(packet.values("tcp.analysis.acks_frame")[0]))
    return found


def why_only_tshark_tcp(capture, sample, verdicts):
    response, request = capture.by_frame[sample.frame], capture.by_frame.get(sample.request_frame)
    if response.unfollowed or (request and request.unfollowed):
        return "tunnel-not-followed"
    if not response.flags & ACK:
        return "no-ack-flag"
    reason, copies = verdicts.reasons.get(sample.frame, (None, []))
    if sample.request_frame in copies:
        if reason == "karn" and len(copies) > 1:
            return "karn"
        if reason == "answered-before" and copies.index(sample.request_frame) > 0:
            why = verdicts.not_requests.get(sample.request_frame, "behind-acknowledgment")
            return "repeated-after-answer" if why == "behind-acknowledgment" else why
        if reason == "expired":
            return "expired"
    if sample.request_frame in verdicts.super_packets:
        return "super-packet"
    return verdicts.not_requests.get(sample.request_frame)


def why_only_rules_tcp(capture, sample, theirs):
    response, request = capture.by_frame[sample.frame], capture.by_frame[sample.request_frame]
    if request.length != request.peer_length:
        return "frame-shorter-than-ip"
    if response.stream != request.stream:
        return "port-reuse"
    if is_super_packet(request) and (request.sequence + request.length) % 2**32 != response.acknowledgment:
        return "super-packet"  # the acknowledgment is of a part, or of more
    for packet in capture.sent_by(response.sender):
        if request.frame < packet.frame < response.frame and newer(packet.acknowledgment, response.acknowledgment):
            return "old-ack"
    return None


# --- tcp.analysis.initial_rtt -----------------------------------------------------------------

def handshake_samples(capture):
    """initial_rtt, once per stream, at the frame that ended it: the first ACK without SYN."""
    values, latest_syn, ended = {}, {}, {}
    for packet in capture.packets:
        if packet.kind != "tcp":
            continue
        if packet.flags & SYN and not packet.flags & ACK:
            latest_syn[packet.stream] = packet
        elif packet.flags & (SYN | ACK) == ACK and packet.stream in latest_syn and packet.stream not in ended:
            if packet.time != latest_syn[packet.stream].time:
                ended[packet.stream] = (packet, latest_syn[packet.stream])
        value = packet.values("tcp.analysis.initial_rtt")
        if value:
            values.setdefault(packet.stream, nanoseconds(value[0]))
    found = {}
    for stream, delay in values.items():
        response, request = ended.get(stream, (None, None))
        if response is None or response.time - request.time != delay:
            found[("stream", stream)] = PeerSample(None, delay, None)  # not understood: unexplained
        else:
            found[response.frame] = PeerSample(response.frame, delay, request.frame)
    return found


def why_only_rules_handshake(capture, sample, theirs):
    """tshark takes a delay of zero for one not yet measured, and any side's ACK for the last."""
    if sample.delay == 0:
        return "zero-delay"
    later = [packet for packet in capture.packets if packet.kind == "tcp" and packet.frame >= sample.frame
             and packet.stream == capture.by_frame[sample.frame].stream]
    if not any(packet.field("tcp.analysis.acks_frame") for packet in later):
        return "nothing-to-print"
    stream = capture.by_frame[sample.frame].stream
    ends = [frame for frame in theirs if frame in capture.by_frame and capture.by_frame[frame].stream == stream]
    return "ended-elsewhere" if any(frame < sample.frame for frame in ends) else None


def why_only_tshark_handshake(capture, sample, verdicts):
    if sample.frame is None:
        return None
    response, request = capture.by_frame[sample.frame], capture.by_frame[sample.request_frame]
    if response.unfollowed:
        return "tunnel-not-followed"
    before = [packet for packet in capture.sent_by(request.receiver) if packet.flags & SYN
              and request.frame < packet.frame < response.frame]
    if response.flags & RST:
        return "refused"
    if response.sender != request.sender:
        return "first-ack-by-server"
    if response.sequence != (request.sequence + 1) % 2**32:
        return "last-ack-missing"
    copies = [packet for packet in capture.sent_by(request.sender) if packet.flags & (SYN | ACK) == SYN
              and packet.sequence == request.sequence and packet.frame < response.frame]
    if len(copies) > 1:
        return "syn-repeated"
    if len(before) > 1:
        return "syn-ack-repeated"
    if sample.delay > verdicts.expire:
        return "expired"
    return None


def why_delays_differ_handshake(capture, peer, sample):
    first, timed = capture.by_frame[sample.request_frame], capture.by_frame.get(peer.request_frame)
    if not timed or timed.sender != first.sender or timed.sequence != first.sequence:
        return None
    answers = [packet for packet in capture.sent_by(first.receiver) if packet.flags & (SYN | ACK) == SYN | ACK
               and first.frame < packet.frame < timed.frame]
    return "late-syn" if answers else None


# --- dns.time and icmp.resptime ---------------------------------------------------------------

def dns_samples(capture):
    found = {}
    for packet in capture.packets:
        delays, requests = packet.values("dns.time"), packet.values("dns.response_to")
        if delays and packet.kind != "icmp":
            found[packet.frame] = [PeerSample(packet.frame, nanoseconds(delay), int(request))
                                   for delay, request in zip(delays, requests)]
    return found


def icmp_samples(capture):
    found = {}
    for packet in capture.packets:
        if packet.kind != "icmp":
            continue
        request = packet.values("icmp.resp_to") or packet.values("icmpv6.resp_to")
        milliseconds = packet.values("icmp.resptime") or packet.values("icmpv6.resptime")
        if request:
            delay = packet.time - capture.times[int(request[0])]
            # A double of milliseconds: the exact delay is that of the two frames it names.
            agrees = milliseconds and abs(float(milliseconds[0]) * 1e6 - delay) < 1000
            found[packet.frame] = PeerSample(packet.frame, delay if agrees else None, int(request[0]))
    return found


def questions(packet):
    return [(identifier, question) for identifier, _, question in dns_messages(packet)]


def why_only_tshark_dns(capture, sample, verdicts):
    response, request = capture.by_frame[sample.frame], capture.by_frame.get(sample.request_frame)
    if response.unfollowed:
        return "tunnel-not-followed"
    if 53 not in (response.source_port, response.destination_port):
        return "multicast-dns"
    if request is None:
        return None
    reason, copies = verdicts.reasons.get(sample.frame, (None, []))
    if reason == "karn" and sample.request_frame in copies and len(copies) > 1:
        return "karn"
    if reason in ("expired", "question-split"):
        return reason
    if reason == "answered-before" and "252" in response.values("dns.qry.type"):
        return "zone-transfer"
    if not set(questions(response)) & set(questions(request)):
        return "question-differs"
    return None


def why_only_rules_dns(capture, sample, theirs):
    """tshark pairs by identifier alone: another query with the same one takes the place."""
    response, request = capture.by_frame[sample.frame], capture.by_frame[sample.request_frame]
    if response.field("frame.cap_len") != response.field("frame.len"):
        return "cut-short"
    identifiers = {identifier for identifier, _ in questions(response)}
    for packet in capture.packets:
        if packet.frame >= response.frame:
            break
        if (packet.frame != request.frame and response.sender in (packet.sender, packet.receiver)
                and packet.field("dns.id") and identifiers & {identifier for identifier, _ in questions(packet)}):
            return "identifier-reused"
    return None


def why_delays_differ_dns(capture, theirs, ours):
    frames = theirs.frame, theirs.request_frame
    if capture.fragmented(*frames):
        return "fragmented"
    if any(frame in capture.by_frame and capture.by_frame[frame].field("tcp.segment") for frame in frames):
        return "spans-segments"
    queries = [questions(capture.by_frame[frame]) for frame in (theirs.request_frame, ours.request_frame)]
    same = {identifier for identifier, _ in queries[0]} & {identifier for identifier, _ in queries[1]}
    return "identifier-reused" if same and queries[0] != queries[1] else None


def why_only_tshark_icmp(capture, sample, verdicts):
    response = capture.by_frame[sample.frame]
    if response.unfollowed:
        return "tunnel-not-followed"
    reason, copies = verdicts.reasons.get(sample.frame, (None, []))
    if reason == "karn" and sample.request_frame in copies and len(copies) > 1:
        return "karn"
    return "expired" if reason == "expired" else None


def why_only_rules_icmp(capture, sample, theirs):
    """tshark's key holds the checksum: a reply whose data is not the request's has no partner."""
    checksums = []
    for frame in (sample.frame, sample.request_frame):
        packet = capture.by_frame[frame]
        checksums.append(int((packet.values("icmp.checksum") or packet.values("icmpv6.checksum"))[0], 16))
    reply, request = checksums
    step = 0x0800 if capture.by_frame[sample.frame].field("icmp.type") else -0x0100
    expected = request + step
    expected = (expected & 0xffff) + (expected >> 16)  # one's complement, RFC 1071
    return None if reply in (expected, expected % 0xffff) else "payload-changed"
