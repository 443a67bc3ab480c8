#!/usr/bin/env python3
"""cluster.py SOJOURN: the same reports into a file and into two shards of ClickHouse give the same answers.

A shard is killed while they come, and back later: the collector says so once, and nothing is lost.  Collectors that hear one point
each find no segment; ClickHouse joins what they stored.
"""
import json
import subprocess
import sys
import tempfile

from servers import ClickHouse, Collector, Tee, check, finish, need, point, two_captures

QUERIES = (["--loss", "--ledger"], ["--by", "prefix/24", "--loss"], ["--by", "prefix/8"], ["--segment", "north:south", "--quantiles", "10,90"])


def answer(program, store, options):
    done = subprocess.run([program, "query", store, "--since", "2000h", "--json", *options], capture_output=True, encoding="utf-8")
    check(done.returncode == 0, f"query {options} of {store}: {done.stderr}")
    found = json.loads(done.stdout)
    # Fields that depend on the time of the question and of the collectors' writes.
    for key in ("from_ns", "to_ns", "written_ns", "losses_until_ns"):
        found.pop(key)
    for subject in found.get("subjects", []):
        for row in subject["rows"]:
            row.pop("mean_over_time_ns")
    for ledger in found.get("ledgers", []):
        for key in ("first_heard_ns", "last_heard_ns"):
            ledger.pop(key, None)
    return found


def difference(ours, theirs, path=""):
    """The first place where they differ; fractions may differ in their last digits, by the order of the sum."""
    if isinstance(ours, float) and isinstance(theirs, (int, float)):
        return "" if abs(ours - theirs) <= 1e-9 * abs(ours) else f"{path}: {ours} {theirs}"
    if type(ours) is not type(theirs) or isinstance(ours, (list, dict)) and len(ours) != len(theirs):
        return f"{path}: {str(ours)[:300]} {str(theirs)[:300]}"
    pairs = enumerate(ours) if isinstance(ours, list) else ((key, key) for key in ours) if isinstance(ours, dict) else ()
    for key, _ in pairs:
        if key not in theirs if isinstance(ours, dict) else False:
            return f"{path}.{key} is missing"
        if found := difference(ours[key], theirs[key], f"{path}.{key}"):
            return found
    if path.endswith("mean_ns") and isinstance(ours, int) and abs(ours - theirs) <= 1:
        return ""
    if not isinstance(ours, (list, dict)) and ours != theirs:
        return f"{path}: {ours} {theirs}"
    return ""


def main():
    program = sys.argv[1]
    need("clickhouse-server")
    with tempfile.TemporaryDirectory() as folder:
        first, last = two_captures(program, folder)
        shards = [ClickHouse(f"{folder}/shard{i}") for i in range(2)]
        try:
            cluster = f"clickhouse://127.0.0.1:{shards[0].port},127.0.0.1:{shards[1].port}/sojourn"
            file = f"{folder}/sojourn.db"
            collectors = [Collector(program, store, f"{folder}/{name}.log", "--wait", "4s")
                          for name, store in (("file", file), ("cluster", cluster))]
            tee = Tee([collector.port for collector in collectors])
            shards[1].kill()
            finish(point(program, first, "north", tee.port, "--sampling", "0.3"),
                   point(program, last, "south", tee.port, "--sampling", "0.3"))
            collectors[1].wait_for("cannot write")
            refused = subprocess.run([program, "query", cluster], capture_output=True, encoding="utf-8")
            check(refused.returncode == 1 and f"127.0.0.1:{shards[1].port}" in refused.stderr and refused.stderr.count("\n") == 1,
                  f"a question while a shard is down must be refused in one line, not: {refused.stdout} {refused.stderr}")
            shards[1].start()
            collectors[1].wait_for("can be written again")
            for collector in collectors:
                collector.stop()
            check(collectors[1].lines("cannot write") == 1, "one line for one cause: " + collectors[1].text())
            for query in QUERIES:
                ours, theirs = (answer(program, store, query) for store in (file, cluster))
                check(ours["subjects"] and ours["subjects"][0]["rows"][0]["weight"] > 5000, f"nothing to compare: {ours}")
                check(not difference(ours, theirs), f"{query}: {difference(ours, theirs)}")
            # Joined again inside ClickHouse, from the packets themselves.
            for query in QUERIES[1:]:
                ours, theirs = answer(program, file, query), answer(program, cluster, [*query, "--join"])
                check(not difference(ours, theirs), f"--join {query}: {difference(ours, theirs)}")
            refused = subprocess.run([program, "query", file, "--join"], capture_output=True, encoding="utf-8")
            check(refused.returncode == 1 and "only ClickHouse" in refused.stderr, f"{refused}")
            for shard in shards:
                packets = [int(shard.select(f"select {what} from sojourn.packets")) for what in ("count()", "uniqExact(label)")]
                check(packets[0] > 1000 and packets[1] < packets[0], f"a label is not on one shard: {packets}")
            for ledger in answer(program, cluster, ["--ledger"])["ledgers"]:
                check(ledger["adds_up"] and ledger["joined"] > 1000 and ledger["joined"] == ledger["stored"], f"{ledger}")
            apart = cluster + "_apart"
            collectors = [Collector(program, apart, f"{folder}/{name}.log", "--wait", "4s") for name in ("north", "south")]
            finish(point(program, first, "north", collectors[0].port, "--sampling", "0.3"),
                   point(program, last, "south", collectors[1].port, "--sampling", "0.3"))
            for collector in collectors:
                collector.stop()
            ours, theirs = (answer(program, store, ["--segment", "north:south", *more])["subjects"][0]["rows"][0]
                            for store, more in ((file, []), (apart, ["--join"])))
            for key in ("weight", "quantiles"):
                check(not difference(ours[key], theirs[key]), f"joined of two collectors: {key}: {difference(ours[key], theirs[key])}")
            rows = [int(shard.select("select count() from sojourn.cells where tier = 0")) for shard in shards]
            check(min(rows) > 100, f"the shards have {rows} cells")
            text = subprocess.run([program, "query", cluster, "--since", "2000h", "--loss"], capture_output=True, encoding="utf-8")
            print(text.stdout)
        finally:
            for shard in shards:
                shard.kill()


if __name__ == "__main__":
    main()
