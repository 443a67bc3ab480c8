#!/usr/bin/env python3
"""Does a measurement lose packets while fifty people look at it?

    bench/web_load.py [--build DIR] [--rate PACKETS_PER_SECOND] [--seconds S] [--browsers N] [--json FILE]

`sojourn watch` on one end of a veth pair measures round trips that arrive at --rate (50 000 packets a second).  Meanwhile --browsers
(50) clients do what the page does: ask for status, heatmap and groups, listen to the live stream, ask anew every 5 s; a scraper
asks for /metrics every second, in turns as text and as protobuf; and one of the browsers is a real Chromium, if it is there.  All of it on the same
machine.  Ends with 1 if a packet that was sent was not measured.  Needs root; says so and ends with 77 otherwise.
"""
import argparse
import asyncio
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from two_namespaces import FAR, NEAR, inside, run, set_up, tear_down

ROOT = Path(__file__).resolve().parent.parent
PORT = 8080

CHROMIUM = """
const { createRequire } = require('node:module');
const puppeteer = createRequire(process.argv[2])('puppeteer-core');
(async () => {
  const browser = await puppeteer.launch({ executablePath: process.argv[3], args: ['--no-sandbox'], headless: true });
  const page = await browser.newPage();
  await page.goto('http://127.0.0.1:8080/#view=overview&span=600');
  await page.waitForSelector('#heatmap', { timeout: 60000 });
  await new Promise(resolve => setTimeout(resolve, Number(process.argv[4]) * 1000));
  console.log(await page.$eval('#heatmap', e => Number(e.dataset.liveColumns ?? 0)));
  await browser.close();
})().catch(error => { console.error(error.message); process.exit(1); });
"""


class Tally:
    def __init__(self):
        self.replies, self.events, self.bytes, self.waits, self.troubles = {}, 0, 0, [], set()


async def get(path, tally, accept="*/*"):
    began = time.monotonic()
    reader, writer = await asyncio.open_connection("127.0.0.1", PORT)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept: {accept}\r\nConnection: close\r\n\r\n".encode())
    answer = await reader.read(-1)
    writer.close()
    status = int(answer.split(None, 2)[1]) if answer else 0
    tally.replies[status] = tally.replies.get(status, 0) + 1
    if status != 200:
        tally.troubles.add(answer.partition(b"\r\n\r\n")[2].decode().strip())
    tally.bytes += len(answer)
    tally.waits.append(time.monotonic() - began)
    return answer.partition(b"\r\n\r\n")[2]


