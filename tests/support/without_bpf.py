#!/usr/bin/env python3
"""without_bpf.py COMMAND...: runs it where the system call bpf(2) is refused, as in many containers.

A seccomp filter answers EPERM, for the command and all that it starts.  Exit status 77 if that cannot be had.
"""
import ctypes
import os
import platform
import struct
import sys

BPF_CALL = {"x86_64": 321, "aarch64": 280, "riscv64": 280, "ppc64le": 361, "s390x": 351}
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, SECCOMP_MODE_FILTER = 22, 38, 2
LOAD_NUMBER, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, EPERM = 0x7FFF0000, 0x00050001


def refuse(call):
    """A classic BPF program over the number of the system call."""
    code = b"".join(struct.pack("HBBI", *step) for step in (
        (LOAD_NUMBER, 0, 0, 0), (JUMP_IF_EQUAL, 0, 1, call), (RETURN, 0, 0, EPERM), (RETURN, 0, 0, ALLOW)))
    memory = ctypes.create_string_buffer(code)
    program = struct.pack("HxxxxxxP", 4, ctypes.addressof(memory))
    libc = ctypes.CDLL(None, use_errno=True)
    unsigned_long = ctypes.c_ulong
    if libc.prctl(PR_SET_NO_NEW_PRIVS, unsigned_long(1), unsigned_long(0), unsigned_long(0), unsigned_long(0)) != 0:
        return False
    return libc.prctl(PR_SET_SECCOMP, unsigned_long(SECCOMP_MODE_FILTER), program, unsigned_long(0), unsigned_long(0)) == 0


def main():
    call = BPF_CALL.get(platform.machine())
    if call is None or not refuse(call):
        print("skipped: no seccomp filter on this machine")
        return 77
    os.execvp(sys.argv[1], sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
