"""The pairing rules of Sojourn, written a second time: slowly, plainly, and from the definition.

Each rule reads a capture's packets in file order and gives the samples that Sojourn must print,
and for every other response the reason why it gives none.  It shares no code and no packet parser
with Sojourn, so agreement of the two is evidence.

The definition, in short: a request is remembered under its key; the first response with that key
answers it.  A request seen again while it waits is ambiguous (Karn & Partridge 1987) and gives no
sample.  So it is if it no longer waits (`expire`) but was never answered: for a TCP segment as long
as its connection lasts, for a query or an echo request for two minutes after the last copy.  Seen
again after its answer, a TCP segment stays answered, unless a SYN opened another connection on the
same ports; a DNS query or an echo request starts anew.
"""
from collections import namedtuple

from packets import ACK, FIN, RST, SYN

Sample = namedtuple("Sample", "frame time leg requester delay request_frame")
SECOND = 10**9
REMEMBERED_S = 120  # how long a query or an echo request that nobody answered is known to be asked


class Waiting:
    """Requests and what became of them."""
    __slots__ = ("entries", "expire", "restarts")

    def __init__(self, expire, restarts):
        self.entries, self.expire, self.restarts = {}, expire, restarts

    def ask(self, key, time, frame, connection=0):
        entry = self.entries.get(key)
        if entry and not self.starts_anew(entry, time, connection):
            entry.frames.append(frame)
            entry.ambiguous |= not entry.answered
            entry.last = time
        else:
            self.entries[key] = Entry(time, frame, connection)

    def starts_anew(self, entry, time, connection):
        if self.restarts:
            is_remembered = 0 <= time // SECOND - entry.last // SECOND <= REMEMBERED_S
            return entry.answered or (time - entry.time > self.expire and not is_remembered)
        return entry.connection != connection and (entry.answered or time - entry.time > self.expire)

    def repeat(self, key, frame):
        """A copy that is no request of its own, such as a keep-alive of a byte still unanswered."""
        entry = self.entries.get(key)
        if entry:
            entry.frames.append(frame)
            entry.ambiguous |= not entry.answered

    def answer(self, key, time):
        """(entry, None) for a sample, (entry or None, reason) otherwise."""
        entry = self.entries.get(key)
        if not entry:
            return None, "no-request"
        if entry.answered:
            return entry, "answered-before"
        if time - entry.time > self.expire:
            entry.answered |= self.restarts
            return entry, "karn" if entry.ambiguous else "expired"
        entry.answered = True
        return entry, "karn" if entry.ambiguous else None


class Entry:
    __slots__ = ("time", "last", "frames", "ambiguous", "answered", "connection")

    def __init__(self, time, frame, connection):
        self.time = self.last = time
        self.frames, self.ambiguous, self.answered = [frame], False, False
        self.connection = connection


class Connections:
    """Counts the connections that have used the same addresses and ports."""

    def __init__(self):
        self.count, self.first = {}, {}

    def number(self, packet):
        """Of the connection that the packet belongs to; `is_new` tells if it opens it."""
        flow = packet.sender if packet.sender < packet.receiver else packet.receiver
        self.is_new = False
        if packet.flags & (SYN | ACK) == SYN:
            self.is_new = self.first.get(flow) != (packet.sender, packet.sequence)
            self.first[flow] = packet.sender, packet.sequence
            self.count[flow] = self.count.get(flow, 0) + self.is_new
        return self.count.get(flow, 0)


class Verdicts:
    """What a rule makes of a capture."""

    def __init__(self):
        self.samples = []          # in file order
        self.reasons = {}          # response frame -> (reason, frames of the request's copies)
        self.not_requests = {}     # frame -> why it asks nothing
        self.super_packets = set() # frames

    def conclude(self, packet, time, leg, requester, entry, reason):
        if reason is None:
            self.samples.append(Sample(packet.frame, time, leg, requester, time - entry.time, entry.frames[0]))
        elif entry:
            self.reasons[packet.frame] = (reason, entry.frames)


def newer(a, b):
    return a != b and (a - b) % 2**32 < 2**31


def seen_at(packet, times):
    """Sojourn does not reassemble: a fragmented packet passes when its first fragment does."""
    return times[packet.fragments[0]] if packet.fragments else packet.time


