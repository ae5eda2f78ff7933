"""Runs a command, and fails if a process that it started is still there when it has ended.

    Scripts/no-leftovers [--within SECONDS] COMMAND…

Such processes have SECONDS to end by themselves, 30 unless given. Those that are left are named and killed, also those in sessions of
their own and those that hold its output open. Only on Linux: elsewhere the command runs without the check.
"""

import ctypes
import os
import signal
import sys
import time

PR_SET_CHILD_SUBREAPER = 36
# Between two looks whether the processes that are about to end have ended, in seconds.
PAUSE = 0.05


def parents() -> dict[int, int]:
    """The parent of each process that has not ended."""
    found = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat") as stat:
                fields = stat.read().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[0] not in "ZX":
            found[int(name)] = int(fields[1])
    return found


def descendants() -> list[int]:
    table = parents()
    found = {os.getpid()}
    while more := {process for process, parent in table.items() if parent in found} - found:
        found |= more
    return sorted(found - {os.getpid()})


def command_line(process: int) -> str:
    try:
        with open(f"/proc/{process}/cmdline", "rb") as file:
            return file.read().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return "?"


def reap() -> None:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def main() -> int:
    arguments, within = sys.argv[1:], 30
    if arguments[:1] == ["--within"]:
        if len(arguments) < 3 or not arguments[1].isdigit():
            sys.exit("no-leftovers: --within: expected a number of seconds, such as 5, and a command")
        arguments, within = arguments[2:], int(arguments[1])
    if not sys.platform.startswith("linux"):
        os.execvp(arguments[0], arguments)
    # Processes whose parents end become children of this one, also those in sessions of their own.
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        sys.exit(f"no-leftovers: prctl: {os.strerror(ctypes.get_errno())}")
    child = os.fork()
    if child == 0:
        try:
            os.execvp(arguments[0], arguments)
        except OSError as error:
            print(f"no-leftovers: {arguments[0]}: {error.strerror}", file=sys.stderr)
            os._exit(127)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: os.kill(child, number))
    # Orphans are reaped when they end, as init does it: a test may wait for that.
    while (ended := os.waitpid(-1, 0))[0] != child:
        pass
    status = os.waitstatus_to_exitcode(ended[1])
    code = 128 - status if status < 0 else status
    left = []
    for _ in range(round(within / PAUSE) + 1):
        reap()
        if not (left := descendants()):
            return code
        time.sleep(PAUSE)
    for process in left:
        print(f"no-leftovers: process {process} is left: {command_line(process)[:500]}", file=sys.stderr)
    while left := descendants():
        for process in left:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        reap()
        time.sleep(PAUSE)
    return code or 1


if __name__ == "__main__":
    sys.exit(main())
