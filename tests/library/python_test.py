"""The installed Python module on recorded captures.  Given the folder of captures."""
import inspect
import os
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

limited = sojourn.rtt(demo, table="exact", memory="1MiB")
assert not limited.is_full and len(limited["icmp"]) == 160

for wrong in (lambda: sojourn.rtt(demo, table="oak"), lambda: sojourn.rtt(demo, kinds="smoke"),
              lambda: sojourn.rtt(demo, memory="7 potatoes"), lambda: sojourn.rtt("/nonexistent.pcap"),
              lambda: sojourn.rtt(demo, memory=1 << 50), lambda: sojourn.rtt(demo, table="exact", memory="1KiB"),
              lambda: small.samples):
    try:
        wrong()
    except (ValueError, RuntimeError) as error:
        assert str(error) and "\n" not in str(error), error
    else:
        raise AssertionError(f"not refused: {inspect.getsource(wrong)}")

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
