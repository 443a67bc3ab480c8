"""How the tests of tests/careful run the program and look at what it did."""
import os
import pty
import select
import shutil
import signal
import subprocess
import time

UTF8 = {"LC_ALL": "C.UTF-8", "TERM": "xterm", "NO_COLOR": ""}


class Skipped(Exception):
    """Why a check cannot be made here."""


class Place:
    """A scratch folder with copies of captures, and the program."""

    def __init__(self, sojourn, source, folder):
        self.sojourn = os.path.abspath(sojourn)
        self.captures = os.path.join(source, "tests", "captures")
        self.folder = folder

    def path(self, name):
        return os.path.join(self.folder, name)

    def capture(self, name, original="web.pcap"):
        shutil.copyfile(os.path.join(self.captures, original), self.path(name))
        return name

    def write(self, name, content):
        with open(os.path.join(os.fsencode(self.folder), os.fsencode(name)), "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def read_capture(self, name):
        with open(os.path.join(self.captures, name), "rb") as file:
            return file.read()

    def names(self):
        return sorted(os.listdir(self.folder))

    def shell_with_little_memory(self, command, timeout=120):
        """The same for commands with `ulimit -v`, which AddressSanitizer's shadow memory does not bear."""
        with open(self.sojourn, "rb") as program:
            if b"__asan_init" in program.read():
                raise Skipped("AddressSanitizer needs its address space")
        return self.shell(command, timeout)

    def shell(self, command, timeout=60, **environment):
        """'sojourn ...' in the scratch folder, by a shell; {s} is the program."""
        text = command.replace("{s}", self.sojourn) if "{s}" in command else f"{self.sojourn} {command}"
        return subprocess.run(["/bin/bash", "-c", text], cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=timeout, env={**os.environ, **UTF8, **environment})


def until_it_reads(process):
    """It ignores SIGPIPE from then on (/proc/PID/status); what waits in its pipe is read soon after."""
    for _ in range(600):
        with open(f"/proc/{process.pid}/status", encoding="utf-8") as file:
            ignored = next(line for line in file if line.startswith("SigIgn:"))
        if int(ignored.split()[1], 16) >> (signal.SIGPIPE - 1) & 1:
            break
        time.sleep(0.05)
    time.sleep(0.7)


def one_line(done, status, *words):
    """Exit status and one line on standard error that holds the words; what is wrong, or None."""
    errors = done.stderr.decode("utf-8", "backslashreplace")
    if done.returncode != status:
        return f"exit status {done.returncode} instead of {status}: {errors[:300]!r}"
    if len(errors.splitlines()) != 1 or not errors.startswith("sojourn: "):
        return f"standard error should be one line of sojourn's, is {errors[:300]!r}"
    missing = [word for word in words if word not in errors]
    return f"standard error lacks {missing}: {errors[:300]!r}" if missing else None


class Terminal:
    """The program on a terminal of its own; what it shows is kept in `shown`."""

    def __init__(self, command, rows=24, columns=80, folder=None, **environment):
        self.process, self.shown, self.status = None, b"", None
        self.child, self.master = pty.fork()
        if self.child == 0:
            if folder:
                os.chdir(folder)
            os.environ.update({**UTF8, **environment})
            time.sleep(0.2)  # until the size is set
            os.execvp(command[0], command)
        self.resize(rows, columns)

    def resize(self, rows, columns):
        import fcntl
        import struct
        import termios
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def watch(self, seconds):
        """Reads for so long; True while the program runs."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            ready, _, _ = select.select([self.master], [], [], max(0, end - time.monotonic()))
            if not ready:
                return True
            try:
                piece = os.read(self.master, 65536)
            except OSError:
                piece = b""
            if not piece:
                _, status = os.waitpid(self.child, 0)
                self.status = os.waitstatus_to_exitcode(status)
                return False
            self.shown += piece
        return True

    def signal(self, number):
        os.kill(self.child, number)

    def end(self):
        if self.status is None:
            os.kill(self.child, signal.SIGKILL)
            os.waitpid(self.child, 0)
        os.close(self.master)


class Screen:
    """What a terminal of `rows` by `columns` shows after these bytes: cursor home, erase, the other screen and newlines."""

    def __init__(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.main, self.other = self.blank(), self.blank()
        self.lines, self.row, self.column, self.saved = self.main, 0, 0, (0, 0)
        self.scrolled = []   # lines that left the main screen at the top
        self.other_scrolled = self.other_wrapped = 0
        self.frames = []     # the other screen before each return to its first row

    def blank(self):
        return [[" "] * self.columns for _ in range(self.rows)]

    def text(self):
        return ["".join(line).rstrip() for line in self.lines]

    def newline(self):
        if self.row + 1 < self.rows:
            self.row += 1
            return
        first = self.lines.pop(0)
        self.lines.append([" "] * self.columns)
        if self.lines is self.main:
            self.scrolled.append("".join(first).rstrip())
        else:
            self.other_scrolled += 1

    def feed(self, data):
        import re
        text = data.decode("utf-8", "replace")
        for found in re.finditer(r"\x1b\[([?0-9;]*)([A-Za-z])|\r|\n|[^\x1b\r\n]", text):
            code = found[0]
            if code == "\r":
                self.column = 0
            elif code == "\n":
                self.newline()
            elif found[2] is None:
                if self.column >= self.columns:
                    self.column = 0
                    self.other_wrapped += self.lines is self.other
                    self.newline()
                self.lines[self.row][self.column] = code
                self.column += 1
            elif code == "\x1b[?1049h":
                self.saved, self.lines = (self.row, self.column), self.other
            elif code == "\x1b[?1049l":
                self.frames.append(self.text())
                self.lines, (self.row, self.column) = self.main, self.saved
            elif found[2] == "H":
                if self.lines is self.other:
                    self.frames.append(self.text())
                self.row = self.column = 0
            elif found[2] == "K":
                self.lines[self.row][self.column:] = [" "] * (self.columns - self.column)
            elif found[2] == "J":
                self.lines[self.row][self.column:] = [" "] * (self.columns - self.column)
                for line in self.lines[self.row + 1:]:
                    line[:] = [" "] * self.columns
        return self

    def everything(self):
        return "\n".join(self.scrolled + ["".join(line).rstrip() for line in self.main])
