"""No output is opened on an input or on another output, and each appears whole or not at all."""
import os
import shutil
import signal
import subprocess

from tool import UTF8, one_line, until_it_reads

TLS = " --name a --to ::1 --transport tls --certificate own.pem --key key.pem --authority ca.pem --spool spool"

# These must be refused because OUT is an input of the run; x.pcap, y.pcap and z.pcap are captures, r.csv flow records,
# first.csv, mid.csv and last.csv records of marking points.
ON_INPUTS = [
    "rtt x.pcap --samples x.pcap",
    "rtt x.pcap --samples ./link.pcap",
    "rtt x.pcap --samples hard.pcap",
    "rtt link.pcap --samples x.pcap",
    "rtt - --samples x.pcap < x.pcap",
    "rtt /dev/stdin --samples x.pcap < x.pcap",
    "rtt x.pcap --plot x.pcap",
    "rtt x.pcap --plot-heatmap x.pcap",
    "rtt x.pcap --html x.pcap",
    "rtt x.pcap --save-distribution x.pcap",
    "rtt x.pcap --by asn --mmdb places.mmdb --samples places.mmdb",
    "rtt x.pcap --by asn --mmdb places.mmdb --plot places.mmdb",
    "rtt x.pcap --by asn --mmdb places.mmdb --plot-heatmap places.mmdb",
    "rtt x.pcap --by asn --mmdb places.mmdb --html places.mmdb",
    "rtt x.pcap --by asn --mmdb places.mmdb --save-distribution places.mmdb",
    "rtt x.pcap --by asn --mmdb places.mmdb >> places.mmdb",
    "rtt x.pcap y.pcap --samples y.pcap",
    "rtt x.pcap >> x.pcap",
    "rtt x.pcap --expect usual.json --samples usual.json",
    "rtt x.pcap --expect usual.json --html usual.json",
    "rtt x.pcap --expect usual.json --plot usual.json",
    "rtt x.pcap --expect usual.json --plot-heatmap usual.json",
    "oneway x.pcap y.pcap --flows x.pcap",
    "oneway x.pcap y.pcap --samples y.pcap",
    "oneway x.pcap y.pcap --plot x.pcap",
    "oneway x.pcap --write-records x.pcap",
    "oneway r.csv q.csv --method endpoint --flows r.csv",
    "oneway r.csv q.csv --method endpoint --plot q.csv",
    "oneway first.csv last.csv --via mid.csv --flows mid.csv",
    "oneway first.csv last.csv --via mid.csv --plot mid.csv",
    "oneway first.csv last.csv --via mid.csv >> mid.csv",
    "oneway x.pcap y.pcap --method marking --via z.pcap --flows z.pcap",
    "lab compare x.pcap --kind tcp --seeds 1 --memory 4KiB --plot x.pcap",
    "lab compare x.pcap --kind tcp --seeds 1 --memory 4KiB >> x.pcap",
    "lab compare x.pcap --kind tcp --seeds 1 --memory 4KiB --json >> x.pcap",
    "lab tune x.pcap --kind tcp --seeds 1 >> x.pcap",
    "mark x.pcap marked.pcap >> x.pcap",
    "point x.pcap --name a --to ::1 >> x.pcap",
    "point x.pcap --name a --to ::1 --secret-file secret >> secret",
    "point -i lo --observe-references --flows key.pem" + TLS,
    "point -i lo --observe-references --flows ca.pem" + TLS,
    "point -i lo --observe-references --flows spool/spool.03" + TLS,
    "point -i lo --observe-references >> key.pem" + TLS,
    "point -i lo --mark step --records own.pem" + TLS,
    "point -i lo --mark step --records key.pem" + TLS,
    "point -i lo --mark step --records spool/spool.00" + TLS,
    "point -i lo --mark step >> key.pem" + TLS,
    "query asked.db >> asked.db",
    "query asked.db --references >> asked.db",
    "query asked.db --marks north:south >> asked.db",
    "watch -i lo --store asked.db >> asked.db",
    "watch -i lo --store kept.db --web-token-file secret >> secret",
]


def marking_records(point):
    """Two intervals of a marking point, as `sojourn point --records` writes them."""
    start = 1_700_000_000
    lines = ["point,duty,marking,carrier,interval,clock_error_ns,since_ns,number,start_ns,read_ns,state,packets,pulses,"
             "pulse_ns,late_ns,early_ns,middle,contrary,other,marked_before,repeats,flow"]
    duty = {"first": "mark", "mid": "observe", "last": "restore"}[point]
    for number in range(start, start + 2):
        times = f"{(start - 1) * 10**9},{number},{number * 10**9},{number * 10**9 + 1_500_000_000}"
        begin = f"{point},{duty},step,dscp:0,1s,,{times},ok"
        lines += [f'{begin},0,0,0,0,0,0,0,0,0,,""', f'{begin},50,0,0,0,0,50,0,0,0,,"any"']
    return "\n".join(lines) + "\n"


