"""Answers questions about schedules with croniter, dateutil, zoneinfo and systemd: a line each, fields between tabs.

    offsets  ZONE  INSTANT INSTANT ...            -> the offsets in seconds
    cron     ZONE  BASE  COUNT  EXPRESSION        -> the next instants
    rrule    ZONE  BASE  COUNT  END  DTSTART  RULE   -> the same until an instant; local times that the clock skips are left out
    systemd  ZONE  BASE  COUNT  EVENT EVENT ...   -> the same of each event (between tabs), with bars between the answers

Instants are seconds since 1970; DTSTART is in seconds of the local clock. The zones are those of the system.
"""

import re
import signal
import subprocess
import sys
from datetime import datetime, timedelta, timezone
from zoneinfo import TZPATH, ZoneInfo

from croniter import CroniterBadDateError, croniter
from dateutil.rrule import rrulestr

EPOCH = datetime(1970, 1, 1)


def local(instant, zone):
    utc = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(seconds=instant)
    return utc.astimezone(zone)


def instant(moment):
    return round((moment - datetime(1970, 1, 1, tzinfo=timezone.utc)).total_seconds())


def offsets(zone, instants):
    return [round(local(int(each), zone).utcoffset().total_seconds()) for each in instants.split()]


def cron(zone, base, count, expression):
    found = []
    search = croniter(expression, local(int(base), zone), max_years_between_matches=10)
    try:
        for _ in range(int(count)):
            found.append(instant(search.get_next(datetime)))
    except CroniterBadDateError:
        pass
    return found


def rrule(zone, base, count, end, start, rule):
    if "COUNT" not in rule:
        # Otherwise a rule without a date is searched until the year 9999.
        rule += local(int(end), zone).strftime(";UNTIL=%Y%m%dT%H%M%S")
    rule = rrulestr(rule, dtstart=EPOCH + timedelta(seconds=int(start)))
    found = []
    after = local(int(base), zone).replace(tzinfo=None, fold=0)
    # From a day before: the clock may have gone back.
    for naive in rule.xafter(after - timedelta(days=1), inc=True):
        moment = naive.replace(tzinfo=zone)
        if moment.astimezone(timezone.utc).astimezone(zone).replace(tzinfo=None, fold=0) != naive:
            continue
        if instant(moment) > int(base):
            found.append(instant(moment))
        if len(found) == int(count):
            break
    return found


def systemd(zone, base, count, *events):
    command = ["systemd-analyze", "calendar", f"--base-time=@{base}", f"--iterations={count}", "--", *events]
    environment = {"TZ": zone.key, "LC_ALL": "C", "PATH": "/usr/bin:/bin"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    # Each answer begins with the event as systemd writes it; what is none is named among the errors.
    answers = iter(done.stdout.split("Normalized form:")[1:])
    return " | ".join(
        "error: refused"
        if f"specification '{event}'" in done.stderr
        else " ".join(map(str, elapses(next(answers, "")))) if f"elapse for '{event}'" not in done.stderr
        else ""
        for event in events
    ).split(" ")


def elapses(text):
    # Where the zone shows UTC there is one line for an elapse, otherwise the second one is in UTC.
    found = []
    for label, stamp in re.findall(r"^ *(Next elapse|Iter\. #\d+|\(in UTC\)): (.*)$", text, re.MULTILINE):
        if stamp.endswith(" UTC"):
            at = instant(datetime.strptime(stamp[4:-4], "%Y-%m-%d %H:%M:%S").replace(tzinfo=timezone.utc))
            if label != "(in UTC)" or not found or found[-1] != at:
                found.append(at)
    return found


def give_up(*_):
    raise TimeoutError("no answer within a second")


def main():
    answers = {"offsets": offsets, "cron": cron, "rrule": rrule, "systemd": systemd}
    if "/usr/share/zoneinfo" not in TZPATH:
        sys.exit("oracle.py: the zones of the system are not in the path")
    signal.signal(signal.SIGALRM, give_up)
    for line in sys.stdin:
        kind, zone, *rest = line.rstrip("\n").split("\t")
        signal.setitimer(signal.ITIMER_REAL, 1)
        try:
            answer = answers[kind](ZoneInfo(zone), *rest)
        except Exception as error:  # The caller decides what an error means.
            answer = ["error:", type(error).__name__, str(error).replace("\n", " ")]
        signal.setitimer(signal.ITIMER_REAL, 0)
        print(*answer, flush=True)


main()
