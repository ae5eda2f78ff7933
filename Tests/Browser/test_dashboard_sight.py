"""What the dashboard draws and says, and that none of it is cut off. Run: python3 Tests/Browser/test_dashboard_sight.py"""

from __future__ import annotations

import re
import time

from playwright.sync_api import expect

import support
from dashboard import DashboardTest

LONG_COMMAND = "tar --create --gzip --file /srv/backup/notes.tgz notes"


class Pictures(DashboardTest):
    def test_ring_scale(self) -> None:
        """A ring is the face of a clock of one unit, and names it: times of hours and days are distinguished."""
        cases = {"30m": ("30m", 0.5), "6h": ("6h", 0.25), "3d": ("3d", 3 / 7), "20d": ("3w", 1.0)}
        jobs = {after: self.daemon.submit("after", after, "--name", after, "--notify", "x") for after in cases}
        self.open()
        for after, (label, fraction) in cases.items():
            ring = self.row(jobs[after]).locator(".ring")
            expect(ring.locator("text")).to_have_text(label)
            drawn = 1 - float(ring.locator(".arc").get_attribute("stroke-dashoffset") or 0) / (40 * 3.14159265)
            self.assertAlmostEqual(drawn, fraction, delta=0.02, msg=after)
        expect(self.row(jobs["6h"]).locator(".ring")).to_have_attribute("aria-label", "due in about 6 hours")

    def test_remaining(self) -> None:
        """A remaining time of hours is not written as a time of day."""
        job = self.daemon.submit("after", "23h59m30s", "--name", "far", "--notify", "x")
        self.open(f"#/job/{job}")
        expect(self.row(job).locator(".left")).to_have_text(re.compile(r"^in (24 h|23 h 59 m)$"))
        expect(self.page.locator(".dial .big")).to_have_text(re.compile(r"^in (24 h|23 h 59 m)$"))
        said = self.page.evaluate(
            """async () => {
              const { clock, clockPause } = await import('/assets/format.js');
              const [second, minute, hour] = [1000, 60_000, 3_600_000];
              const times = [0, 1, 59 * second, 59 * minute + 59 * second, hour - 1, hour, hour + 1, 24 * hour - minute, 48 * hour, 76 * hour];
              // Nothing changes before a pause has passed, and something does when it has.
              const steps = [1, 1500, hour - 500, hour, hour + 1, 47 * hour + 1, 48 * hour, 50 * hour + 7].filter((ms) => {
                const pause = clockPause(ms);
                return clock(ms - pause + 1) !== clock(ms) && pause > 1 || (ms > pause && clock(ms - pause - 1) === clock(ms));
              });
              return { words: times.map(clock), steps };
            }""")
        self.assertEqual(said["words"], ["0:00", "0:01", "0:59", "59:59", "1 h", "1 h", "1 h 1 m", "23 h 59 m", "2 d", "3 d 4 h"])
        self.assertEqual(said["steps"], [])

    def test_next_hour(self) -> None:
        """The next hour has a lane for each of the nearest jobs; marks that would be a fence are a band."""
        self.daemon.submit("every", "1s", "--name", "beat", "--notify", "x")
        self.daemon.submit("every", "25m", "--name", "rare", "--notify", "x")
        self.daemon.submit("after", "30m", "--name", "once", "--notify", "x")
        self.open()
        lanes = self.page.locator("#timeline li")
        expect(lanes).to_have_count(3)
        expect(lanes.nth(0)).to_contain_text("rare")
        expect(lanes.nth(1)).to_contain_text("once")
        expect(lanes.nth(2)).to_have_text(re.compile("beat ?every 1s"))
        marks = lambda name: (self.page.locator(f"#timeline .{name}").get_attribute("d") or "").count("z")
        support.wait_for("the marks", lambda: (marks("dues"), marks("bands")) == (3, 1))
        for number in range(5):
            self.daemon.submit("after", f"{40 + number}m", "--name", f"other {number}", "--notify", "x")
        expect(lanes).to_have_count(5)
        expect(lanes.nth(4)).to_have_text("4 more jobs")
        lanes.nth(0).get_by_role("link", name="rare").click()
        expect(self.page.locator("#detail-title")).to_have_text("rare")

    def test_plan(self) -> None:
        """The lanes keep their order while fast jobs repeat, and every occurrence is counted once."""
        plan = self.of_module(
            """({ plan }) => {
              const now = 600_000;
              const job = (id, dueMs, intervalMs, more = {}) => ({ id, dueMs, intervalMs, state: 'scheduled', createdMs: Number(id), trigger: {}, occurrences: 0, ...more });
              const jobs = [job('1', now + 900, 1000), job('2', now + 100, 1000), job('3', now + 1_800_000, null),
                job('4', now + 60_000, 120_000, { trigger: { count: 10 }, occurrences: 8 }), job('5', now + 3_700_000, null),
                job('6', now + 500, 500), job('7', now + 10, null, { state: 'suspended' }), job('8', now + 700, 2000), job('9', now + 5, 3000)];
              const { lanes, rest, bins, occurrences, sources } = plan(jobs, now, now);
              return { lanes: lanes.map(({ job, number }) => [job.id, number]), rest, sources, occurrences, binned: Math.round(bins.reduce((a, b) => a + b)) };
            }""", "timeline.js")
        self.assertEqual(plan["lanes"], [["4", 2], ["3", 1], ["1", 3600], ["2", 3600]])
        self.assertEqual((plan["rest"], plan["sources"]), (3, 7))
        self.assertEqual(plan["occurrences"], 2 + 1 + 3600 + 3600 + plan["binned"])
        self.assertEqual(plan["binned"], 7199 + 1800 + 1200)

    def test_plot_axes(self) -> None:
        """In the plot, a run without delay stands above those that did not start, and the axis has times."""
        slow = self.daemon.submit("every", "300ms", "--count", "3", "--shell", "--", "sleep 0.5")
        self.wait_for_state(slow, "finished")
        self.open(f"#/job/{slow}")
        texts = self.page.locator(".detail .plot text")
        expect(texts.filter(has_text="no start")).to_have_count(1)
        expect(texts.filter(has_text="0 ms").first).to_be_visible()
        expect(self.page.locator(".detail .plot .time").first).to_have_text(re.compile(r"^\d\d:\d\d:\d\d$"))
        places = self.of_module(
            """({ Plot }) => {
              const run = (latenessMs) => ({ job: 'x', occurrence: 1, attempt: 1, outcome: latenessMs === null ? 'skipped' : 'succeeded', due: '2026-01-01T00:00:00Z', latenessMs, delayMs: null, started: null });
              const plot = new Plot({ label: 'x' });
              plot.width = 400;
              plot.show([run(0), run(null)]);
              return [plot.at(run(0)), plot.at(run(null))];
            }""", "plot.js")
        self.assertGreaterEqual(places[1] - places[0], 12)


