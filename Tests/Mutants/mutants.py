#!/usr/bin/env python3
"""Breaks the scheduler in chosen ways, and requires that the simulation finds each.

Usage: Scripts/mutants [--seeds N] [--only WORD] [--file FILE] [--list]

Each mutant in mutants.txt, beside this file, is a small replacement in one source file. It is applied to a copy of the tree in
.build/mutants, ApusSimulation is built there, and up to N seeds are run (2000). The table shows which promise was
broken and after how many seeds. A mutant that no seed finds is a failure, and so is one whose text is not in the
sources any more. First the sources are run as they are: they must keep every promise.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parent.parent
COPY = ROOT / ".build" / "mutants"
# What belongs to the copy alone.
KEPT = {".build"}


class Mutant:
    def __init__(self, name, path, words, before, after):
        self.name, self.path, self.words, self.before, self.after = name, path, words, before, after


def read_mutants(file):
    """Entries `== name: path`, a line of words, and the texts after `--- before` and `--- after`."""
    mutants = []
    text = file.read_text()
    for entry in re.split(r"^== ", text, flags=re.M)[1:]:
        head, rest = entry.split("\n", 1)
        name, path = (part.strip() for part in head.split(":", 1))
        words, rest = rest.split("\n--- before\n", 1)
        before, after = rest.split("\n--- after\n", 1)
        mutants.append(Mutant(name, path, words.strip(), before, after.rstrip("\n")))
    return mutants


def copy_tree():
    """Only what has changed, so that the next build is a small one."""
    COPY.mkdir(parents=True, exist_ok=True)
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"], cwd=ROOT, check=True,
        stdout=subprocess.PIPE).stdout.decode().split("\0")
    wanted = {name for name in listed if name and (ROOT / name).is_file()}
    for path in sorted(COPY.rglob("*")):
        name = path.relative_to(COPY)
        if name.parts[0] not in KEPT and path.is_file() and str(name) not in wanted:
            path.unlink()
    for name in wanted:
        source, target = ROOT / name, COPY / name
        if target.exists() and target.read_bytes() == source.read_bytes():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)


def build():
    # Debug: a mutant is rebuilt in a fraction of the time of a release, and invariants are checked.
    swift = os.environ.get("SWIFT", "swift")
    done = subprocess.run(
        [swift, "build", "--package-path", "Command", "--scratch-path", ".build", "--product", "ApusSimulation"],
        cwd=COPY, env=dict(os.environ, OPTIMIZE_APUS="1"), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        errors = [line for line in done.stdout.splitlines() if "error" in line][:10]
        sys.exit("the copy does not build:\n" + "\n".join(errors or done.stdout.splitlines()[-10:]))


def simulate(seeds):
    """What was broken, and the seed; None if nothing was."""
    program = COPY / ".build" / "debug" / "ApusSimulation"
    environment = dict(os.environ, SWIFT_DETERMINISTIC_HASHING="1")
    try:
        done = subprocess.run(
            [program, "--seeds", str(seeds), "--raw"], env=environment, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, timeout=60 + seeds)
    except subprocess.TimeoutExpired:
        return ("a seed did not end", "?")
    found = re.search(r"^seed (\d+) breaks the promise: (.*)$", done.stdout, re.M)
    if found:
        return (found.group(2), found.group(1))
    trapped = re.search(r"trapped with the seed (\d+)", done.stderr)
    if trapped:
        why = re.search(r"Fatal error: (.*)", done.stderr)
        return ("trap" + (f": {why.group(1)}" if why else ""), trapped.group(1))
    if done.returncode != 0:
        sys.exit(f"the simulation ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=2000, help="how many seeds each mutant has (2000)")
    parser.add_argument("--only", help="only mutants with this word in their names")
    parser.add_argument("--list", action="store_true", help="list the mutants, and check that their texts are there")
    parser.add_argument(
        "--file", type=pathlib.Path, default=FOLDER / "mutants.txt", help="another list than mutants.txt")
    options = parser.parse_args()
    mutants = [mutant for mutant in read_mutants(options.file) if not options.only or options.only in mutant.name]
    if not mutants:
        parser.error(
            f"argument --only: no mutant has '{options.only}' in its name; --list prints all names"
            if options.only else f"argument --file: {options.file} has no mutants")
    for mutant in mutants:
        count = (ROOT / mutant.path).read_text().count(mutant.before)
        if count != 1:
            sys.exit(f"{mutant.name}: its text is {count} times in {mutant.path}, and must be there once")
        if mutant.before == mutant.after:
            sys.exit(f"{mutant.name}: it changes nothing")
    if options.list:
        for mutant in mutants:
            print(f"{mutant.name:24} {mutant.words}")
        return
    copy_tree()
    build()
    if broken := simulate(options.seeds):
        sys.exit(f"without a mutant, seed {broken[1]} breaks the promise: {broken[0]}")
    print(f"{'mutant':24} {'seed':>6}  promise broken", flush=True)
    survivors = []
    for mutant in mutants:
        target = COPY / mutant.path
        original = target.read_text()
        target.write_text(original.replace(mutant.before, mutant.after))
        try:
            build()
            broken = simulate(options.seeds)
        finally:
            target.write_text(original)
        if not broken:
            survivors.append(mutant.name)
        promise, seed = broken or ("NOT FOUND", "-")
        print(f"{mutant.name:24} {seed:>6}  {promise[:100]}", flush=True)
    if survivors:
        sys.exit(f"the simulation does not find: {', '.join(survivors)}")


main()
