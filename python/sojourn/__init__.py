"""Network delay from the traffic that is already there.

    >>> import sojourn
    >>> delays = sojourn.rtt("capture.pcap", memory="64KiB")
    >>> delays.quantile(0.95, "tcp")          # nanoseconds
    >>> delays.interval(0.95, "tcp")          # where the true value lies with 95 % confidence
    >>> delays.samples["delay_ns"].mean()     # every sample, a NumPy structured array

All times are in nanoseconds.  Addresses in arrays are bytes in network order; `address()` names them.
"""
import ipaddress

from . import _sojourn
from ._sojourn import KINDS, LEGS, METHODS, Distribution, __version__

__all__ = ["rtt", "live", "oneway", "address", "RoundTrips", "OneWay", "Distribution", "KINDS", "LEGS", "METHODS",
           "__version__"]


class RoundTrips:
    """What was measured: a distribution per kind and leg, groups, and every sample."""

    def __init__(self, measurement, samples):
        self._measurement = measurement
        self._samples = samples

    def distribution(self, kind="tcp", leg="headline"):
        """The delays of one kind; `leg` is one of LEGS, or headline for the figure the report shows first."""
        return self._measurement.distribution(kind, leg)

    __getitem__ = distribution

    def quantile(self, q, kind="tcp", leg="headline"):
        """The delay in ns below which the share `q` of all delays lies; None without samples."""
        return self.distribution(kind, leg).quantile(q)

    def interval(self, q, kind="tcp", leg="headline", confidence=0.95):
        """(low, high) in ns around the true quantile; an end that the data cannot bound is None."""
        return self.distribution(kind, leg).interval(q, confidence)

    def groups(self, most=1000):
        """[(label, kind, leg, Distribution)], the largest first; needs `by`."""
        return self._measurement.groups(most)

    def requests(self, kind="tcp"):
        """What became of the requests: {"requests": n, "ambiguous": n, "unanswered": n}."""
        return self._measurement.requests(kind)

    @property
    def samples(self):
        """Every sample, a NumPy structured array; `kind` and `leg` index KINDS and LEGS."""
        if self._samples is None:
            raise ValueError("the samples were not kept: ask for them with samples=True")
        return self._samples

    @property
    def packets(self):
        return self._measurement.packets()

    @property
    def skipped(self):
        """Packets that were not measured, by reason."""
        return self._measurement.skipped()

    @property
    def warnings(self):
        return self._measurement.warnings()

    @property
    def memory_bytes(self):
        return self._measurement.memory_bytes()

    @property
    def is_full(self):
        """Whether the exact table stopped at its limit; `warnings` says after how many packets."""
        return self._measurement.is_full()

    def __repr__(self):
        found = ", ".join(f"{kind}: {len(self.distribution(kind))}" for kind in KINDS if len(self.distribution(kind)))
        return f"<sojourn.RoundTrips of {self.packets} packets; samples: {found or 'none'}>"


def _nanoseconds(duration):
    """A number of seconds, or a text such as "500ms"."""
    return _sojourn.parse_duration_ns(duration) if isinstance(duration, str) else round(duration * 1e9)


def _options(*, kinds=None, memory=None, table=None, expire=None, inside=(), by=None, filter=None,
             keep_ambiguous=False, anonymize=False, threads=1, seed=0):
    options = _sojourn.RoundTripOptions()
    if kinds is not None:
        options.kinds = [kinds] if isinstance(kinds, str) else list(kinds)
    if memory is not None:
        options.memory_bytes = _sojourn.parse_size(memory) if isinstance(memory, str) else memory
    options.table = table or ""
    if expire is not None:
        options.expire_ns = _nanoseconds(expire)
    options.inside = [inside] if isinstance(inside, str) else list(inside)
    options.group_by = by or ""
    options.filter = filter or ""
    options.keep_ambiguous = keep_ambiguous
    options.anonymize = anonymize
    options.threads = threads
    options.seed = seed
    return options


def rtt(captures, *, samples=True, **options):
    """Round-trip delays of one capture or a list of them, merged in the order of time.

    kinds            names out of KINDS; all by default
    memory           "64KiB" or bytes: fixed memory, samples are weighted; by default every request is remembered,
                     up to half of the machine's memory; with table="exact" it is where to stop
    table            "exact", "tailored", "fridges" ...; chosen by `memory` by default
    expire           a request is forgotten after so many seconds, or "500ms"
    inside           prefixes of our side of the network: legs become external and internal
    by               groups: "flow", "host", "prefix/24", "port", "vlan"
    filter           an expression in tcpdump's language
    samples          keep every sample (72 bytes each)
    keep_ambiguous, anonymize, threads, seed   as in the program
    """
    measurement = _sojourn.Measurement(_options(**options), samples)
    measurement.read([str(captures)] if isinstance(captures, str) or hasattr(captures, "__fspath__")
                     else [str(capture) for capture in captures])
    return RoundTrips(measurement, measurement.take_samples() if samples else None)


def live(interface, *, every=1, duration=None, samples=True, **options):
    """Measures on an interface and gives a RoundTrips every so many seconds, with the samples of that time.

        for delays in sojourn.live("eth0", every="10s", duration="1min", memory="1MiB"):
            print(delays.quantile(0.5), len(delays.samples))

    The distributions go on growing from one to the next.  The last one comes after `duration`, when the interface
    has disappeared, or when table="exact" is full; by default the table has 16 MiB.  Needs root or CAP_NET_RAW.
    """
    step = _nanoseconds(every)
    if step <= 0:
        raise ValueError("every must be positive")
    left = None if duration is None else _nanoseconds(duration)
    measurement = _sojourn.Measurement(_options(**options), samples)
    while (left is None or left > 0) and not measurement.has_ended():
        measurement.listen(interface, step if left is None else min(step, left))
        left = None if left is None else left - step
        yield RoundTrips(measurement, measurement.take_samples() if samples else None)


class OneWay:
    """Delay and loss of the flows between two points."""

    def __init__(self, points):
        self._points = points
        #: A NumPy structured array, a row a flow; what the method cannot know is NaN.
        self.flows = points.flows()
        #: Of single packets, or of the flows' means for a method that sees no packet's delay.
        self.delays = points.delays()

    def quantile(self, q):
        return self.delays.quantile(q)

    def interval(self, q, confidence=0.95):
        return self.delays.interval(q, confidence)

    @property
    def sent(self):
        return self._points.sent()

    @property
    def lost(self):
        return self._points.lost()

    @property
    def counters(self):
        return self._points.counters()

    @property
    def warnings(self):
        return self._points.warnings()

    def __repr__(self):
        return f"<sojourn.OneWay of {len(self.flows)} flows; sent {self.sent}, lost {self.lost}>"


def oneway(first, last, *, method="exact", sampling=1.0, window=None, clock_offset=0, filter=None, seed=0):
    """One-way delay and loss between two captures of the same traffic.

    method           one of METHODS
    sampling         the share of packets that both points select
    window           the largest plausible delay, in seconds or as "2s"
    clock_offset     of the last point's clock, in seconds or as "2ms"
    """
    points = _sojourn.TwoPoints(method, sampling, 0 if window is None else _nanoseconds(window), _nanoseconds(clock_offset),
                                filter or "", seed)
    points.read(str(first), str(last))
    return OneWay(points)


def address(value):
    """The ipaddress object of a sample's `requester` or `responder`."""
    data = bytes(value["bytes"])
    return ipaddress.ip_address(data[:4] if value["version"] == 4 else data)