class Space(DashboardTest):
    def test_filters_fit(self) -> None:
        """Every filter and its number is seen in full, on the smallest screens too."""
        for number in range(12):
            self.daemon.submit("after", f"{number + 1}h", "--notify", "x")
        self.open()
        expect(self.page.locator("#jobs-status")).to_have_text("12 jobs")
        for width in (360, 390, 820, 1440):
            self.page.set_viewport_size({"width": width, "height": 800})
            clipped = self.page.evaluate(
                """() => [...document.querySelectorAll('#filters label')].filter((label) => {
                  const [box, around] = [label.getBoundingClientRect(), document.querySelector('.jobs').getBoundingClientRect()];
                  const text = label.querySelector(':scope > span');
                  return box.left < around.left || box.right > around.right || text.scrollWidth > text.clientWidth;
                }).map((label) => label.textContent)""")
            self.assertEqual(clipped, [], f"at {width} px")

    def test_command_fits(self) -> None:
        """A command has the width of the columns beside it, and is cut only at their end."""
        job = self.daemon.submit("every", "1h", "--name", "backup", "--shell", "--", LONG_COMMAND)
        self.open()
        what = self.row(job).locator(".what")
        expect(what).to_have_text(f"{job} · {LONG_COMMAND}")
        expect(what).to_have_attribute("title", LONG_COMMAND)
        room = what.evaluate("(e) => [e.parentElement.getBoundingClientRect().right, e.closest('.row').querySelector('.c-due').getBoundingClientRect().left]")
        self.assertLess(room[1] - room[0], 24)

    def test_actions_are_named(self) -> None:
        """What a row's buttons do is written on them, at every width."""
        job = self.daemon.submit("after", "1h", "--name", "tea", "--notify", "x")
        self.open()
        for width in (360, 820, 1440):
            self.page.set_viewport_size({"width": width, "height": 800})
            for word in ("Run", "Suspend", "Cancel"):
                text = self.row(job).locator(".tool span", has_text=word)
                expect(text).to_be_visible()
                self.assertTrue(text.evaluate("(e) => { const [a, b] = [e.getBoundingClientRect(), e.parentElement.getBoundingClientRect()]; return a.left >= b.left - 1 && a.right <= b.right + 1; }"), f"{word} at {width}")

    def test_dividers(self) -> None:
        """A row's divider, and that of the heads, reach from edge to edge, with and without a scroll bar."""
        self.daemon.submit("after", "1h", "--notify", "x")
        self.open()
        ends = lambda: self.page.evaluate(
            """() => ['.canvas .row', '.head-group'].map((name) => {
              const [box, viewport] = [document.querySelector(name).getBoundingClientRect(), document.querySelector('.viewport')];
              return Math.round(viewport.getBoundingClientRect().left + viewport.clientWidth - box.right);
            })""")
        self.assertEqual(ends(), [0, 0])
        self.assertEqual(self.page.evaluate("document.querySelector('.viewport').offsetWidth - document.querySelector('.viewport').clientWidth"), 0, "room for a scroll bar that is not there")
        for number in range(30):
            self.daemon.submit("after", f"{number + 2}h", "--notify", "x")
        expect(self.page.locator("#jobs-status")).to_have_text("31 jobs")
        self.assertEqual(ends(), [0, 0])