async def listen(end, tally, question):
    reader, writer = await asyncio.open_connection("127.0.0.1", PORT)
    writer.write(f"GET /api/v1/live?{question}&step_s=10 HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    while time.monotonic() < end:
        try:
            part = await asyncio.wait_for(reader.read(65536), 1)
        except asyncio.TimeoutError:
            continue
        if not part:
            break
        tally.events += part.count(b"event: column")
        tally.bytes += len(part)
    writer.close()


async def browser(number, end, tally):
    """Every fifth looks at a prefix of its own."""
    await asyncio.sleep(number * 0.1)
    question = "subject=near0&kind=dns" + (f"&prefix=198.18.{number}.0/24" if number % 5 == 0 else "")
    live = asyncio.create_task(listen(end, tally, question))
    while time.monotonic() < end:
        now = int(time.time())
        await get("/api/v1/status", tally)
        await get(f"/api/v1/heatmap?{question}&from_s={now - 3600}&to_s={now}&columns=240", tally)
        if number % 3 == 0:
            await get(f"/api/v1/groups?{question}&from_s={now - 600}&to_s={now}", tally)
        await asyncio.sleep(5)
    await live


async def scraper(end, tally):
    formats = ("text/plain", "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited")
    while time.monotonic() < end:
        for each in formats:
            await get("/metrics", tally, each)
            await asyncio.sleep(1)


async def crowd(browsers, seconds):
    end = time.monotonic() + seconds
    tally, scrapes = Tally(), Tally()
    await asyncio.gather(*(browser(i, end, tally) for i in range(browsers)), scraper(end, scrapes))
    return tally, scrapes


def client(arguments):
    """This script once more, in the namespace of the page."""
    tally, scrapes = asyncio.run(crowd(arguments.browsers, arguments.seconds))
    print(json.dumps({"replies": tally.replies, "events": tally.events, "mebibytes": round(tally.bytes / 2**20, 1),
                      "median_s": round(statistics.median(tally.waits), 3), "p95_s": round(statistics.quantiles(tally.waits, n=20)[-1], 3),
                      "scrapes": scrapes.replies, "troubles": sorted(tally.troubles | scrapes.troubles)}))


def measure(arguments, folder):
    build = Path(arguments.build)
    log = open(f"{folder}/watch.log", "w+", encoding="utf-8")
    watch = subprocess.Popen(inside(NEAR, str(build / "sojourn"), "watch", "-i", "near0", "--store", f"{folder}/sojourn.db", "--web",
                                    str(PORT), "--alarm", "each dns usual"), stderr=log, stdout=log)
    while "http://" not in Path(log.name).read_text(encoding="utf-8"):
        if watch.poll() is not None:
            sys.exit("watch ended: " + Path(log.name).read_text(encoding="utf-8"))
        time.sleep(0.1)
    seconds = arguments.seconds
    # The network does not wait for whoever looks.
    pairs = subprocess.Popen(inside(FAR, "nice", "-n", "-10", str(build / "bench/sojourn-bench-pairs"), "far0", str(arguments.rate), str(seconds)),
                             stdout=subprocess.PIPE, text=True)
    others = subprocess.Popen(inside(NEAR, sys.executable, __file__, "--client", "--browsers", str(arguments.browsers - 1), "--seconds",
                                     str(seconds)), stdout=subprocess.PIPE, text=True)
    chromium, node = shutil.which("chromium"), shutil.which("node")
    real = None
    if chromium and node:
        script = Path(folder) / "chromium.cjs"
        script.write_text(CHROMIUM, encoding="utf-8")
        real = subprocess.Popen(inside(NEAR, node, str(script), str(ROOT / "web/page/package.json"), chromium, str(max(5, seconds - 15))),
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    sent, refused, passed = (float(word) for word in pairs.communicate()[0].split())
    looked = json.loads(others.communicate()[0])
    columns = real.communicate()[0].strip() if real else ""
    health = json.loads(run(*inside(NEAR, "curl", "-s", f"http://127.0.0.1:{PORT}/api/v1/health")).stdout)["process"]
    watch.terminate()
    watch.wait()
    last = Path(log.name).read_text(encoding="utf-8").strip().splitlines()[-1]
    stored = json.loads(run(str(build / "sojourn"), "query", f"{folder}/sojourn.db", "--json").stdout)["subjects"][0]["rows"][0]["weight"]
    return {"sent": int(sent), "refused_by_interface": int(refused), "seconds": passed, "packets_per_second": round(sent / passed),
            "browsers": looked, "live_columns_in_chromium": int(columns) if columns.isdigit() else None, "dropped_by_kernel": health["dropped_by_kernel"],
            "ns_per_packet": health["ns_per_packet"], "memory_mebibytes": round(health["memory_bytes"] / 2**20, 1), "processor_seconds": round(health["processor_seconds"], 1),
            "stored_round_trips": stored, "watch_says": last}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=ROOT / "build/release")
    parser.add_argument("--rate", type=int, default=50_000)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--browsers", type=int, default=50)
    parser.add_argument("--json")
    parser.add_argument("--client", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.client:
        client(arguments)
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the namespaces go
    if os.geteuid() != 0:
        print("skipped: needs root")
        return 77
    try:
        if fault := set_up(quiet=True):
            print(f"skipped: {fault}")
            return 77
        with tempfile.TemporaryDirectory() as folder:
            found = measure(arguments, folder)
    finally:
        tear_down()
    measured = int("".join(c for c in found["watch_says"].split(" packets")[0].rsplit(": ", 1)[-1] if c.isdigit()))
    found["measured"] = measured
    print(json.dumps(found, indent=2))
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(found) + "\n", encoding="utf-8")
    lost = found["sent"] - measured
    print(f"{found['sent']} packets sent, {measured} measured, {lost} lost, {found['dropped_by_kernel']} dropped by the kernel")
    return 1 if lost or found["dropped_by_kernel"] else 0


if __name__ == "__main__":
    sys.exit(main())