def begins_numbers(packet, next_sequence):
    """Whether a SYN-ACK is the first of its connection as far as the capture shows."""
    following = next_sequence.get(packet.sender)
    return following is None or (following - packet.sequence - 1) % 2**32 >= 2**30


def is_of(number, packet):
    """Whether an acknowledgment number can belong to the numbers that this SYN-ACK begins."""
    return (number - packet.sequence - 1) % 2**32 < 2**16


class SuperPackets:
    """Segments of one sender that are larger than a packet: an interface divides or joins them.  An
    acknowledgment answers the oldest that none has reached into before."""
    LONGEST_JUMBO = 9216  # a jumbo frame is answered by its end alone, unless parts have been
    MOST = 61  # more on their way are no requests, once they are known to be divided

    def __init__(self):
        self.waiting, self.divided = [], False

    def reached(self, number):
        """(the oldest that no acknowledgment has reached before, or None; whether the number itself is the
        end or the inside of one)"""
        fresh, is_theirs = [], False
        while self.waiting and not newer(self.waiting[0]["end"], number):
            first = self.waiting.pop(0)
            is_theirs = first["end"] == number
            is_divided = self.divided or (first["end"] - first["start"]) % 2**32 > self.LONGEST_JUMBO
            if (is_theirs or is_divided) and not first["answered"]:
                fresh.append(first)
        if self.waiting and newer(number, self.waiting[0]["start"]):
            first, self.divided, is_theirs = self.waiting[0], True, True
            if not first["answered"]:
                fresh.append(first)
            first["answered"] = True
        return fresh[0] if fresh else None, is_theirs

    def repeat(self, start, end):
        touched = [one for one in self.waiting if newer(end, one["start"]) and newer(one["end"], start)]
        for one in touched:
            one["repeated"] = True
        return bool(touched)

    def add(self, start, end):
        """False if it is left out."""
        if len(self.waiting) < self.MOST:
            self.waiting.append({"start": start, "end": end, "answered": False, "repeated": False})
            return True
        return not self.divided


def is_super_packet(packet):
    header = 40 if ":" in packet.source else int(packet.values("ip.hdr_len")[-1])
    return header + int(packet.values("tcp.hdr_len")[-1]) + packet.length > 1500