def no_output_is_an_input(place):
    for name in ("x.pcap", "y.pcap", "z.pcap"):
        place.capture(name)
    os.symlink("x.pcap", place.path("link.pcap"))
    os.link(place.path("x.pcap"), place.path("hard.pcap"))
    for name in ("first.csv", "mid.csv", "last.csv"):
        place.write(name, marking_records(name[:-4]))
    for command in ("oneway first.csv last.csv --via mid.csv", "oneway x.pcap --write-records r.csv",
                    "oneway y.pcap --write-records q.csv", "rtt x.pcap --save-distribution usual.json"):
        if place.shell(command).returncode:
            return f"{command} fails"
    shutil.copyfile(os.path.join(place.captures, "places.mmdb"), place.path("places.mmdb"))
    os.mkdir(place.path("spool"))
    for name in ("secret", "own.pem", "key.pem", "ca.pem", "asked.db", "spool/spool.00", "spool/spool.03"):
        place.write(name, "a-secret-that-is-long-enough-for-a-token\n")
    watched = ("x.pcap", "y.pcap", "z.pcap", "r.csv", "q.csv", "usual.json", "places.mmdb", "first.csv", "mid.csv",
               "last.csv", "secret", "own.pem", "key.pem", "ca.pem", "asked.db", "spool/spool.00", "spool/spool.03")
    before = {name: place.read(name) for name in watched}
    names = place.names()
    for command in ON_INPUTS:
        fault = one_line(place.shell(command), 1, "would be overwritten")
        changed = [name for name in watched if place.read(name) != before[name]]
        for name in changed:
            place.write(name, before[name])
        if fault or changed:
            return f"sojourn {command}: changes {changed}; {fault}"
        if place.names() != names:
            return f"sojourn {command} leaves {set(place.names()) - set(names)}"
    fault = one_line(place.shell("mark x.pcap link.pcap"), 2, "same file")
    return fault or (None if place.read("x.pcap") == before["x.pcap"] else "mark changes its input")


def a_capture_does_not_become_a_table(place):
    place.capture("a.pcap")
    place.capture("b.pcap")
    subprocess.run(["gzip", "-k", place.path("a.pcap")], check=True)
    for command in ("rtt --samples a.pcap b.pcap", "rtt b.pcap --plot a.pcap.gz", "oneway b.pcap --write-records a.pcap",
                    "generate --model tcp --packets 100 g.pcap --truth a.pcap", "lab l1 --quick --html a.pcap",
                    "point -i lo --observe-references --flows a.pcap", "point -i lo --mark step --records a.pcap"):
        before = place.read("a.pcap"), place.read("a.pcap.gz")
        fault = one_line(place.shell(command), 1, "holds a capture")
        if fault or before != (place.read("a.pcap"), place.read("a.pcap.gz")):
            return f"sojourn {command}: {fault or 'the capture is lost'}"
    return None if place.names() == ["a.pcap", "a.pcap.gz", "b.pcap"] else f"leaves {place.names()}"


def two_outputs_are_two_files(place):
    place.capture("x.pcap")
    place.capture("y.pcap")
    for command in ("rtt x.pcap --samples o --plot o", "rtt x.pcap --samples ./o --save-distribution o",
                    "rtt x.pcap --samples o > o", "rtt x.pcap --samples /dev/stdout | cat; exit ${PIPESTATUS[0]}",
                    "generate --model tcp --packets 100 g --truth g", "oneway x.pcap y.pcap --flows o --samples o",
                    "oneway x.pcap y.pcap --flows o --plot ./o", "generate --model tcp --packets 100 g --truth t > t",
                    "generate --points 2 --packets 100 g > g.flows.csv", "mark x.pcap o > o",
                    "lab compare x.pcap --kind tcp --seeds 1 --memory 4KiB --out . --plot compare-errors.csv",
                    "lab l1 --quick --html o > o", "point -i lo --mark step --records o > o",
                    "point -i lo --observe-references --flows o > o"):
        fault = one_line(place.shell(command), 1, "already")
        if fault:
            return f"sojourn {command}: {fault}"
    done = place.shell("rtt x.pcap --samples /dev/null --plot /dev/null > /dev/null")
    return None if done.returncode == 0 else f"/dev/null is refused: {done.stderr}"


