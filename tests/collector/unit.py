#!/usr/bin/env python3
"""unit.py SOJOURN SERVICES: the collector works under the restrictions of its systemd unit.

systemd itself is not needed: what the unit says is applied by the kernel's own means.  Address families and system calls by
seccomp, no capabilities and another user, a root file system that cannot be written to but for the state's folder
(`unshare --mount`), memory that is not both written and executed.  Each restriction is seen to hold before the collector is
started under it.  systemd-analyze, if it is there, must find the units well-formed and their exposure low.
"""
import ctypes
import ctypes.util
import errno
import json
import os
import re
import resource
import shutil
import socket
import subprocess
import sys
import tempfile

from servers import SKIP, Collector, check, finish, point, two_captures

PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 24, 38
ALLOW, ERRNO = 0x7FFF0000, 0x00050000 | errno.EPERM
NOBODY = 65534


def settings_of(path):
    """{key: [values]} of the section [Service]."""
    found, section = {}, ""
    for line in open(path, encoding="utf-8"):
        line = line.strip()
        if line.startswith("["):
            section = line
        elif section == "[Service]" and "=" in line and not line.startswith("#"):
            key, value = line.split("=", 1)
            found.setdefault(key, []).append(value)
    return found


def calls_of(group, seen=()):
    """System calls of a group, and of groups in it, as systemd defines them."""
    text = subprocess.run(["systemd-analyze", "syscall-filter", group], capture_output=True, encoding="utf-8").stdout
    calls = set()
    for line in text.splitlines()[1:]:
        name = line.strip()
        if name.startswith("@") and name not in seen:
            calls |= calls_of(name, (*seen, group))
        elif name and not name.startswith("#"):
            calls.add(name)
    return calls


class Argument(ctypes.Structure):
    _fields_ = [("argument", ctypes.c_uint), ("compare", ctypes.c_int), ("first", ctypes.c_uint64), ("second", ctypes.c_uint64)]


def apply_filter(library, calls, families):
    """What SystemCallFilter=, RestrictAddressFamilies= and MemoryDenyWriteExecute= do."""
    seccomp = ctypes.CDLL(library, use_errno=True)
    seccomp.seccomp_init.restype = ctypes.c_void_p
    context = ctypes.c_void_p(seccomp.seccomp_init(ERRNO))
    for name in calls - {"socket", "mmap", "mprotect"}:
        number = seccomp.seccomp_syscall_resolve_name(name.encode())
        if number >= 0:
            seccomp.seccomp_rule_add_array(context, ALLOW, number, 0, None)
    for family in families:
        equal = Argument(0, 4, getattr(socket, family), 0)
        seccomp.seccomp_rule_add_array(context, ALLOW, seccomp.seccomp_syscall_resolve_name(b"socket"), 1, ctypes.byref(equal))
    not_executable = Argument(2, 7, 4, 0)  # masked with PROT_EXEC: 0
    for name in (b"mmap", b"mprotect"):
        seccomp.seccomp_rule_add_array(context, ALLOW, seccomp.seccomp_syscall_resolve_name(name), 1, ctypes.byref(not_executable))
    not_writable = Argument(2, 7, 2, 0)  # ... or not PROT_WRITE
    seccomp.seccomp_rule_add_array(context, ALLOW, seccomp.seccomp_syscall_resolve_name(b"mmap"), 1, ctypes.byref(not_writable))
    check(seccomp.seccomp_load(context) == 0, "the filter was not loaded")


