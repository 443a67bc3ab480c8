"""The installed Python module on recorded captures.  Given the folder of captures."""
import errno
import inspect
import os
import pathlib
import shutil
import sys
import threading
import time

import numpy
import sojourn

captures = sys.argv[1]
demo = os.path.join(captures, "demo.pcapng")

delays = sojourn.rtt(demo)
assert delays.packets == 2081
assert delays.requests("icmp") == {"requests": 160, "ambiguous": 0, "unanswered": 0}
samples = delays.samples
assert samples.dtype.itemsize == 72 and not samples.flags.owndata, "a view, not a copy"
icmp = samples[samples["kind"] == sojourn.KINDS.index("icmp")]
assert len(icmp) == 160
assert abs(icmp["delay_ns"].mean() - delays["icmp"].mean) < 1
assert icmp["delay_ns"].max() == delays["icmp"].max
assert delays.quantile(0.5, "icmp") == delays["icmp"].quantile(0.5)
low, high = delays.interval(0.5, "icmp")
assert (low is None or low <= delays.quantile(0.5, "icmp")) and (high is None or high >= delays.quantile(0.5, "icmp"))
assert sojourn.address(icmp[0]["requester"]) != sojourn.address(icmp[0]["responder"])

# The array outlives what it came from.
del delays
assert samples["weight"].sum() == len(samples)

small = sojourn.rtt(demo, memory="64KiB", kinds="tcp", samples=False, seed=1)
assert small.memory_bytes > 0 and len(small["tcp"]) > 0
grouped = sojourn.rtt([demo], by="host", kinds=["icmp"])
assert [kind for _, kind, leg, _ in grouped.groups() if leg == "server"] == ["icmp"] * len(grouped.groups())
assert numpy.asarray(grouped["icmp"].cdf()).shape[1] == 2

assert "icmp: 160" in repr(grouped)

limited = sojourn.rtt(demo, table="exact", memory="1MiB")
assert not limited.is_full and len(limited["icmp"]) == 160

for wrong in (lambda: sojourn.rtt(demo, table="oak"), lambda: sojourn.rtt(demo, kinds="smoke"),
              lambda: sojourn.rtt(demo, memory="7 potatoes"), lambda: sojourn.rtt("/nonexistent.pcap"),
              lambda: sojourn.rtt(demo, memory=1 << 50), lambda: sojourn.rtt(demo, table="exact", memory="1KiB"),
              lambda: small.samples):
    try:
        wrong()
    except (ValueError, OSError) as error:
        assert str(error) and "\n" not in str(error), error
    else:
        raise AssertionError(f"not refused: {inspect.getsource(wrong)}")

# Which exception, in one line.
no_capture = os.path.join(os.getcwd(), "no-capture")
with open(no_capture, "w", encoding="utf-8") as file:
    file.write("this is text, whatever its name\n" * 10)