def a_failure_leaves_the_old_output(place):
    """A mark that must not be overwritten ends the run; what OUT held stays."""
    place.capture("x.pcap")
    place.write("out.pcap", "precious")
    first = place.shell("mark x.pcap marked.pcap")
    fault = one_line(place.shell("mark marked.pcap out.pcap"), 1, "--force")
    if first.returncode or fault:
        return fault or first.stderr
    if place.read("out.pcap") != b"precious":
        return "the old content of OUT is gone"
    place.write("damaged.pcap", place.read("x.pcap")[:10])
    place.write("s.csv", "precious")
    place.shell("rtt damaged.pcap --samples s.csv")
    place.shell("rtt x.pcap --filter 'tcp prot' --samples s.csv")
    if place.read("s.csv") != b"precious":
        return "the old content of --samples is gone"
    extra = [name for name in place.names() if "part" in name]
    return f"leaves {extra}" if extra else None


def outputs_are_replaced_in_one_step(place):
    """While the run goes on, the old content is there; then the new; mode and links stay."""
    capture = open(os.path.join(place.captures, "web.pcap"), "rb").read()
    place.write("real.csv", "old\n")
    os.chmod(place.path("real.csv"), 0o640)
    os.symlink("real.csv", place.path("s.csv"))
    program = subprocess.Popen([place.sojourn, "rtt", "-", "--samples", "s.csv"], cwd=place.folder,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, **UTF8})
    program.stdin.write(capture)
    program.stdin.flush()
    until_it_reads(program)
    if place.read("s.csv") != b"old\n":
        program.kill()
        return "the old content is gone before the new is there"
    program.send_signal(signal.SIGINT)
    program.communicate(timeout=20)
    lines = place.read("s.csv").splitlines()
    if program.returncode or len(lines) < 10 or not lines[0].startswith(b"time_ns,"):
        return f"after SIGINT: exit status {program.returncode}, {len(lines)} lines"
    if not os.path.islink(place.path("s.csv")) or os.stat(place.path("real.csv")).st_mode & 0o777 != 0o640:
        return "link or mode are lost"
    return None if place.names() == ["real.csv", "s.csv"] else f"leaves {place.names()}"


def a_second_interrupt_leaves_nothing(place):
    program = subprocess.Popen([place.sojourn, "rtt", "-", "--samples", "s.csv"], cwd=place.folder,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    capture = open(os.path.join(place.captures, "web.pcap"), "rb").read()
    program.stdin.write(capture[:-100])
    program.stdin.flush()
    until_it_reads(program)
    program.send_signal(signal.SIGSTOP)
    program.send_signal(signal.SIGINT)
    program.send_signal(signal.SIGTERM)
    program.send_signal(signal.SIGCONT)
    program.communicate(timeout=20)
    return None if place.names() == [] else f"exit status {program.returncode}, leaves {place.names()}"


def pipes_are_written_directly(place):
    place.capture("x.pcap")
    done = place.shell("rtt x.pcap --samples >(head -1 > first) > report; sleep 0.3; cat first")
    if not done.stdout.startswith(b"time_ns,"):
        return f"process substitution: {done.stdout[:100]!r} {done.stderr[:200]!r}"
    done = place.shell("{ echo head; {s} rtt x.pcap --json --samples /dev/fd/3; } 3> s.csv > r; echo $?; "
                       "{ echo head; {s} rtt x.pcap --samples -; } > t.csv; cmp <(tail -n +2 t.csv) s.csv && head -1 t.csv")
    return None if done.stdout.splitlines() == [b"0", b"head"] else f"{done.stdout!r} {done.stderr!r}"


def a_closed_standard_output_is_no_file(place):
    """The next file to be opened must not become standard output, and be written over by the report."""
    place.capture("x.pcap")
    fault = one_line(place.shell("rtt x.pcap --samples s.csv >&-"), 1, "standard output")
    if fault:
        return fault
    place.shell("rtt x.pcap --samples t.csv")
    return None if place.names() == ["t.csv", "x.pcap"] or place.read("s.csv") == place.read("t.csv") else "s.csv holds more"


CHECKS = [no_output_is_an_input, a_capture_does_not_become_a_table, two_outputs_are_two_files,
          a_failure_leaves_the_old_output, outputs_are_replaced_in_one_step, a_second_interrupt_leaves_nothing,
          pipes_are_written_directly, a_closed_standard_output_is_no_file]
