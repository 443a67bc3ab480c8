# %% [markdown]
# # Delays of a capture, in Python
# The cells below run in a notebook or as a script: `python3 notebook.py CAPTURE`.

# %%
import sys

import numpy
import sojourn

capture = sys.argv[1] if len(sys.argv) > 1 else "capture.pcap"
delays = sojourn.rtt(capture, by="host")
delays

# %% [markdown]
# A quantile, and where the true one lies with 95 % confidence (`None`: the data cannot tell).

# %%
for kind in sojourn.KINDS:
    distribution = delays.distribution(kind)
    if len(distribution):
        print(f"{kind:10} {len(distribution):7} samples, median {distribution.quantile(0.5) / 1e6:.3f} ms, "
              f"95 % interval {distribution.interval(0.5)} ns")

# %% [markdown]
# Every sample is a row of a NumPy array: no copy was made of what the library wrote.

# %%
samples = delays.samples
server = samples[samples["leg"] == sojourn.LEGS.index("server")]
print("samples by kind:", dict(zip(*numpy.unique(server["kind"], return_counts=True))))
print("weighted mean of the server's leg:", numpy.average(server["delay_ns"], weights=server["weight"]) / 1e6, "ms")

# %% [markdown]
# The slowest hosts.

# %%
for label, kind, leg, distribution in sorted(delays.groups(), key=lambda group: -group[3].quantile(0.95))[:5]:
    print(f"{label:24} {kind:10} {leg:8} p95 {distribution.quantile(0.95) / 1e6:.3f} ms of {len(distribution)}")