def tcp(packets, times, expire):
    verdicts, waiting = Verdicts(), Waiting(expire, restarts=False)
    next_sequence, acknowledged, window, connections = {}, {}, {}, Connections()
    advanced, super_packets = {}, {}
    for packet in packets:
        if packet.kind != "tcp" or packet.unfollowed:
            continue
        flags, sender = packet.flags, packet.sender
        time = seen_at(packet, times)
        connection = connections.number(packet)
        if connections.is_new:  # the numbers of the one before mean nothing now
            for side in (sender, packet.receiver):
                for known in (next_sequence, acknowledged, window):
                    known.pop(side, None)
                super_packets.pop(side, None)
        if flags & (SYN | ACK) == SYN | ACK and begins_numbers(packet, next_sequence):
            next_sequence.pop(sender, None)
            if not is_of(acknowledged.get(packet.receiver, 0), packet):
                acknowledged.pop(packet.receiver, None)
        if flags & ACK:
            sent = next_sequence.get(packet.receiver)
            was_sent = sent is None or not newer(packet.acknowledgment, sent)  # else it is of another connection
            oldest, is_theirs = None, False
            if was_sent and packet.receiver in super_packets:
                oldest, is_theirs = super_packets[packet.receiver].reached(packet.acknowledgment)
            # A number is looked up when it is first seen.
            is_theirs |= acknowledged.get(sender) == packet.acknowledgment and packet.receiver in super_packets
            ends = ([oldest["end"]] if oldest else []) + ([] if is_theirs else [packet.acknowledgment])
            for key in [(packet.receiver, end) for end in ends]:
                if oldest and oldest["repeated"] and key[1] == oldest["end"] and key in waiting.entries:
                    waiting.entries[key].ambiguous = True
                entry, reason = waiting.answer(key, time)
                verdicts.conclude(packet, time, None, packet.receiver, entry, reason)
            if was_sent:
                before = acknowledged.get(sender)
                if before is None or newer(packet.acknowledgment, before):
                    acknowledged[sender] = packet.acknowledgment
        length = packet.length + bool(flags & SYN) + bool(flags & FIN)
        following = next_sequence.get(sender)
        if length and flags & RST:
            verdicts.not_requests[packet.frame] = "reset-with-data"
        if length and not flags & RST:
            end = (packet.sequence + length) % 2**32
            key = sender, end
            if packet.innermost_fragmented:  # where it ends is known only from the other fragments
                verdicts.not_requests[packet.frame] = "fragmented"
                continue
            if packet.length == 1 and length == 1 and following is not None:
                if packet.sequence == (following - 1) % 2**32:
                    verdicts.not_requests[packet.frame] = "keep-alive"
                    waiting.repeat(key, packet.frame)
                    window[sender] = packet.window
                    continue
                if packet.sequence == following and window.get(packet.receiver) == 0:
                    verdicts.not_requests[packet.frame] = "zero-window-probe"
                    window[sender] = packet.window
                    continue
            if (acknowledged.get(packet.receiver, end - 1) - end) % 2**32 < 2**30:
                # The receiver has it already: sent again, or captured in the wrong order.
                verdicts.not_requests[packet.frame] = "behind-acknowledgment"
                waiting.repeat(key, packet.frame)
            elif (key not in waiting.entries and following is not None and not newer(end, following)
                  and time - advanced[sender] > expire):
                verdicts.not_requests[packet.frame] = "perhaps-sent-before"
            else:
                is_news = following is None or newer(end, following)
                known = super_packets.get(sender)
                asks = not (known and known.repeat(packet.sequence, end) and not is_news)
                if asks and is_super_packet(packet):
                    verdicts.super_packets.add(packet.frame)
                    known = super_packets.setdefault(sender, SuperPackets())
                    asks = not is_news or known.add(packet.sequence, end)
                if asks:
                    waiting.ask(key, time, packet.frame, connection)
                else:
                    verdicts.not_requests[packet.frame] = "super-packet"
            if following is None or newer(end, following):
                next_sequence[sender], advanced[sender] = end, time
        window[sender] = None if flags & (SYN | FIN | RST) else packet.window
    return verdicts


def handshake(packets, times, expire):
    """Three spans: SYN to SYN-ACK, SYN-ACK to the client's first ACK, and SYN to that ACK."""
    verdicts = Verdicts()
    spans = {leg: Waiting(expire, restarts=False) for leg in ("server", "client", "sum")}
    syn_acks, has_acknowledged, connections = {}, {}, Connections()
    for packet in packets:
        if packet.kind != "tcp" or packet.unfollowed:
            continue
        flags, sender, receiver = packet.flags, packet.sender, packet.receiver
        time, after, connection = seen_at(packet, times), (packet.sequence + 1) % 2**32, connections.number(packet)
        if connections.is_new:
            has_acknowledged.pop(sender, None), has_acknowledged.pop(receiver, None)
            syn_acks.pop(receiver, None)
        if flags & (SYN | ACK) == SYN:
            if receiver not in syn_acks:  # else a late copy
                spans["server"].ask((sender, after), time, packet.frame, connection)
                spans["sum"].ask((sender, after), time, packet.frame, connection)
                if packet.length:  # RFC 7413: the server may take the data, then all moves on
                    after = (after + packet.length) % 2**32
                    spans["server"].ask((sender, after), time, packet.frame, connection)
                    spans["sum"].ask((sender, after), time, packet.frame, connection)
        elif flags & SYN:
            if sender not in syn_acks and not is_of(has_acknowledged.get(receiver, 0), packet):
                has_acknowledged.pop(receiver, None)
            if receiver in has_acknowledged:
                continue  # a late copy: the handshake is over
            answered = spans["server"].answer((receiver, packet.acknowledgment), time)
            verdicts.conclude(packet, time, "server", receiver, *answered)
            spans["client"].ask((sender, after), time, packet.frame, connection)
            if sender in syn_acks:  # the first SYN-ACK or its ACK was lost: the sum holds a time-out
                spans["sum"].repeat((receiver, packet.acknowledgment), packet.frame)
            syn_acks[sender] = packet.frame
            has_acknowledged.setdefault(sender, packet.acknowledgment)
        elif flags & ACK and sender not in has_acknowledged:
            has_acknowledged[sender] = packet.acknowledgment
            if flags & RST:
                continue
            answered = spans["client"].answer((receiver, packet.acknowledgment), time)
            verdicts.conclude(packet, time, "client", receiver, *answered)
            answered = spans["sum"].answer((sender, packet.sequence), time)
            verdicts.conclude(packet, time, "sum", sender, *answered)
    return verdicts


