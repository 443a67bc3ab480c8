#!/usr/bin/env python3
"""Two captures that do not belong together: does the message say what seems to be wrong?"""
import json
import sys

from tool import Sojourn


def expect(text, *words):
    missing = [word for word in words if word not in text]
    print(("ok      " if not missing else f"FAILED (lacks {missing}) ") + text.strip().splitlines()[0][:200])
    return not missing


def main(tool):
    small = ["--packets", "5000", "--duration", "2s"]
    first, last = tool.generate("good", *small, "--seed", "1")
    _, other = tool.generate("other", *small, "--seed", "2")
    _, hour = tool.generate("hour", *small, "--seed", "1", "--clock-offset", "1h")
    _, behind = tool.generate("behind", *small, "--seed", "1", "--clock-offset=-1h")
    _, later = tool.generate("later", *small, "--seed", "2", "--clock-offset", "1h")
    results = []

    def error(*arguments):
        done = tool.run("oneway", *arguments, status=1)
        results.append(done.stdout == "" and len(done.stderr.splitlines()) == 1)
        return done.stderr

    results.append(expect(error(first, other), "different traffic"))
    results.append(expect(error(first, later), "do not overlap in time", "ends at", "begins at"))
    results.append(expect(error(later, first), "do not overlap in time"))
    message = error(first, hour)
    results.append(expect(message, "1.000 h" if "1.000 h" in message else "3600", "ahead of", "--clock-offset=3600.0"))
    results.append(expect(error(first, behind), "behind", "--clock-offset=-3599.9"))
    results.append(expect(error(first, last, "--filter", "tcp port 1"), "no IP packets", "--filter"))
    results.append(expect(error(first, "absent.pcap"), "absent.pcap"))
    # The advice works.
    advice = message.split("try ")[1].strip()
    done = tool.run("oneway", first, hour, advice)
    results.append(expect(done.stdout, "delay of packets"))
    # Swapped captures are measured, and the report says so.
    done = tool.run("oneway", last, first)
    results.append(expect(" ".join(done.stdout.split()), "seem to be swapped", "LAST's clock is behind"))
    results.append(expect(tool.run("oneway", last, first, "--json").stderr, "seem to be swapped"))
    fine = tool.run("oneway", first, last)
    results.append("warning" not in fine.stdout and fine.stderr == "")

    # The other methods, too, must say so: by records, by reference packets, by sketches.
    small.extend(["--references", "20"])
    first, last = tool.generate("ref", *small, "--seed", "1")
    _, other = tool.generate("refother", *small, "--seed", "2")
    _, hour = tool.generate("refhour", *small, "--seed", "1", "--clock-offset", "1h")
    _, later = tool.generate("reflater", *small, "--seed", "2", "--clock-offset", "1h")
    for method in ("multiflow", "nearby", "lda"):
        by = ["--method", method]
        results.append(expect(error(first, other, *by), "different traffic"))
        results.append(expect(error(first, later, *by), "do not overlap in time"))
    results.append(expect(error(first, hour, "--method", "multiflow"), "ahead of", "--clock-offset=3600.0"))

    def warning(*arguments):
        done = tool.run("oneway", *arguments, "--json")
        results.append(len(done.stderr.splitlines()) == 1)
        return done.stderr

    # RLI uses only LAST, so its figures are valid; that FIRST holds other traffic is worth a warning.
    for foreign in (other, later):
        results.append(expect(warning(first, foreign, "--method", "rli"), "different traffic"))
    for method in ("rli", "lda"):
        results.append(expect(warning(first, hour, "--method", method), "3600 s apart", "--clock-offset=3600.0"))
        results.append(expect(warning(last, first, "--method", method), "seem to be swapped"))
        results.append(tool.run("oneway", first, last, "--json", "--method", method).stderr == "")
    results.append(expect(warning(last, first, "--method", "multiflow"), "seem to be swapped"))

    # More flows than there is room for: reported, counted, and in the totals.
    whole, part = (json.loads(tool.run("oneway", first, last, "--json", *options).stdout)
                   for options in ([], ["--max-flows", "50"]))
    results.append(part["flow_count"] == 50 < whole["flow_count"] and part["counters"]["without-room"] > 0 and
                   whole["counters"]["without-room"] == 0 and part["delay"] == whole["delay"] and part["loss"] == whole["loss"])
    results.append(expect(" ".join(part["notes"]), "--max-flows"))

    for arguments, words in (
            ([first, last, "--max-flows", "5", "--method", "rli"], ["--max-flows is for"]),
            ([first, first], ["same capture"]),
            ([first], ["LAST"]),
            ([first, last, "--method", "magic"], ["magic", "exact"]),
            ([first, last, "--sampling", "0"], ["--sampling"]),
            ([first, last, "--window", "0s"], ["must be positive"]),
            ([first, last, "--window", "5"], ["--window"]),
            ([first, last, "--sample-flows"], ["--sampling"]),
            ([first, last, "--json", "--flows", "-"], ["standard output"]),
            ([first, last, "--payload-bytes", "999"], ["256"]),
            ([first, "-", "--correct-skew"], ["twice"]),
            (["-", "-"], ["only once"])):
        done = tool.run("oneway", *arguments, status=2)
        results.append(expect(done.stderr, *words) and len(done.stderr.splitlines()) == 1)
    return all(results)


if __name__ == "__main__":
    sys.exit(0 if main(Sojourn(sys.argv[1])) else 1)