for kind, wrong in ((ValueError, lambda: sojourn.rtt(demo, memory=-1)), (TypeError, lambda: sojourn.rtt(demo, memory=1.5)),
                    (ValueError, lambda: sojourn.rtt(demo, memory=0)), (ValueError, lambda: sojourn.rtt(demo, memory="0")),
                    (ValueError, lambda: sojourn.rtt(demo, expire=0)), (ValueError, lambda: sojourn.rtt(demo, expire=float("nan"))),
                    (ValueError, lambda: sojourn.rtt(demo, expire=1e30)), (ValueError, lambda: sojourn.rtt(demo, threads=-1)),
                    (ValueError, lambda: sojourn.rtt(demo, threads=0)), (ValueError, lambda: sojourn.rtt(demo, seed=-1)),
                    (ValueError, lambda: sojourn.rtt(demo, seed=1 << 64)), (ValueError, lambda: sojourn.rtt(demo, kinds=[])),
                    (TypeError, lambda: sojourn.rtt(demo, kinds=[5])), (TypeError, lambda: sojourn.rtt(demo, by=5)),
                    (ValueError, lambda: sojourn.rtt(demo, filter="tcp potatoes")), (ValueError, lambda: sojourn.rtt(demo, filter="\udcff")),
                    (TypeError, lambda: sojourn.rtt(demo, expired=5)), (ValueError, lambda: sojourn.rtt([])),
                    (TypeError, lambda: sojourn.rtt(5)), (FileNotFoundError, lambda: sojourn.rtt("/nonexistent.pcap")),
                    (ValueError, lambda: sojourn.rtt(no_capture)),
                    (ValueError, lambda: sojourn.live("lo", every=0)), (TypeError, lambda: sojourn.live("lo", evry=1)),
                    (ValueError, lambda: sojourn.live("lo", duration=-1)), (OSError, lambda: list(sojourn.live("no-such-interface"))),
                    (FileNotFoundError, lambda: sojourn.oneway(demo, "/nonexistent.pcap")),
                    (ValueError, lambda: sojourn.oneway(demo, demo, window=0)), (ValueError, lambda: sojourn.oneway(demo, demo, seed=-1)),
                    (ValueError, lambda: sojourn.oneway(demo, demo, sampling=float("nan"))),
                    (ValueError, lambda: sojourn.oneway(demo, os.path.join(captures, "bulk.pcap.gz"))),
                    (ValueError, lambda: small.quantile(2)), (ValueError, lambda: small.quantile(float("nan"))),
                    (ValueError, lambda: small.quantile(-0.1)), (ValueError, lambda: small.interval(0.5, confidence=2)),
                    (ValueError, lambda: small.interval(0.5, confidence=float("nan"))), (ValueError, lambda: small.quantile(0.5, "smoke")),
                    (ValueError, lambda: small.groups(-1)), (TypeError, lambda: small.requests(5))):
    try:
        wrong()
    except (ValueError, TypeError, OSError, RuntimeError) as error:
        assert isinstance(error, kind), (kind, repr(error), inspect.getsource(wrong))
        assert str(error) and "\n" not in str(error), error
    else:
        raise AssertionError(f"not refused: {inspect.getsource(wrong)}")
try:
    sojourn.rtt("/nonexistent.pcap")
except FileNotFoundError as error:
    assert error.errno == errno.ENOENT and "/nonexistent.pcap" in str(error), error

# Names of files are bytes, of which not all are text; whatever os.fspath() takes is one.
strange = os.path.join(os.getcwdb(), b"caf\xe9.pcapng")
shutil.copy(demo, strange)
with os.scandir(os.getcwd()) as entries:
    entry = next(entry for entry in entries if os.fsencode(entry.path).endswith(b".pcapng"))
for path in (strange, os.fsdecode(strange), pathlib.Path(os.fsdecode(strange)), entry, [strange], [entry, strange]):
    assert sojourn.rtt(path, samples=False).packets % 2081 == 0, path
try:
    sojourn.rtt(b"/nonexistent-\xe9.pcap")
except FileNotFoundError as error:
    assert "/nonexistent-\ufffd.pcap" in str(error), error
with open(strange, "rb+") as file:
    file.truncate(100_000)
cut = sojourn.rtt(strange, samples=False)
assert any("caf\ufffd.pcapng" in line for line in cut.warnings), cut.warnings

flows = sojourn.oneway(os.path.join(captures, "bulk.pcap.gz"), os.path.join(captures, "bulk.server.pcap.gz"), filter="tcp")
assert len(flows.flows) > 0 and (abs(flows.flows["mean_ns"]) > 10e6).all()
assert len(flows.delays) > 400

# The interpreter's lock is free while the library works: another thread counts on.
ticks, done = 0, threading.Event()


def count():
    global ticks
    while not done.is_set():
        ticks += 1
        time.sleep(0)


counter = threading.Thread(target=count)
counter.start()
before = ticks
for _ in range(20):
    sojourn.rtt([os.path.join(captures, "bulk.pcap.gz")] * 20, samples=False)
counted = ticks - before
done.set()
counter.join()
assert counted > 100, counted
print("the Python module works")
