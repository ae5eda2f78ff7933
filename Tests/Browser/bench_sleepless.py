"""How soon the page of Sleepless answers at 3600 times real time with a half-second timer: `make bench-sleepless`.

Asserts nothing. Each second a tab of the app is clicked, and the time until the second frame after it is measured: the
first frame draws the press, the second one the screen. What is aimed at: 100 ms, for ten minutes (APUS_BENCH_SECONDS).
"""

from __future__ import annotations

import os
import statistics
import time

import sleepless
import support

SECONDS = int(os.environ.get("APUS_BENCH_SECONDS", "600"))

ANSWER = """async (name) => {
  const tab = [...document.querySelectorAll('[role=tab]')].find((one) => one.textContent.trim() === name);
  const begun = performance.now();
  tab.click();
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  return performance.now() - begun;
}"""


class Page(sleepless.SleeplessTest):
    def test_answers(self) -> None:
        self.open_app()
        self.phone.post("/app/timer/go", {"delay": 0.5, "repeat": 0.5})
        self.phone.post("/device/speed", {"speed": 3600})
        times: list[float] = []
        ends = time.monotonic() + SECONDS
        while time.monotonic() < ends:
            times.append(self.page.evaluate(ANSWER, ("Countdown", "Timer")[len(times) % 2]))
            self.page.wait_for_timeout(1000)
        self.phone.post("/device/speed", {"speed": 0})
        fires = self.phone.screen()["app"]["timer"]["vibrations"]
        times.sort()
        print(
            f"{len(times)} clicks in {SECONDS} s, {fires:,} fires of the timer: median {statistics.median(times):.0f} ms, "
            f"p99 {times[int(len(times) * 0.99) - 1]:.0f} ms, worst {times[-1]:.0f} ms"
        )


if __name__ == "__main__":
    support.main()
