#!/usr/bin/env python3
"""check_multipoint.py CLUSTERS.json UPPER.csv LOWER.csv: loss of each cluster and interval, against the emulators' logs."""
import sys

from check_marking import Truth, number_of, table

LENGTH, FLOW = 250_000_000, "destination=198.51.100.0/24,protocol=udp"


def main():
    document, rows = table(sys.argv[1], "cluster_intervals")
    upper, lower = (Truth(path, [0], LENGTH) for path in sys.argv[2:4])
    wrong = []
    given, lost = {"first": 0, "1+2": 0}, {"first": 0, "1+2": 0}
    for row in rows:
        if row["lost"] is None:
            continue
        place = row["flow"], number_of(row, LENGTH)
        if row["in"] == "first":  # both ways leave from here, and the upper one loses
            truth = upper.sent[place] + lower.sent[place], upper.lost[place]
        else:
            truth = upper.sent[place] - upper.lost[place] + lower.sent[place], lower.lost[place]
        given[row["in"]] += 1
        lost[row["in"]] += row["lost"]
        if (row["sent"], row["lost"]) != truth:
            wrong.append(f"from {row['in']}, {place}: sent {row['sent']} lost {row['lost']}, in the logs {truth[0]} and {truth[1]}")
    for name in given:
        print(f"  from {name}: {given[name]} intervals given, {lost[name]} packets lost")
        if given[name] < 6 or lost[name] < 20:
            wrong.append("too few intervals or losses to say anything: the test could not fail")
    print("  ", document["tables"]["clusters"])
    for line in wrong[:10]:
        print("FAILED:", line)
    return 1 if wrong else 0


sys.exit(main())
