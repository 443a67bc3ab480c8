#!/usr/bin/env python3
"""prometheus_test.py SOJOURN MAKE_STORE PROMETHEUS CAPTURES

Two points send a recorded capture, Prometheus scrapes the collector as text and with native histograms, and histogram_quantile has to give what `sojourn query`
gives, within a bucket: one of 2 an octave, or one of 8 with native histograms.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.parse
import urllib.request

from server import Server, free_port

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def ask(port, path, **parameters):
    url = f"http://127.0.0.1:{port}{path}?{urllib.parse.urlencode(parameters)}"
    with urllib.request.urlopen(url, timeout=10) as answer:
        return json.load(answer)["data"]


def start_prometheus(program, folder, server_port, native):
    """The example configuration, with our port and a scrape every second."""
    with open(os.path.join(ROOT, "docs", "prometheus", "prometheus.yml"), encoding="utf-8") as file:
        text = file.read().replace("127.0.0.1:8080", f"127.0.0.1:{server_port}").replace("scrape_interval: 15s", "scrape_interval: 1s")
    assert f":{server_port}" in text and "interval: 1s" in text
    with open(os.path.join(folder, "prometheus.yml"), "w", encoding="utf-8") as file:
        file.write(text)
    shutil.copy(os.path.join(ROOT, "docs", "prometheus", "rules.yml"), folder)
    port = free_port()
    command = [program, f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data", f"--web.listen-address=127.0.0.1:{port}"]
    if native:
        command.append("--enable-feature=native-histograms")
    log = open(os.path.join(folder, "prometheus.log"), "w", encoding="utf-8")
    return port, subprocess.Popen(command, stdout=log, stderr=log)


def send_captures(sojourn, port, captures):
    for name, file in (("north", "bulk.pcap.gz"), ("south", "bulk.server.pcap.gz")):
        subprocess.run([sojourn, "point", os.path.join(captures, file), "--name", name, "--to", f"127.0.0.1:{port}", "--sampling", "1"],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def wait_until(what, seconds=30):
    end = time.time() + seconds
    while time.time() < end:
        try:
            found = what()
            if found:
                return found
        except (OSError, KeyError, IndexError):
            pass
        time.sleep(0.2)
    raise SystemExit("waited in vain")


def compare(sojourn, server, port, mode):
    """Quantiles by Prometheus against ours: what is wrong, one line each."""
    native = mode == "native"
    failures = []
    selector = "sojourn_delay_seconds" if native else "sojourn_delay_seconds_bucket"
    wait_until(lambda: ask(port, "/api/v1/query", query=f'{selector}{{subject="north",kind="tcp"}}')["result"])
    time.sleep(1.5)
    ours = json.loads(subprocess.run([sojourn, "query", server.store, "--since", "87600h", "--json", "--quantiles", "50,95"],
                                     check=True, capture_output=True).stdout)
    compared = 0
    for subject in ours["subjects"]:
        for row in subject["rows"]:
            for quantile in row["quantiles"]:
                labels = f'subject="{subject["name"]}",kind="{row["kind"]}"' + (f',leg="{row["leg"]}"' if row["leg"] else "")
                result = ask(port, "/api/v1/query", query=f'histogram_quantile({quantile["q"]}, {selector}{{{labels}}})')["result"]
                theirs = float(result[0]["value"][1]) if result else float("nan")
                mine = quantile["delay_ns"] / 1e9
                # A bucket's width, and the rank between two samples that lie in different buckets.
                widest = 2 ** (1 / 8) * 1.01 if native else 1.5 * 1.01
                near = mine * theirs > 0 and 1 / widest <= theirs / mine <= widest
                if not near and row["weight"] >= 100:
                    failures.append(f"{mode} {labels} q={quantile['q']}: Prometheus says {theirs}, we say {mine}")
                compared += near
    print(f"{mode}: {compared} quantiles agree")
    if compared < 10:
        failures.append(f"{mode}: only {compared} quantiles could be compared")
    rules = ask(port, "/api/v1/rules")["groups"]
    wrong = [rule["name"] for group in rules for rule in group["rules"] if rule["health"] == "err"]
    if not rules or wrong:
        failures.append(f"{mode}: rules: {wrong or 'none were read'}")
    targets = ask(port, "/api/v1/targets")["activeTargets"]
    if [t["health"] for t in targets] != ["up"]:
        failures.append(f"{mode}: target: {targets}")
    return failures


def main():
    sojourn, make_store, program, captures = sys.argv[1:5]
    if not program or not os.path.exists(program):
        print("skipped: needs prometheus")
        return 77
    failures, running = [], []
    with Server(sojourn, make_store, "--wait", "1s", empty=True) as server:
        log = open(server.log.name, encoding="utf-8").read()
        try:
            # One for each format, side by side: they wait for the collector to write, every 10 s.
            ports = {}
            for mode in ("classic", "native"):
                folder = os.path.join(server.folder, mode)
                os.mkdir(folder)
                ports[mode], process = start_prometheus(program, folder, server.port, mode == "native")
                running.append(process)
            send_captures(sojourn, re.search(r"listening on \S+:(\d+)", log)[1], captures)
            for mode, port in ports.items():
                failures += compare(sojourn, server, port, mode)
        finally:
            for process in running:
                process.terminate()
                process.wait()
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
