#!/usr/bin/env python3
"""Builds the Debian packages and looks into them: which files, which dependencies, and whether they work unpacked.

    check.py --build BUILD --source SOURCE --python PYTHON
"""
import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
LIBRARY = r"\./usr/lib/[\w-]+-linux-[\w-]+/"
# What a package has, and what it must not have.
WANTED = {
    "sojourn": ([r"\./usr/bin/sojourn", r"\./usr/share/man/man1/sojourn-rtt\.1.*", r"\./usr/lib/systemd/system/.*\.service",
                 r"\./usr/share/bash-completion/completions/sojourn"], r"include|libsojourn|python"),
    "libsojourn0": ([LIBRARY + r"libsojourn\.so\.0", LIBRARY + r"libsojourn\.so\.\d+\.\d+\.\d+"],
                    r"include|bin/|\.a$|\.pc$|libsojourn\.so$"),
    "libsojourn-dev": ([r"\./usr/include/sojourn/round_trips\.h", r"\./usr/include/sojourn/version\.h", LIBRARY + r"libsojourn\.so",
                        LIBRARY + r"libsojourn\.a", LIBRARY + r"pkgconfig/sojourn\.pc",
                        LIBRARY + r"cmake/sojourn/sojournConfig\.cmake"], r"bin/|\.so\.\d"),
    "python3-sojourn": ([rf"\./usr/lib/python3/dist-packages/sojourn/{name}" for name in
                         (r"__init__\.py", r"__init__\.pyi", r"py\.typed", r"_sojourn\..*\.so")], r"python3\.\d|include|bin/"),
}
# Of what a package depends on, at least these.
DEPENDS = {
    "sojourn": ["libc6", "libstdc++6", "libfmt", "zlib1g"],
    "libsojourn0": ["libc6", "libstdc++6"],
    "libsojourn-dev": ["libsojourn0 (= {version})"],
    "python3-sojourn": ["libsojourn0 (= {version})", "python3 (>= 3", "python3 (<< 3", "python3-numpy", "libc6"],
}
RECOMMENDS = {"sojourn": ["libpcap0.8"], "libsojourn0": ["libpcap0.8"]}


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def files_in(package):
    """The files and links of a package, folders left out."""
    lines = [line.split(maxsplit=5) for line in run("dpkg-deb", "-c", package).splitlines()]
    for mode, owner, *_ in lines:
        if owner != "root/root":
            sys.exit(f"{package}: something belongs to {owner}")
        if mode[8] == "w" and mode[0] != "l":
            sys.exit(f"{package}: everyone may write into something")
    return [line[5].split(" -> ")[0] for line in lines if line[0][0] != "d"]


def field(package, name):
    return run("dpkg-deb", "-f", package, name).strip()


def look_into(name, package, faults):
    version, names = field(package, "Version"), files_in(package)
    wanted, unwanted = WANTED[name]
    faults += [f"{name}: no {pattern}" for pattern in wanted if not any(re.fullmatch(pattern, file) for file in names)]
    own = [r"/usr/share/doc/", r"\.cmake$"]
    faults += [f"{name}: {file} does not belong there" for file in names
               if not file.startswith("./usr/") or file.startswith("./usr/local/") or
               (re.search(unwanted, file) and not any(re.search(pattern, file) for pattern in own))]
    if f"./usr/share/doc/{name}/copyright" not in names:
        faults.append(f"{name}: no copyright")
    for title, expected in (("Depends", DEPENDS), ("Recommends", RECOMMENDS)):
        said = field(package, title)
        print(f"{name}: {title}: {said}")
        faults += [f"{name}: {title} lacks {other.format(version=version)}: {said}" for other in expected.get(name, [])
                   if other.format(version=version) not in said]
    if any(re.search(r"\.so\.\d+$", file) for file in names):
        with tempfile.TemporaryDirectory() as control:
            run("dpkg-deb", "-e", package, control)
            scripts = [os.path.join(control, file) for file in ("postinst", "triggers")]
            if not any("ldconfig" in open(file, encoding="utf-8").read() for file in scripts if os.path.exists(file)):
                faults.append(f"{name}: its library is not told to the loader")
    for title in ("Description", "Maintainer", "Section", "Architecture"):
        if not field(package, title):
            faults.append(f"{name}: no {title}")
    return names


def use(root, packages, arguments):
    """Unpacked, as dpkg would do, but into a folder: the module finds the library beside it."""
    for package in packages.values():
        run("dpkg-deb", "-x", package, root)
    said = run(os.path.join(root, "usr", "bin", "sojourn"), "rtt", arguments.capture, "--json")
    if '"samples"' not in said:
        sys.exit("the packaged program does not measure")
    if subprocess.run([arguments.python, "-c", "import numpy"], capture_output=True, check=False).returncode == 0:
        modules = os.path.join(root, "usr", "lib", "python3", "dist-packages")
        lines = f"import sojourn; d = sojourn.rtt({arguments.capture!r}); print(sojourn.__file__, len(d['icmp']))"
        said = run(arguments.python, "-c", lines, env={**os.environ, "PYTHONPATH": modules})
        if said.split() != [os.path.join(modules, "sojourn", "__init__.py"), "160"]:
            sys.exit(f"the packaged module says {said}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--python", required=True)
    arguments = parser.parse_args()
    arguments.capture = os.path.join(arguments.source, "tests", "captures", "demo.pcapng")
    for tool in ("cpack", "dpkg-deb", "dpkg-shlibdeps"):
        if not shutil.which(tool):
            skip(f"{tool} is missing (dpkg-dev)")
    if not glob.glob(os.path.join(arguments.build, "python", "sojourn", "_sojourn*.so")):
        skip("built without the Python module (python3-dev, pybind11-dev)")
    with tempfile.TemporaryDirectory() as folder:
        run("cpack", "-G", "DEB", "-B", folder, "--config", os.path.join(arguments.build, "CPackConfig.cmake"), cwd=arguments.build)
        packages = {os.path.basename(path).split("_")[0]: path for path in glob.glob(os.path.join(folder, "*.deb"))}
        if set(packages) != set(WANTED):
            sys.exit(f"these packages were built: {', '.join(sorted(packages))}")
        faults, owners = [], {}
        for name, package in sorted(packages.items()):
            for file in look_into(name, package, faults):
                if file in owners:
                    faults.append(f"{file} is in {owners[file]} and {name}")
                owners[file] = name
        if faults:
            sys.exit("\n".join(faults))
        use(os.path.join(folder, "root"), packages, arguments)
    print("the packages are complete and work")


if __name__ == "__main__":
    main()
