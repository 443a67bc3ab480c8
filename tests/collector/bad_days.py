#!/usr/bin/env python3
"""bad_days.py SOJOURN DAY: what must hold on a bad day, with the program itself.

Nothing is counted twice, nothing is lost that the ledger does not name, a cause has one line in the log.  The days
are the functions (program, folder) of the modules days_of_*.
"""
import inspect
import os
import shutil
import subprocess
import sys
import tempfile

import days_of_disks
import days_of_networks
import days_of_records
import days_of_strangers
from servers import SKIP

DAYS = {name: value for module in (days_of_networks, days_of_disks, days_of_records, days_of_strangers)
        for name, value in inspect.getmembers(module, inspect.isfunction)
        if value.__module__ == module.__name__ and list(inspect.signature(value).parameters) == ["program", "folder"]}

if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[2] not in DAYS:
        sys.exit("usage: bad_days.py SOJOURN " + "|".join(DAYS))
    if sys.argv[2].startswith("disk_full") and "SOJOURN_OWN_MOUNTS" not in os.environ:
        if os.geteuid() != 0 or not shutil.which("unshare"):
            print("skipped: needs root and unshare")
            sys.exit(SKIP)
        os.environ["SOJOURN_OWN_MOUNTS"] = "1"
        os.execvp("unshare", ["unshare", "--mount", sys.executable, *sys.argv])
    with tempfile.TemporaryDirectory() as temporary:
        try:
            DAYS[sys.argv[2]](os.path.realpath(sys.argv[1]), temporary)
        finally:
            if os.path.ismount(f"{temporary}/disk"):
                subprocess.run(["umount", "--lazy", f"{temporary}/disk"], check=False)
