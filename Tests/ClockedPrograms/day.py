"""A day of CPython's timers: each kind waits 24 hours in all, and prints how many of its ticks came at their instants."""
import asyncio
import os
import selectors
import subprocess
import sys
import threading
import time

MINUTE, DAY = 60, 86_400


def report(name, begin, ticks):
    late = [tick - begin - number * MINUTE for number, tick in enumerate(ticks, 1)]
    print(f"{name}: {len(ticks)} ticks, the latest {max(late):.6f} s late, {time.monotonic() - begin:.6f} s in all")


def sleeps():
    begin, ticks = time.monotonic(), []
    for _ in range(DAY // MINUTE):
        time.sleep(MINUTE)
        ticks.append(time.monotonic())
    report("time.sleep", begin, ticks)


def tasks():
    async def main():
        begin, ticks = time.monotonic(), []

        async def hours():
            for _ in range(24):
                await asyncio.sleep(3_600)

        async def minutes():
            for number in range(1, DAY // MINUTE + 1):
                await asyncio.sleep(begin + number * MINUTE - time.monotonic())
                ticks.append(time.monotonic())

        await asyncio.gather(hours(), minutes())
        try:
            await asyncio.wait_for(asyncio.Event().wait(), 0.5)
        except asyncio.TimeoutError:
            pass
        report("asyncio", begin, ticks)

    asyncio.run(main())


def timers():
    begin, ticks, is_done = time.monotonic(), [], threading.Event()

    def tick():
        ticks.append(time.monotonic())
        if len(ticks) == DAY // MINUTE:
            is_done.set()
        else:
            threading.Timer(begin + (len(ticks) + 1) * MINUTE - time.monotonic(), tick).start()

    threading.Timer(MINUTE, tick).start()
    assert is_done.wait(2 * DAY)
    report("threading.Timer", begin, ticks)


def selections():
    begin, ticks = time.monotonic(), []
    readable, writable = os.pipe()
    with selectors.DefaultSelector() as selector:
        selector.register(readable, selectors.EVENT_READ)
        for _ in range(DAY // MINUTE):
            assert selector.select(MINUTE) == []
            ticks.append(time.monotonic())
        os.write(writable, b"x")
        assert len(selector.select(MINUTE)) == 1
    report("selectors", begin, ticks)


def processes():
    begin, wall = time.monotonic(), time.time()
    subprocess.run(["sleep", str(DAY - 3_600)], check=True)
    try:
        subprocess.run(["sleep", "infinity"], capture_output=True, timeout=3_600)
    except subprocess.TimeoutExpired:
        pass
    print(f"subprocess: {time.monotonic() - begin:.6f} s, {time.time() - wall:.6f} s")


KINDS = {"sleeps": sleeps, "tasks": tasks, "timers": timers, "selections": selections, "processes": processes}
for kind in sys.argv[1:] or KINDS:
    KINDS[kind]()
