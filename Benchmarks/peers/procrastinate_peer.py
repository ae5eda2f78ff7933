#!/usr/bin/env python3
"""Measures procrastinate, which keeps jobs in PostgreSQL: no-op runs a second, and submissions.

    procrastinate_peer.py [--jobs N] [--workers N]

cluster-bench runs it; PGHOST and its like name the database. Prints JSON.
"""

import argparse
import asyncio
import json
import os
import signal
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
VENV = os.path.join(os.path.dirname(os.path.dirname(HERE)), ".build", "peers-venv")
UNAVAILABLE = 69
CONCURRENCY = 100

try:
    import procrastinate
except ImportError as error:
    python = os.path.join(VENV, "bin", "python3")
    if os.path.exists(python) and os.path.realpath(sys.prefix) != os.path.realpath(VENV):
        os.execv(python, [python, os.path.abspath(__file__)] + sys.argv[1:])
    print(
        f"procrastinate ({error}). This installs it for the benchmarks only:\n"
        f"  python3 -m venv {VENV} && {VENV}/bin/pip install -r {HERE}/requirements.txt"
    )
    sys.exit(UNAVAILABLE)

app = procrastinate.App(connector=procrastinate.PsycopgConnector())


@app.task(name="no_op")
async def no_op():
    pass


async def submit(jobs, alone):
    async with app.open_async():
        await app.schema_manager.apply_schema_async()
        start = time.monotonic()
        for _ in range(alone):
            await no_op.configure(schedule_in={"days": 1}).defer_async()
        single = alone / (time.monotonic() - start)
        for first in range(0, jobs, 1000):
            await no_op.batch_defer_async(*[{}] * min(1000, jobs - first))
    return single


async def work():
    async with app.open_async():
        # Ends when there is nothing more to do.
        await app.run_worker_async(wait=False, concurrency=CONCURRENCY, install_signal_handlers=False)


async def count():
    async with app.open_async():
        jobs = await app.job_manager.list_jobs_async(status="succeeded")
        return len(list(jobs))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--jobs", type=int, default=5000)
    parser.add_argument("--workers", type=int, default=1, help="processes")
    options = parser.parse_args()
    # A hang ends the process.
    signal.alarm(200)
    single = asyncio.run(submit(options.jobs, 100))
    start = time.monotonic()
    children = []
    for _ in range(options.workers):
        child = os.fork()
        if child == 0:
            asyncio.run(work())
            os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)
    taken = time.monotonic() - start
    succeeded = asyncio.run(count())
    if succeeded != options.jobs:
        sys.exit(f"of {options.jobs} jobs {succeeded} have succeeded")
    print(json.dumps({"rate": options.jobs / taken, "submits": single, "version": procrastinate.__version__}))


if __name__ == "__main__":
    main()