def dns_messages(packet):
    """(identifier, is a response, question) of each message that ends in this frame.

    RFC 4343: names compare without regard to case.  Only the first question counts: nobody sends
    two."""
    parts = [packet.values(name) for name in ("dns.qry.name", "dns.qry.type", "dns.qry.class")]
    counts = {"update": packet.values("dns.count.zones"), "other": packet.values("dns.count.queries")}
    opcodes, responses = packet.values("dns.flags.opcode"), packet.values("dns.flags.response")
    for index, identifier in enumerate(packet.values("dns.id")):
        if index >= len(opcodes):
            return  # cut off
        of_this_opcode = counts["update" if opcodes[index] == "5" else "other"]
        count = int(of_this_opcode.pop(0)) if of_this_opcode else 0
        question = tuple(part[0].lower() for part in parts if part) if count else ()
        parts = [part[count:] for part in parts]
        yield identifier, responses[index] in ("1", "True"), (opcodes[index], question)


def dns_seen_at(packet, index, by_frame, times):
    """A message in a TCP stream passes with the segment that holds its header and question; None if
    they are in two."""
    segments = [int(frame) for frame in packet.values("tcp.segment")]
    if packet.kind != "tcp" or index > 0 or not segments:
        return seen_at(packet, times)
    segments = [by_frame[frame] for frame in segments if frame in by_frame]
    in_front = 2  # the message's length, often in a segment of its own
    if segments[0].length <= in_front:
        segments, in_front = segments[1:], 0
    name = (packet.values("dns.qry.name") or [""])[0]
    question = 1 if name == "<Root>" else len(name) + 2
    return segments[0].time if segments[0].length >= in_front + 12 + question + 4 else None


def dns(packets, times, expire):
    verdicts, waiting = Verdicts(), Waiting(expire, restarts=True)
    by_frame = {packet.frame: packet for packet in packets if packet.kind == "tcp"}
    for packet in packets:
        if packet.unfollowed or not packet.field("dns.id") or packet.kind == "icmp":
            continue
        if 53 not in (packet.source_port, packet.destination_port):
            continue  # multicast DNS and LLMNR ask many and are answered by anyone
        for index, (identifier, is_response, question) in enumerate(dns_messages(packet)):
            time = dns_seen_at(packet, index, by_frame, times)
            if time is None:
                verdicts.reasons[packet.frame] = ("question-split", [])
            elif is_response:
                key = packet.receiver, packet.kind, identifier, question
                verdicts.conclude(packet, time, "server", packet.receiver, *waiting.answer(key, time))
            else:
                waiting.ask((packet.sender, packet.kind, identifier, question), time, packet.frame)
    return verdicts


def icmp_echo(packet):
    """(is a reply, identifier and sequence number) or None"""
    if packet.field("icmp.type"):
        kind = packet.values("icmp.type")[0]
        names = ("icmp.ident", "icmp.seq")
        replies = {"8": False, "0": True}
    else:
        kind = (packet.values("icmpv6.type") or [""])[0]
        names = ("icmpv6.echo.identifier", "icmpv6.echo.sequence_number")
        replies = {"128": False, "129": True}
    if kind not in replies or not all(packet.field(name) for name in names):
        return None  # something else, or cut off
    return replies[kind], tuple(packet.values(name)[0] for name in names)


def icmp(packets, times, expire):
    verdicts, waiting = Verdicts(), Waiting(expire, restarts=True)
    for packet in packets:
        echo = packet.kind == "icmp" and not packet.unfollowed and icmp_echo(packet)
        if not echo:
            continue
        is_reply, token = echo
        time = seen_at(packet, times)
        if is_reply:
            verdicts.conclude(packet, time, "server", packet.receiver, *waiting.answer((packet.receiver, token), time))
        else:
            waiting.ask((packet.sender, token), time, packet.frame)
    return verdicts
