"""Finds the optional folder of recorded captures and expands its .xz files into the build folder.

The folder is $SOJOURN_TRACES, or ../shared/traces beside the source folder.  It is no part of the
project: a test that wants it says `skipped` when it is absent.

Without $SOJOURN_ALL_TRACES only the small captures are given: four in five of them, a tenth of the bytes.
`make test-traces` asks for all.
"""
import lzma
import os
import sys

SKIPPED = 77  # ctest's SKIP_RETURN_CODE
LARGEST = 200_000  # bytes of a capture as it is stored
NOT_CAPTURES = (".md", ".tsv", ".txt", ".csv", ".json", ".sh", ".py", ".log", ".out")


def folder(source):
    named = os.environ.get("SOJOURN_TRACES") or os.path.join(source, "..", "shared", "traces")
    return os.path.realpath(named) if os.path.isdir(named) else None


def folder_or_skip(source):
    found = folder(source)
    if not found:
        print("skipped: no folder of recorded captures ($SOJOURN_TRACES, ../shared/traces)")
        sys.exit(SKIPPED)
    return found


def files(traces):
    """Every file below the folder, captures or not, in a fixed order."""
    for path, folders, names in os.walk(traces):
        folders.sort()
        for name in sorted(names):
            yield os.path.join(path, name)


def all_wanted():
    return bool(os.environ.get("SOJOURN_ALL_TRACES"))


def captures(traces, build, skip=("oracle", "robust"), every=False):
    """The captures outside of the folders `skip`, compressed ones expanded once."""
    for path in files(traces):
        place = os.path.relpath(path, traces)
        if os.sep not in place or place.split(os.sep)[0] in skip or path.endswith(NOT_CAPTURES):
            continue
        if not every and not all_wanted() and os.path.getsize(path) > LARGEST:
            continue
        yield expanded(path, os.path.join(build, place)) if path.endswith(".xz") else path


def expanded(path, target):
    target = target.removesuffix(".xz")
    if not os.path.exists(target):
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with lzma.open(path) as compressed, open(target + ".new", "wb") as file:
            file.write(compressed.read())
        os.replace(target + ".new", target)
    return target
