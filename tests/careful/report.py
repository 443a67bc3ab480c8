"""The report is printed whatever happens to the other outputs."""
import os
import signal
import subprocess
import time

from tool import one_line, until_it_reads


def impossible_outputs_are_refused_before_measuring(place):
    """Standard input stays open: whoever read all of it first would wait for ever."""
    place.capture("x.pcap")
    for command in ("rtt - --plot no-folder/x.svg", "rtt - --samples no-folder/x.csv",
                    "rtt - --save-distribution no-folder/x.json"):
        program = subprocess.Popen(f"exec {place.sojourn} {command}", shell=True, cwd=place.folder, stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            program.stdin.write(place.read("x.pcap"))
            program.stdin.flush()
        except BrokenPipeError:
            pass  # it has ended already, as it should
        try:
            status = program.wait(timeout=10)
        except subprocess.TimeoutExpired:
            program.kill()
            return f"sojourn {command} measures before it looks"
        errors = program.stderr.read()
        if status != 1 or b"no-folder" not in errors:
            return f"sojourn {command}: exit status {status}, {errors!r}"
    return None


def a_full_disk_costs_only_its_own_output(place):
    place.capture("x.pcap")
    for option in ("--samples", "--plot", "--save-distribution"):
        done = place.shell(f"rtt x.pcap {option} /dev/full")
        fault = one_line(done, 1, "/dev/full", "No space left")
        if fault or b"handshake" not in done.stdout:
            return f"{option}: {fault or 'the report is lost'}"
    place.capture("y.pcap")
    done = place.shell("oneway x.pcap y.pcap --flows /dev/full")
    fault = one_line(done, 1, "/dev/full", "No space left")
    return fault or (None if b"packets" in done.stdout else "oneway: the report is lost")


def sighup_prints_the_report(place):
    capture = open(os.path.join(place.captures, "web.pcap"), "rb").read()
    program = subprocess.Popen([place.sojourn, "rtt", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    program.stdin.write(capture)
    program.stdin.flush()
    until_it_reads(program)
    program.send_signal(signal.SIGHUP)
    program.send_signal(signal.SIGHUP)
    output, _ = program.communicate(timeout=20)
    return None if program.returncode == 0 and b"interrupted" in output else f"exit status {program.returncode}, {output!r}"


def nohup_goes_on(place):
    """Who ignores SIGHUP wants it ignored."""
    capture = open(os.path.join(place.captures, "web.pcap"), "rb").read()
    program = subprocess.Popen(["nohup", place.sojourn, "rtt", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    program.stdin.write(capture[:5000])
    program.stdin.flush()
    until_it_reads(program)
    program.send_signal(signal.SIGHUP)
    time.sleep(0.3)
    output, _ = program.communicate(capture[5000:], timeout=20)
    return None if program.returncode == 0 and b"interrupted" not in output else f"{program.returncode}, {output[:200]!r}"


CHECKS = [impossible_outputs_are_refused_before_measuring, a_full_disk_costs_only_its_own_output,
          sighup_prints_the_report, nohup_goes_on]
