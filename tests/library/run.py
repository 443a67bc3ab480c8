#!/usr/bin/env python3
"""Installs the tree into a folder of its own and uses the library from there, as a stranger would.

    run.py --build BUILD --source SOURCE --python PYTHON pkg-config|cmake|static|symbols|python|live|destdir
"""
import argparse
import glob
import os
import subprocess
import sys
import tempfile

SKIPPED = 77
# Two of the lines that the example prints of the demo capture.
EXAMPLE_SAYS = (" 192.0.2.0/24 tcp server      187 samples, p95 28.96 ms, from 18.96 to more than 32.13 ms",
                "2081 packets, 272 delays above 10 ms")
HERE = os.path.dirname(os.path.abspath(__file__))


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def check(output):
    """What the example says of the demo capture."""
    print(output)
    missing = [line for line in EXAMPLE_SAYS if line not in output.splitlines()]
    if missing:
        sys.exit("this is not what the example should say; missing:\n" + "\n".join(missing))


def flags(prefix, *wanted):
    environment = {**os.environ, "PKG_CONFIG_PATH": glob.glob(f"{prefix}/lib/**/pkgconfig", recursive=True)[0]}
    return run("pkg-config", *wanted, "sojourn", env=environment).split()


def use_pkg_config(arguments, prefix, work, *, static):
    program = os.path.join(work, "stranger")
    wanted = flags(prefix, "--cflags")
    if static:
        wanted += [word if word != "-lsojourn" else "-l:libsojourn.a" for word in flags(prefix, "--libs", "--static")]
    else:
        wanted += flags(prefix, "--libs")
    run("c++", "-std=c++20", "-Wall", "-Wextra", "-Werror", os.path.join(arguments.source, "docs", "library", "stranger.cpp"), *wanted,
        "-o", program)
    library = os.path.dirname(glob.glob(f"{prefix}/lib/**/libsojourn.so", recursive=True)[0])
    needed = run("ldd", program, env={**os.environ, "LD_LIBRARY_PATH": library})
    if ("libsojourn.so" in needed) == static:
        sys.exit(f"linked the wrong way:\n{needed}")
    check(run(program, arguments.capture, env={**os.environ, "LD_LIBRARY_PATH": library}))


