#!/usr/bin/env python3
"""Do the kernel's programs take words from memory in one load?

    whole_words.py PROGRAM.bpf.o...

Of a memcpy from a packet clang makes a load for each byte (dataplane/kernel/load.h).  Four neighbouring bytes that are loaded
from one register within 24 instructions are a word that was taken apart.
"""
import struct
import sys

LOAD_BYTE, WINDOW, NEIGHBOURS = 0x71, 24, 4  # BPF_LDX | BPF_MEM | BPF_B


def sections(data):
    """Name and content of each section of a 64-bit ELF file."""
    order = "<" if data[5] == 1 else ">"
    table, = struct.unpack_from(order + "Q", data, 0x28)
    size, count, names = struct.unpack_from(order + "HHH", data, 0x3A)
    headers = [struct.unpack_from(order + "IIQQQQ", data, table + size * i) for i in range(count)]
    start = headers[names][4]
    for name, kind, flags, _, offset, length in headers:
        end = data.index(b"\0", start + name)
        yield data[start + name:end].decode(), kind == 1 and flags & 4, data[offset:offset + length]  # instructions


def taken_apart(code):
    """Numbers of instructions that begin such a word."""
    recent, found = [], []
    for number in range(len(code) // 8):
        operation, registers, offset = struct.unpack_from("<BBh", code, 8 * number)
        recent = [load for load in recent if load[0] > number - WINDOW]
        if operation != LOAD_BYTE:
            continue
        source = registers >> 4
        recent.append((number, source, offset))
        if source == 10:
            continue  # the program's own memory
        places = {at for _, base, at in recent if base == source}
        if all(offset - step in places for step in range(NEIGHBOURS)) or all(offset + step in places for step in range(NEIGHBOURS)):
            found.append(number)
    return found


def main():
    looked_at = bad = 0
    for path in sys.argv[1:]:
        with open(path, "rb") as file:
            data = file.read()
        for name, is_code, code in sections(data):
            if not is_code or not code:
                continue
            looked_at += len(code) // 8
            for number in taken_apart(code):
                bad += 1
                print(f"{path}: section {name}, instruction {number}: a word is loaded byte by byte")
    print(f"{looked_at} instructions, {bad} words taken apart")
    return 1 if bad or not looked_at else 0


if __name__ == "__main__":
    sys.exit(main())