class Order(DashboardTest):
    def test_order_of_ended(self) -> None:
        """The order of ended jobs follows the runs that are heard of after the jobs."""
        order = self.of_module(
            """({ Store }) => {
              const store = new Store();
              const job = (id) => ({ id, name: id, kind: 'action', state: 'finished', action: {}, trigger: {}, labels: {}, created: '2026-01-01T00:00:00Z', nextDue: null });
              store.setView({ filter: 'ended' });
              store.apply(['a', 'b'].map((id) => ({ name: 'job', data: job(id) })));
              store.arrange();
              const run = { job: 'b', occurrence: 1, attempt: 1, outcome: 'succeeded', started: '2026-01-01T00:00:01Z', due: '2026-01-01T00:00:01Z' };
              store.apply([{ name: 'run', data: run }]);
              const isUnsorted = store.unsorted;
              store.arrange();
              return { isUnsorted, order: store.order.map((one) => one.id) };
            }""", "store.js")
        self.assertEqual(order, {"isUnsorted": True, "order": ["b", "a"]})

    def test_order_under_the_pointer(self) -> None:
        """An order that has changed under the pointer is shown as soon as the pointer leaves the list."""
        first = self.daemon.submit("after", "1h", "--name", "first", "--notify", "x")
        self.daemon.submit("after", "2h", "--name", "second", "--notify", "x")
        self.page.clock.install()
        self.open()
        names = self.page.locator(".row[data-id] .name")
        expect(names).to_have_text(["first", "second"])
        self.page.clock.pause_at(int(time.time() * 1000) + 1000)
        box = self.row(first).bounding_box()
        assert box
        self.daemon.apus("edit", first, "--after", "3h")

        def is_heard() -> bool:
            """Moves the pointer, and the page's time by a frame or two."""
            self.page.mouse.move(box["x"] + 200 + time.monotonic() % 7, box["y"] + 20)
            self.page.clock.run_for(40)
            return self.row(first).locator(".trigger").text_content() == "after 3h"

        support.wait_for("the change", is_heard)
        self.page.clock.run_for(1500)
        expect(names).to_have_text(["first", "second"])
        self.page.mouse.move(5, 5)
        expect(names).to_have_text(["second", "first"])

    def test_undo(self) -> None:
        """A suspension is undone with one press, and the offer goes with the suspension."""
        job = self.daemon.submit("after", "25m", "--name", "tea", "--notify", "x")
        self.open()
        self.button("Suspend tea").click()
        self.toast("The job is suspended.").get_by_role("button", name="Undo").click()
        self.wait_for_state(job, "scheduled")
        expect(self.page.locator(".toast")).to_have_count(0)
        expect(self.button("Suspend tea")).to_be_focused()
        self.button("Suspend tea").click()
        expect(self.toast("The job is suspended.")).to_be_visible()
        self.daemon.apus("resume", job)
        expect(self.page.locator(".toast")).to_have_count(0)


if __name__ == "__main__":
    support.main()
