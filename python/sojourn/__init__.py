"""Network delay from the traffic that is already there.

    >>> import sojourn
    >>> delays = sojourn.rtt("capture.pcap", memory="64KiB")
    >>> delays.quantile(0.95, "tcp")          # nanoseconds
    >>> delays.interval(0.95, "tcp")          # where the true value lies with 95 % confidence
    >>> delays.samples["delay_ns"].mean()     # every sample, a NumPy structured array

All times are in nanoseconds.  Addresses in arrays are bytes in network order; `address()` converts them.

Errors: TypeError and ValueError if an argument makes no sense, or if the input gives no result (not a capture, two captures
without a common packet); OSError, such as FileNotFoundError, if the system refuses a file or an interface.
"""
import ipaddress
import math
import operator
import os

from . import _sojourn
from ._sojourn import KINDS, LEGS, METHODS, Distribution, __version__

__all__ = ["rtt", "live", "oneway", "address", "RoundTrips", "OneWay", "Distribution", "KINDS", "LEGS", "METHODS",
           "__version__"]


class RoundTrips:
    """The results of a measurement: a distribution per kind and leg, groups, and every sample.

    May be read by several threads, also while live() goes on.
    """

    def __init__(self, measurement, samples):
        self._measurement = measurement
        self._samples = samples

    def distribution(self, kind="tcp", leg="headline"):
        """The delays of one kind; `leg` is one of LEGS, or headline for the figure the report shows first."""
        return self._measurement.distribution(_text("kind", kind), _text("leg", leg))

    __getitem__ = distribution

    def quantile(self, q, kind="tcp", leg="headline"):
        """The delay in ns below which the share `q` of all delays lies; None without samples."""
        return self.distribution(kind, leg).quantile(q)

    def interval(self, q, kind="tcp", leg="headline", confidence=0.95):
        """(low, high) in ns around the true quantile; an end that the data cannot bound is None."""
        return self.distribution(kind, leg).interval(q, confidence)

    def groups(self, most=1000):
        """[(label, kind, leg, Distribution)], the largest first; needs `by`."""
        return self._measurement.groups(_whole("most", most, 0))

    def requests(self, kind="tcp"):
        """What became of the requests: {"requests": n, "ambiguous": n, "unanswered": n}."""
        return self._measurement.requests(_text("kind", kind))

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
        counts = ((kind, len(self.distribution(kind))) for kind in KINDS)
        found = ", ".join(f"{kind}: {count}" for kind, count in counts if count)
        return f"<sojourn.RoundTrips of {self.packets} packets; samples: {found or 'none'}>"


def _text(name, value):
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a text, not {value!r}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{name} is no valid text: {value!r}") from None
    return value


def _texts(name, values):
    """One text, or several."""
    return [_text(name, value) for value in ([values] if isinstance(values, str) else values)]


