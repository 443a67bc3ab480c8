#!/usr/bin/env python3
"""clickhouse_test.py SOJOURN MAKE_STORE NODE CHROMIUM: the page over a store in two shards of ClickHouse.

The same content goes into a file and into ClickHouse.  Every answer of the API has to be the same from both, and the views
in Chromium show from ClickHouse what page_test.mjs knows of that content.
"""
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "collector"))

from cluster import difference  # noqa: E402
from server import Server  # noqa: E402
from servers import ClickHouse, need  # noqa: E402

# All views; zoom, keys and screens do not depend on where the numbers come from.
VIEWS = "overview,markup_is_text,who,compare,path,health,alarms,live_lost_and_back"


def questions(newest):
    now = (newest - 120) // 600 * 600  # so that losses of all of it are known to both, whenever they were started
    hour, day, ten_minutes = (f"&from_s={now - seconds}&to_s={now}" for seconds in (3600, 86400, 600))
    north_south, trip = "subject=north:south&kind=oneway", "subject=north&kind=tcp"
    sides = f"subject_a=north:south&kind_a=oneway&subject_b=north:south&kind_b=oneway&from_s_a={now - 87000}&to_s_a={now - 86400}&from_s_b={now - 600}&to_s_b={now}"
    return ["status", "health", f"path?{hour[1:]}", f"compare?{sides}",
            *(f"heatmap?{subject}{time}" for subject in (north_south, trip, "subject=paris:lyon&kind=oneway") for time in (hour, day)),
            f"heatmap?subject=south:north&kind=oneway{hour}", f"heatmap?{north_south}&prefix=198.51.100.0/24{hour}",
            *(f"groups?{subject}{time}&order={order}" for subject in (north_south, trip, "subject=paris:lyon&kind=oneway")
              for time, order in ((ten_minutes, "changed"), (hour, "worst"), (day, "heaviest"))),
            f"groups?subject=paris:lyon&kind=oneway{hour}&length=20"]


def answer(server, question):
    document = server.json("/api/v1/" + question)
    # What depends on when either collector wrote or was asked, and what the process says of itself.
    for key in ("now_s", "written_s", "judged_until_s", "process"):
        document.pop(key, None)
    return document


def main():
    sojourn, make_store, node, chromium = sys.argv[1:5]
    need("clickhouse-server")
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        shards = []
        try:
            shards = [ClickHouse(f"{folder}/shard{i}") for i in range(2)]
            cluster = f"clickhouse://127.0.0.1:{shards[0].port},127.0.0.1:{shards[1].port}/sojourn"
            now = int(time.time()) // 10 * 10
            with Server(sojourn, make_store, now=now) as file, Server(sojourn, make_store, now=now, store=cluster) as clustered:
                for question in questions(now):
                    ours, theirs = answer(file, question), answer(clustered, question)
                    if found := difference(ours, theirs):
                        failures.append(f"{question}: {found}")
                cells = [int(shard.select("select count() from sojourn.cells")) for shard in shards]
                if min(cells) < 1000:
                    failures.append(f"the shards have {cells} cells")
            print(f"{len(questions(now))} answers compared")
            if os.path.exists(chromium) and node:
                page = subprocess.run([node, f"{HERE}/page_test.mjs", sojourn, make_store, chromium, "--store", cluster, str(now),
                                       "--only", VIEWS], check=False)
                if page.returncode not in (0, 77):
                    failures.append("the page failed")
        finally:
            for shard in shards:
                shard.kill()
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
