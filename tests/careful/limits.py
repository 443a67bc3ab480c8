"""Where the system refuses memory or threads: one line and exit status 1, and nothing left behind."""
import os

from tool import one_line


def a_memory_limit_is_explained(place):
    place.capture("x.pcap")
    done = place.shell("generate --model tcp --packets 60000 --flows 20000 large.pcap --truth /dev/null", timeout=120)
    if done.returncode:
        return done.stderr.decode()
    size = os.path.getsize(place.path("large.pcap")) // 1024
    # The program itself and the mapped capture need so much; what is added is too little for its tables.
    explained = 0
    for kib in (14_000, 20_000, 26_000, 30_000, 40_000):
        done = place.shell_with_little_memory(f"ulimit -v {size + kib}; {{s}} rtt large.pcap --samples s.csv")
        if done.returncode == 0:
            continue
        if done.returncode == 127 or b"loading shared libraries" in done.stderr:
            continue  # the loader's own trouble
        fault = one_line(done, 1, "memory")
        if fault:
            return f"with {size + kib} KiB: {fault}"
        if "s.csv" in place.names() or any("part" in name for name in place.names()):
            return f"with {size + kib} KiB: leaves {place.names()}"
        explained += 1
    return None if explained else "no limit was low enough: the test tests nothing"


def threads_that_cannot_start_are_explained(place):
    """Stacks of 64 GiB for threads: no second one fits."""
    place.capture("x.pcap")
    done = place.shell_with_little_memory("ulimit -s 67108864 && ulimit -v 20000000 && {s} rtt x.pcap --threads 8")
    return one_line(done, 1, "thread")


CHECKS = [a_memory_limit_is_explained, threads_that_cannot_start_are_explained]