def run_restricted(unit, library, state, command):
    """This process becomes `command` under the restrictions; called in a mount namespace of its own."""
    settings = settings_of(unit)
    check(settings["ProtectSystem"] == ["strict"] and settings["DynamicUser"] == ["yes"], "the unit is not strict")
    check(settings["CapabilityBoundingSet"] == [""], "the unit allows capabilities")
    subprocess.run(["mount", "--bind", state, state], check=True)
    subprocess.run(["mount", "-o", "remount,ro,bind", "/"], check=True)
    for other in ("/tmp", "/var/tmp"):
        subprocess.run(["mount", "-o", "remount,ro,bind", other], stderr=subprocess.DEVNULL, check=False)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755,size=1m", "none", "/home"], check=False)
    limit = settings["MemoryMax"][0]
    address_space = 4 * (int(limit[:-1]) << {"M": 20, "G": 30}[limit[-1]])
    calls = set()
    for word in settings["SystemCallFilter"][0].split():
        calls |= calls_of(word) if word.startswith("@") else {word}
    check(len(calls) > 100, "systemd-analyze names no system calls")
    resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))
    os.umask(int(settings["UMask"][0], 8))
    for capability in range(64):
        if ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0:
            break
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    libc_call("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    apply_filter(library, calls, settings["RestrictAddressFamilies"][0].split())
    # Check that it holds: a test that restricts nothing would pass as well.
    for what, attempt in (("write to /", lambda: open("/usr/sojourn_was_here", "w", encoding="ascii")),
                          ("a packet socket", lambda: socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM)),
                          ("a netlink socket", lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)),
                          ("root", lambda: os.setuid(0)), ("swapoff", lambda: libc_call("swapoff", b"/none"))):
        try:
            attempt()
        except OSError as error:
            check(error.errno in (errno.EPERM, errno.EROFS, errno.EACCES), f"{what}: {error}")
            continue
        sys.exit(f"failed: {what} was not refused")
    os.execv(command[0], command)


def libc_call(name, *arguments):
    libc = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, name)(*arguments) != 0:
        raise OSError(ctypes.get_errno(), name)


def analyze(services):
    for name, worst in (("sojourn-collect.service", 2.0), ("sojourn-point@.service", 3.0)):
        done = subprocess.run(["systemd-analyze", "security", "--offline=true", f"{services}/{name}"], capture_output=True,
                              encoding="utf-8")
        level = re.search(r"Overall exposure level for \S+: ([\d.]+)", done.stdout)
        check(level and float(level[1]) <= worst, f"{name}: {done.stdout[-300:]}{done.stderr}")
        print(level[0])
        verified = subprocess.run(["systemd-analyze", "verify", "--man=no", f"{services}/{name}"], capture_output=True, encoding="utf-8")
        # The program may not be installed where it is tested.
        trouble = [line for line in verified.stderr.splitlines() if name.split(".")[0] in line and "not executable" not in line]
        check(not trouble, f"{trouble}")


def main():
    program, services = os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2])
    library = ctypes.util.find_library("seccomp")
    missing = [tool for tool in ("systemd-analyze", "unshare") if not shutil.which(tool)]
    if os.geteuid() != 0 or missing or not library:
        print(f"skipped: needs root, libseccomp2 and systemd-analyze {missing}")
        sys.exit(SKIP)
    analyze(services)
    unit = f"{services}/sojourn-collect.service"
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        state = f"{folder}/state"
        os.mkdir(state)
        os.chown(state, NOBODY, NOBODY)
        first, last = two_captures(program, folder, 20000)
        # The path to the program must be accessible to the other user.
        installed = f"{folder}/sojourn"
        shutil.copy(program, installed)
        store = f"{state}/sojourn.db"
        collector = Collector(installed, store, f"{folder}/log", "--wait", "3s",
                              wrapper=("unshare", "--mount", sys.executable, os.path.abspath(__file__), "--restricted", unit, library, state))
        status = open(f"/proc/{collector.process.pid}/status", encoding="ascii").read()
        check(f"Uid:\t{NOBODY}" in status and "CapBnd:\t0000000000000000" in status and "Seccomp:\t2" in status, status)
        finish(point(program, first, "north", collector.port, "--sampling", "0.3"),
               point(program, last, "south", collector.port, "--sampling", "0.3"))
        collector.stop()
        done = subprocess.run([program, "query", store, "--ledger", "--json"], capture_output=True, encoding="utf-8")
        ledgers = json.loads(done.stdout)["ledgers"]
        check(all(ledger["adds_up"] and ledger["joined"] == ledger["stored"] > 500 for ledger in ledgers), f"{ledgers}")
        check(os.stat(store).st_uid == NOBODY and os.stat(store).st_mode & 0o027 == 0, "the store is not its own")


if __name__ == "__main__":
    if sys.argv[1] == "--restricted":
        run_restricted(sys.argv[2], sys.argv[3], sys.argv[4], sys.argv[5:])
    else:
        main()