def use_cmake(arguments, prefix, work):
    with open(os.path.join(work, "CMakeLists.txt"), "w", encoding="utf-8") as file:
        file.write("cmake_minimum_required(VERSION 3.25)\nproject(stranger CXX)\nfind_package(sojourn 0.1 REQUIRED)\n"
                   f"add_executable(stranger {arguments.source}/docs/library/stranger.cpp)\n"
                   "target_link_libraries(stranger sojourn::sojourn)\n"
                   f"add_executable(stranger_static {arguments.source}/docs/library/stranger.cpp)\n"
                   "target_link_libraries(stranger_static sojourn::static)\n")
    run("cmake", "-S", work, "-B", os.path.join(work, "build"), f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", os.path.join(work, "build"))
    check(run(os.path.join(work, "build", "stranger"), arguments.capture))
    check(run(os.path.join(work, "build", "stranger_static"), arguments.capture))


def use_symbols(_, prefix, __):
    """The library shows no names but its own."""
    library = glob.glob(f"{prefix}/lib/**/libsojourn.so", recursive=True)[0]
    shown = run("nm", "-D", "--defined-only", "--demangle", library).splitlines()
    foreign = [line for line in shown if "sojourn" in line and "sojourn::v0::" not in line]
    needed = run("readelf", "-d", library)
    if "NEEDED" not in needed or "libbpf" in needed:
        sys.exit(f"a program that only measures needs no libbpf:\n{needed}")
    if foreign or not any("sojourn::v0::RoundTrips::create" in line for line in shown):
        sys.exit("symbols that should not be seen:\n" + "\n".join(foreign[:20]))


def python_environment(arguments, prefix):
    """Where the installed module is found; the test is skipped if there is none."""
    folders = glob.glob(f"{prefix}/lib/python3*/dist-packages")
    if not folders or not glob.glob(folders[0] + "/sojourn/_sojourn*.so"):
        print("skipped: built without the Python module (python3-dev, pybind11-dev)")
        sys.exit(SKIPPED)
    if subprocess.run([arguments.python, "-c", "import numpy"], capture_output=True, check=False).returncode != 0:
        print("skipped: python3-numpy is not installed")
        sys.exit(SKIPPED)
    return {**os.environ, "PYTHONPATH": folders[0]}


def use_python(arguments, prefix, work):
    environment = python_environment(arguments, prefix)
    print(run(arguments.python, os.path.join(HERE, "python_test.py"), os.path.dirname(arguments.capture), env=environment, cwd=work))
    print(run(arguments.python, os.path.join(HERE, "stub_test.py"), env=environment))
    print(run(arguments.python, os.path.join(HERE, "interrupt_test.py"), arguments.capture, env=environment, cwd=work))
    program = os.path.join(prefix, "bin", "sojourn")
    print(run(arguments.python, os.path.join(HERE, "agreement_test.py"), program, os.path.dirname(arguments.capture), env=environment))
    print(run(arguments.python, os.path.join(arguments.source, "docs", "library", "notebook.py"), arguments.capture, env=environment))


def use_live(arguments, prefix, work):
    environment = python_environment(arguments, prefix)
    if os.geteuid() != 0 or subprocess.run(["unshare", "-n", "ip", "link", "add", "gone0", "type", "veth", "peer", "name", "gone1"],
                                           capture_output=True, check=False).returncode != 0:
        print("skipped: needs root, network namespaces and veth devices")
        sys.exit(SKIPPED)
    print(run("unshare", "-n", arguments.python, os.path.join(HERE, "live_test.py"), env=environment, cwd=work))


def use_destdir(arguments, destination, work):
    """A tree for /usr that stands elsewhere until somebody packs it."""
    make = ["make", "--no-print-directory", "-C", arguments.source, "-n", "install", "PREFIX=/usr"]
    if "ldconfig" in run(*make, f"DESTDIR={destination}") or "ldconfig" not in run(*make):
        sys.exit("the loader's cache is renewed for a tree that is installed, not for one that is packed")
    run("cmake", "--install", arguments.build, "--prefix", "/usr", env={**os.environ, "DESTDIR": destination})
    if os.listdir(destination) != ["usr"]:
        sys.exit(f"installed beside the prefix: {os.listdir(destination)}")
    prefix = os.path.join(destination, "usr")
    use_pkg_config(arguments, prefix, work, static=False)
    environment = python_environment(arguments, prefix)
    lines = f"import sojourn; print(sojourn.__file__, len(sojourn.rtt({arguments.capture!r})['icmp']))"
    file, samples = run(arguments.python, "-c", lines, env=environment).split()
    if not file.startswith(prefix) or samples != "160":
        sys.exit(f"not the module that was installed, or it does not measure: {file} {samples}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--python", required=True)
    parser.add_argument("part", choices=("pkg-config", "cmake", "static", "symbols", "python", "live", "destdir"))
    arguments = parser.parse_args()
    arguments.capture = os.path.join(arguments.source, "tests", "captures", "demo.pcapng")
    with tempfile.TemporaryDirectory() as folder:
        prefix, work = os.path.join(folder, "tree"), os.path.join(folder, "work")
        os.makedirs(work)
        if arguments.part == "destdir":
            os.makedirs(prefix)
            use_destdir(arguments, prefix, work)
            return
        run("cmake", "--install", arguments.build, "--prefix", prefix)
        if arguments.part in ("pkg-config", "static"):
            use_pkg_config(arguments, prefix, work, static=arguments.part == "static")
        else:
            {"cmake": use_cmake, "symbols": use_symbols, "python": use_python, "live": use_live}[arguments.part](arguments, prefix, work)


if __name__ == "__main__":
    main()
