"""Failures are seen at a glance. Run: python3 Tests/Browser/test_dashboard_failure.py"""

from __future__ import annotations

import re

from playwright.sync_api import expect

import support
from dashboard import DashboardTest


class Failure(DashboardTest):
    def submit_failing(self, name: str, runs: int) -> str:
        """A job that continues, and of which so many attempts have failed."""
        job = self.daemon.submit("every", "1d", "--name", name, "--retry", "0", "--shell", "--", "[ -e /nonexistent ]")
        for number in range(runs):
            self.daemon.apus("run", job)
            self.wait_for_runs(job, number + 1)
        return job

    def filter(self, name: str):
        return self.page.get_by_role("radio", name=re.compile(f"^{name}"))

    def test_failing(self) -> None:
        """A job whose attempts failed is red, says how many of them did, and is counted; one that succeeds is not."""
        bad = self.submit_failing("bad", 8)
        good = self.daemon.submit("every", "1d", "--name", "good", "--", "true")
        for number in range(2):
            self.daemon.apus("run", good)
            self.wait_for_runs(good, number + 1)
        self.open()
        expect(self.row(bad).locator(".late")).to_contain_text("8 of 8 failed")
        expect(self.row(bad).locator(".ring")).to_have_attribute("aria-label", "failing, due in about 24 hours")
        expect(self.row(bad).locator(".trend")).to_have_attribute("aria-label", re.compile("^Latest attempts: 8 of 8 failed, median duration"))
        expect(self.row(good).locator(".late")).to_have_text(re.compile(r"^took [\d.]+ m?s · \d+ ms late$"))
        expect(self.row(good).locator(".ring")).not_to_have_attribute("data-failing", "")
        expect(self.filter("Failed 1")).to_be_visible()
        self.picture("dashboard-failing")
        colours = self.page.evaluate("(ids) => ids.map((id) => getComputedStyle(document.querySelector(`[data-id=${id}] .arc`)).stroke)", [bad, good])
        self.assertNotEqual(*colours)
        self.button("1 failed").click()
        expect(self.page.locator(".row[data-id]")).to_have_count(1)
        self.row(bad).locator(".name").click()
        panel = self.page.locator(".detail")
        expect(panel.locator(".chip").first).to_have_text("failing")
        expect(panel.locator(".who span.bad")).to_have_text("8 of 8 failed")
        expect(panel.locator("tbody .k-took").first).to_have_text(re.compile(r"^[\d.]+ m?s$"))
        self.assert_controls_have_names()
        self.assert_readable()
        self.assert_accessible()

    def test_recovery(self) -> None:
        """A failed one-off job is among the failed ones, until a run of it succeeds."""
        mark = self.daemon.home / "mark"
        job = self.daemon.submit("after", "50ms", "--name", "once", "--retry", "0", "--shell", "--", f'[ -e "{mark}" ]')
        self.wait_for_runs(job, 1)
        self.open()
        expect(self.filter("Open 0")).to_be_visible()
        expect(self.filter("Failed 1")).to_be_visible()
        self.filter("Failed").check()
        expect(self.row(job).locator(".ring")).to_have_attribute("data-mode", "failed")
        mark.touch()
        self.daemon.apus("run", job)
        expect(self.row(job)).to_have_count(0)
        expect(self.filter("Failed 0")).to_be_visible()
        expect(self.page.locator("#to-failed")).to_be_hidden()

    def test_running(self) -> None:
        """The filter of what runs follows the runs; a job that failed before is failing while it runs."""
        stop = self.daemon.home / "stop"
        line = f'[ $APUS_OCCURRENCE = 0 ] && exit 1; until [ -e "{stop}" ]; do sleep 0.1; done'
        job = self.daemon.submit("every", "1d", "--name", "long", "--retry", "0", "--shell", "--", line)
        self.daemon.submit("every", "1d", "--name", "idle", "--", "true")
        self.daemon.apus("run", job)
        self.wait_for_runs(job, 1)
        self.daemon.apus("run", job)
        self.open()
        expect(self.filter("Running 1")).to_be_visible()
        expect(self.filter("Failed 1")).to_be_visible()
        self.filter("Running").check()
        expect(self.page.locator(".row[data-id] .name")).to_have_text(["long"])
        stop.touch()
        expect(self.page.locator(".row[data-id]")).to_have_count(0)
        expect(self.page.locator("#empty")).to_contain_text("No such job")
        expect(self.filter("Running 0")).to_be_visible()
        expect(self.filter("Failed 0")).to_be_visible()

    def test_rule(self) -> None:
        """A skip or a start takes no failure back; a success, and only that, does."""
        said = self.of_module(
            """({ Store }) => {
              const store = new Store();
              const job = { id: 'a', name: 'a', kind: 'action', state: 'scheduled', action: {}, trigger: { every: 'PT1H' }, labels: {}, created: '2026-01-01T00:00:00Z', nextDue: '2026-01-01T01:00:00Z' };
              store.apply([{ name: 'job', data: job }]);
              return ['succeeded', 'failed', 'skipped', 'running', 'lost', 'running', 'succeeded'].map((outcome, index) => {
                const at = `2026-01-01T00:00:0${index}Z`;
                // What runs is what ends next.
                const run = { job: 'a', occurrence: outcome === 'running' ? index + 2 : index + 1, attempt: 1, outcome, started: outcome === 'skipped' ? null : at, due: at };
                store.apply([{ name: 'run', data: run }]);
                return [outcome, store.counts.failed, store.counts.running].join(' ');
              });
            }""", "store.js")
        self.assertEqual(said, ["succeeded 0 0", "failed 1 0", "skipped 1 0", "running 1 1", "lost 1 0", "running 1 1", "succeeded 0 0"])

    def test_trend(self) -> None:
        """A trend has the latest ten attempts that ended, each once, whether they were asked for or heard of."""
        said = self.of_module(
            """({ Trends, failures }) => {
              const trends = new Trends();
              trends.attempts.set('a', []);
              const run = (occurrence, outcome, started = '2026-01-01T00:00:00Z') => ({ job: 'a', occurrence, attempt: 1, outcome, started, finished: '2026-01-01T00:00:02Z' });
              trends.add([run(1, 'running'), run(1, 'failed'), run(1, 'failed'), run(2, 'skipped', null), run(3, 'lost'), run(4, 'succeeded')]);
              const words = failures(trends.attempts.get('a'));
              trends.add(Array.from({ length: 10 }, (_, index) => run(index + 5, 'succeeded')));
              const { length, 0: newest } = trends.attempts.get('a');
              return [words, length, newest.key, newest.took, failures(trends.attempts.get('a'))];
            }""", "trends.js")
        self.assertEqual(said, ["2 of 3 failed", 10, "a 14 1", 2000, ""])


if __name__ == "__main__":
    support.main()
