#!/usr/bin/env python3
"""Flow records in files: two captures' records, joined, must give what the captures themselves give.

The CSV of flows is compared as text, for every estimator, with sampled packets and sampled flows.  And
files that are no records, or of other traffic, get one line that says what is wrong and where.
"""
import sys

from tool import Sojourn


def text_of(path):
    with open(path) as file:
        return file.read()


def joined_equals_direct(tool, first, last, method, *selection):
    # No seeds: the points are independent.
    for point, capture in (("a", first), ("b", last)):
        tool.run("oneway", capture, *selection, "--inactive-timeout", "500ms", "--write-records", f"{point}.csv")
    tool.run("oneway", first, last, "--method", method, *selection, "--inactive-timeout", "500ms", "--flows", "direct.csv")
    share = selection[:selection.index("--sampling") + 2] if "--sampling" in selection else selection
    tool.run("oneway", "a.csv", "b.csv", "--method", method, *share, *selection[len(share):], "--flows", "joined.csv")
    direct, joined = text_of("direct.csv"), text_of("joined.csv")
    fine = direct == joined and direct.count("\n") > 50
    print(f"{method} {' '.join(selection)}: {direct.count(chr(10)) - 1} flows, {'equal' if fine else 'NOT EQUAL'}")
    return fine


def main(tool):
    first, last = tool.generate("pair", "--packets", "40000", "--duration", "4s", "--path", "droptail", "--loss", "0.02",
                                "--duplicates", "0.01", "--reorder", "0.05", "--vlan", "--seed", "5")
    results = [joined_equals_direct(tool, first, last, method, *selection)
               for method in ("endpoint", "multiflow", "hybrid", "nearby")
               for selection in (["--sampling", "0.2"], ["--sampling", "0.3", "--sample-flows"], [])]
    # The files alone would not show this: other labels select and name other packets.
    tool.run("oneway", last, "--sampling", "0.2", "--label-init", "7", "--write-records", "b.csv")
    tool.run("oneway", first, "--sampling", "0.2", "--write-records", "a.csv")
    _, other = tool.generate("other", "--packets", "5000", "--duration", "2s", "--seed", "6")
    _, hour = tool.generate("pair", "--packets", "40000", "--duration", "4s", "--path", "droptail", "--seed", "5",
                            "--clock-offset", "1h")
    tool.run("oneway", other, "--write-records", "other.csv")
    tool.run("oneway", hour, "--sampling", "0.2", "--write-records", "hour.csv")
    good = text_of("a.csv")
    lines = good.splitlines(keepends=True)
    with open("bent.csv", "w") as file:
        file.write("".join(lines[:3]) + lines[3].replace(",", ";", 1) + "".join(lines[4:]))
    with open("empty.csv", "w") as file:
        file.write(lines[0])
    with open("headless.csv", "w") as file:
        file.write(lines[0].replace("expiry", "why") + lines[1])

    def expect(words, *arguments, status=1):
        done = tool.run("oneway", *arguments, status=status)
        missing = [word for word in words if word not in done.stderr]
        fine = not missing and done.stdout == "" and len(done.stderr.splitlines()) == 1
        print(("ok      " if fine else f"FAILED (lacks {missing}) ") + done.stderr.strip()[:180])
        results.append(fine)

    expect(["no label agrees", "--label-init"], "a.csv", "b.csv")
    expect(["different traffic"], "a.csv", "other.csv")
    expect(["3600 s apart", "--clock-offset=3600.0"], "a.csv", "hour.csv")
    expect(["bent.csv: line 4:", "is not valid as protocol"], "a.csv", "bent.csv")
    expect(["empty.csv holds no flow records"], "a.csv", "empty.csv")
    expect(["headless.csv", "first line is not their header"], "a.csv", "headless.csv")
    expect(["both must be records, or both captures"], "a.csv", last)
    expect(["both must be records, or both captures"], first, "a.csv")
    expect(["absent.csv", "No such file"], "a.csv", "absent.csv")
    expect(["method exact needs packets"], "a.csv", "hour.csv", "--method", "exact")
    expect(["--filter"], "a.csv", "hour.csv", "--filter", "tcp")
    expect(["one capture"], first, last, "--write-records", "x.csv", status=2)
    expect(["nothing else"], first, "--write-records", "x.csv", "--json", status=2)
    expect(["does not go by flow records"], first, "--write-records", "x.csv", "--method", "rli", status=2)
    # The advice works.
    joined = tool.run("oneway", "a.csv", "hour.csv", "--clock-offset=3600s").stdout
    results.append("method multiflow" in joined and "mean delay of flows" in joined)
    return all(results)


if __name__ == "__main__":
    sys.exit(0 if main(Sojourn(sys.argv[1])) else 1)
