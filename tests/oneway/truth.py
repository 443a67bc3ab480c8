#!/usr/bin/env python3
"""Does `sojourn oneway --method exact` find exactly what `sojourn generate --points 2` did?

Every delay of every packet, and of every flow the packets, the mean, the deviation, the extremes and
the losses, are compared as text: nothing may differ in any digit.
"""
import sys

from tool import Sojourn, rows

CASES = {
    "calm": [],
    "lossy": ["--loss", "0.05"],
    "copies": ["--duplicates", "0.03"],
    "overtaking": ["--reorder", "0.2"],
    "spikes": ["--spikes", "0.02"],
    "tagged": ["--vlan"],
    "all": ["--loss", "0.03", "--duplicates", "0.02", "--reorder", "0.1", "--spikes", "0.01", "--vlan"],
    "droptail": ["--path", "droptail", "--utilisation", "1.05", "--vlan"],
    "red": ["--path", "red", "--utilisation", "1.05", "--duplicates", "0.01"],
    "behind": ["--clock-offset=-5s", "--loss", "0.02"],  # every delay is negative
    "drifting": ["--clock-drift", "40", "--clock-jitter", "20us", "--clock-offset", "3ms", "--loss", "0.02"],
    "ipv6": ["--ipv6", "1", "--loss", "0.02", "--duplicates", "0.02"],
    "sanj": ["--model", "sanj", "--loss", "0.01"],
}


def compare(what, truth, found, quiet=False):
    if truth == found or quiet:
        return truth == found
    missing, extra = sorted(set(truth) - set(found)), sorted(set(found) - set(truth))
    print(f"FAILED {what}: {len(missing)} rows of the truth are not found, {len(extra)} found are not in the truth")
    for row in missing[:3]:
        print("  truth ", ",".join(row))
    for row in extra[:3]:
        print("  found ", ",".join(row))
    return False


def check(tool, name, options, seed):
    first, last = tool.generate(name, "--packets", "30000", "--duration", "3s", "--seed", str(seed), *options)
    tool.run("oneway", first, last, "--flows", f"{name}.found.flows.csv", "--samples", f"{name}.found.delays.csv")
    flows, delays = rows(f"{name}.flows.csv"), rows(f"{name}.delays.csv")
    right = compare(f"{name}, flows", flows, rows(f"{name}.found.flows.csv"))
    right &= compare(f"{name}, delays", delays, rows(f"{name}.found.delays.csv"))
    lost = sum(int(row[10]) for row in flows[1:])
    print(f"{name}: {len(delays) - 1} delays, {len(flows) - 1} flows, {lost} lost: {'equal' if right else 'NOT EQUAL'}")
    # A case without its subject proves nothing.
    if name in ("lossy", "all", "droptail", "red", "ipv6") and lost == 0:
        print(f"FAILED {name}: the truth holds no loss")
        return False
    return right


def would_notice():
    """The comparison itself: one digit off, one row less, must not pass."""
    truth = [("a", "b"), ("1", "2"), ("3", "4")]
    return not compare("a digit", truth, [("a", "b"), ("1", "2"), ("3", "5")], quiet=True) and \
        not compare("a row", truth, truth[:-1], quiet=True) and compare("equal", truth, list(truth), quiet=True)


if __name__ == "__main__":
    tool = Sojourn(sys.argv[1])
    results = [check(tool, name, options, seed) for seed, (name, options) in enumerate(CASES.items(), 1)]
    if not would_notice():
        results.append(False)
        print("FAILED: the comparison does not notice a difference")
    sys.exit(0 if all(results) else 1)