def _whole(name, value, least, most=(1 << 63) - 1):
    """A whole number in these bounds."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be a whole number, not {value!r}") from None
    if not least <= number <= most:
        raise ValueError(f"{name} must be {least} to {most}, not {number}")
    return number


def _nanoseconds(name, duration, positive=True):
    """A number of seconds, or a text such as "500ms"."""
    if isinstance(duration, str):
        result = _sojourn.parse_duration_ns(_text(name, duration))
    else:
        try:
            seconds = float(duration)
        except TypeError:
            raise TypeError(f"{name} must be a number of seconds or a text such as '500ms', not {duration!r}") from None
        if not math.isfinite(seconds) or abs(seconds) > 9e9:
            raise ValueError(f"{name} must be a time of less than 285 years, not {seconds}")
        result = round(seconds * 1e9)
    if positive and result <= 0:
        raise ValueError(f"{name} must be positive")
    return result


def _options(*, kinds, memory, table, expire, inside, by, filter, keep_ambiguous, anonymize, threads, seed):
    options = _sojourn.RoundTripOptions()
    if kinds is not None:
        options.kinds = _texts("kinds", kinds)
        if options.kinds == 0:
            raise ValueError("kinds names none; None stands for the usual ones")
    if memory is not None:
        options.memory_bytes = _whole("memory", _sojourn.parse_size(_text("memory", memory)) if isinstance(memory, str) else memory, 1)
    if table is not None:
        options.table = _text("table", table)
    if expire is not None:
        options.expire_ns = _nanoseconds("expire", expire)
    options.inside = _texts("inside", inside)
    if by is not None:
        options.group_by = _text("by", by)
    if filter is not None:
        options.filter = _text("filter", filter)
    options.keep_ambiguous = bool(keep_ambiguous)
    options.anonymize = bool(anonymize)
    options.threads = _whole("threads", threads, 1, 64)
    options.seed = _whole("seed", seed, 0, (1 << 64) - 1)
    return options


def rtt(captures, *, samples=True, kinds=None, memory=None, table=None, expire=None, inside=(), by=None, filter=None,
        keep_ambiguous=False, anonymize=False, threads=1, seed=0):
    """Round-trip delays of one capture or a list of them, merged in the order of time.

    kinds            names out of KINDS; by default all but response and tls
    memory           "64KiB" or bytes: fixed memory, samples are weighted; by default every request is remembered, up to
                     half of the machine's memory; with table="exact" it is the limit
    table            "exact", "tailored", "fridges" ...; chosen by `memory` by default
    expire           a request is forgotten after so many seconds, or "500ms"
    inside           prefixes of our side of the network: legs become external and internal
    by               groups: "flow", "host", "prefix/24", "port", "vlan"
    filter           an expression in tcpdump's language
    samples          keep every sample (72 bytes each)
    seed             makes hashing repeatable; 0: a random one
    keep_ambiguous, anonymize, threads   as in the program
    """
    measurement = _sojourn.Measurement(
        _options(kinds=kinds, memory=memory, table=table, expire=expire, inside=inside, by=by, filter=filter,
                 keep_ambiguous=keep_ambiguous, anonymize=anonymize, threads=threads, seed=seed), bool(samples))
    one = isinstance(captures, (str, bytes)) or hasattr(captures, "__fspath__")
    measurement.read([os.fsencode(capture) for capture in ([captures] if one else captures)])
    return RoundTrips(measurement, measurement.take_samples() if samples else None)


def live(interface, *, every=1, duration=None, samples=True, kinds=None, memory=None, table=None, expire=None, inside=(),
         by=None, filter=None, keep_ambiguous=False, anonymize=False, threads=1, seed=0):
    """Measures on an interface and yields a RoundTrips at intervals of `every`, with the samples of that time.

        for delays in sojourn.live("eth0", every="10s", duration="1min", memory="1MiB"):
            print(delays.quantile(0.5), len(delays.samples))

    The distributions keep growing from one to the next.  The last one comes after `duration`, when the interface
    has disappeared, or when table="exact" is full; by default the table uses 16 MiB.  Needs root or CAP_NET_RAW.
    The interface is opened at the first step and given back at the end of the loop; what was measured can still be read.
    """
    step = _nanoseconds("every", every)
    left = None if duration is None else _nanoseconds("duration", duration)
    measurement = _sojourn.Measurement(
        _options(kinds=kinds, memory=memory, table=table, expire=expire, inside=inside, by=by, filter=filter,
                 keep_ambiguous=keep_ambiguous, anonymize=anonymize, threads=threads, seed=seed), bool(samples))
    return _steps(measurement, os.fsencode(interface), step, left, samples)


def _steps(measurement, interface, step, left, samples):
    try:
        while (left is None or left > 0) and not measurement.has_ended():
            measurement.listen(interface, step if left is None else min(step, left))
            left = None if left is None else left - step
            yield RoundTrips(measurement, measurement.take_samples() if samples else None)
    finally:
        measurement.close()


class OneWay:
    """Delay and loss of the flows between two points."""

    def __init__(self, points):
        self._points = points
        #: A NumPy structured array, one row per flow; values that the method cannot know are NaN.
        self.flows = points.flows()
        #: The delays of single packets, or of the flows' means for a method without packet delays.
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
    seed             makes hashing repeatable; 0: a random one
    """
    points = _sojourn.TwoPoints(
        _text("method", method), float(sampling), 0 if window is None else _nanoseconds("window", window),
        _nanoseconds("clock_offset", clock_offset, positive=False), "" if filter is None else _text("filter", filter),
        _whole("seed", seed, 0, (1 << 64) - 1))
    points.read(os.fsencode(first), os.fsencode(last))
    return OneWay(points)


def address(value):
    """The ipaddress object of a sample's `requester` or `responder`."""
    data = bytes(value["bytes"])
    return ipaddress.ip_address(data[:4] if value["version"] == 4 else data)
