"""Two network namespaces and a veth pair between them, near0 to far0, for the benchmarks of live measurements."""
import os
import signal
import subprocess

NAME = f"sojourn-bench-{os.getpid()}"
NEAR, FAR = f"{NAME}-near", f"{NAME}-far"
ENDS = ((NEAR, "near0"), (FAR, "far0"))


def run(*command):
    return subprocess.run(command, text=True, capture_output=True, check=False)


def inside(namespace, *command):
    return ["ip", "netns", "exec", namespace, *command]


def set_up(quiet=False):
    """Why it cannot be, or ""; `quiet` if the kernel is not to send anything by itself."""
    for namespace, _ in ENDS:
        done = run("ip", "netns", "add", namespace)
        if done.returncode:
            return done.stderr.strip()
        if quiet:
            run(*inside(namespace, "sysctl", "-qw", "net.ipv6.conf.all.disable_ipv6=1", "net.ipv6.conf.default.disable_ipv6=1"))
    done = run("ip", "link", "add", "near0", "netns", NEAR, "type", "veth", "peer", "name", "far0", "netns", FAR)
    if done.returncode:
        return done.stderr.strip()
    for namespace, device in ENDS:
        run("ip", "-n", namespace, "link", "set", "lo", "up")
        run("ip", "-n", namespace, "link", "set", device, "up")
    return ""


def tear_down():
    for namespace, _ in ENDS:
        for pid in run("ip", "netns", "pids", namespace).stdout.split():
            os.kill(int(pid), signal.SIGKILL)
        run("ip", "netns", "delete", namespace)
