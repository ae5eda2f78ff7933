"""The dashboard by keyboard, to a screen reader, and at every width. Run: python3 Tests/Browser/test_dashboard_access.py"""

from __future__ import annotations

import re

from playwright.sync_api import expect

import support
from dashboard import DashboardTest

WIDTHS = [(390, 844), (820, 1180), (1440, 900)]


class Keyboard(DashboardTest):
    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def tab_to(self, name: str) -> None:
        """Presses the tab key until a control of that name has the focus."""
        for _ in range(40):
            self.press("Tab")
            focused = self.page.evaluate(
                "document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent.trim()")
            if focused == name:
                return
        self.fail(f"the tab key does not reach “{name}”")

    def test_story(self) -> None:
        """A countdown is made, suspended, looked at and cancelled, and the pointer is never touched."""
        self.daemon.submit("after", "2h", "--name", "later", "--", "true")
        self.open()
        self.tab_to("New countdown")
        self.press("Enter")
        dialog = self.page.get_by_role("dialog", name="New countdown")
        expect(dialog).to_be_visible()
        self.press("Escape")
        expect(dialog).to_be_hidden()
        expect(self.button("New countdown")).to_be_focused()
        self.press("Enter", "Tab")
        expect(dialog.get_by_label("How long")).to_be_focused()
        self.page.keyboard.type("40m")
        self.press("Enter")
        expect(dialog).to_be_hidden()
        job = support.wait_for("the countdown", lambda: [one for one in self.daemon.json("list")["jobs"] if one["kind"] == "countdown"])[0]["id"]
        expect(self.row(job)).to_have_attribute("aria-selected", "true")

        # Into the list: one stop of the tab key; then arrows.
        self.row(job).locator(".name").focus()
        self.press("ArrowDown")
        expect(self.page.locator(".name", has_text="later")).to_be_focused()
        self.press("ArrowUp", "ArrowRight", "ArrowRight")
        expect(self.button(f"Suspend {job}")).to_be_focused()
        self.press("Space")
        expect(self.button(f"Resume {job}")).to_be_focused()
        self.wait_for_state(job, "suspended")
        self.press("ArrowLeft", "ArrowLeft", "Enter")
        expect(self.page.locator("#detail-title")).to_have_text(job)

        self.press("Escape")
        expect(self.page.locator("#history")).to_be_visible()
        self.press("/")
        expect(self.page.get_by_label("Search jobs")).to_be_focused()
        self.page.keyboard.type(job)
        expect(self.page.locator(".row[data-id]")).to_have_count(1)
        self.row(job).locator(".name").focus()
        self.press("ArrowRight", "ArrowRight", "ArrowRight", "Enter")
        expect(self.page.get_by_role("alertdialog")).to_be_visible()
        self.press("Tab", "Enter")
        self.wait_for_state(job, "cancelled")

    def test_long_list(self) -> None:
        """The keys reach every row of a list of which only a part exists, and the focus is never lost."""
        connection = self.daemon.connection()
        for number in range(300):
            job = {"name": f"job {number}", "trigger": {"after": f"{number + 60}m"}, "action": {"notify": "x"}}
            connection.ask("POST", "/v1/jobs", job)
        connection.close()
        self.open()
        expect(self.page.locator("#jobs-status")).to_have_text("300 jobs")
        self.page.locator(".row[data-id] .name").first.focus()
        focused = lambda: self.page.evaluate("document.activeElement.textContent")
        self.press("Control+End")
        support.wait_for("the last row", lambda: focused() == "job 299")
        self.assertEqual(self.page.evaluate("document.activeElement.closest('.row').ariaRowIndex ?? document.activeElement.closest('.row').getAttribute('aria-rowindex')"), "301")
        self.press("ArrowUp")
        support.wait_for("the one above", lambda: focused() == "job 298")
        self.page.mouse.move(400, 600)
        self.page.mouse.wheel(0, -30_000)
        expect(self.page.locator(".row[data-id] .name", has_text=re.compile("^job 0$"))).to_be_visible()
        self.assertEqual(focused(), "job 298")
        self.press("End")
        expect(self.button("Cancel job 298")).to_be_focused()
        self.press("Home")
        support.wait_for("the first control of the row", lambda: focused() == "job 298")
        self.press("Control+Home")
        support.wait_for("the first row", lambda: focused() == "job 0")
        order = self.page.evaluate("[...document.querySelectorAll('.canvas .row')].map((row) => Number(row.getAttribute('aria-rowindex')))")
        self.assertEqual(order, sorted(order), "rows are read aloud in another order than they are seen")

    def test_back(self) -> None:
        """The browser's own way back works, and an address can be opened again."""
        job = self.daemon.submit("every", "1d", "--name", "backup", "--shell", "--", "echo saved")
        self.daemon.apus("run", job)
        self.wait_for_runs(job, 1)
        self.open()
        self.row(job).locator(".name").click()
        self.page.locator(".detail tbody a").first.click()
        expect(self.page.locator(".log")).to_have_text("saved\n")
        self.page.reload()
        expect(self.page.locator(".log")).to_have_text("saved\n")
        self.page.go_back()
        expect(self.page.locator(".log-box")).to_be_hidden()
        self.page.go_back()
        expect(self.page.locator("#history")).to_be_visible()

    def test_unknown_job(self) -> None:
        """An address of a job that is not there says so in the daemon's words."""
        self.expect_trouble("404")
        self.open("#/job/missing")
        expect(self.page.locator(".detail .problem")).to_contain_text('there is no job "missing"')


class Sight(DashboardTest):
    def furnish(self) -> tuple[str, str]:
        """Jobs of all kinds; one with a history, and one that is at work."""
        daemon = self.daemon
        daemon.submit("after", "25m", "--name", "tea", "--notify", "Tea is ready")
        daemon.submit("every", "1h", "--name", "backup", "--retry", "3", "--timeout", "10m", "--label", "team=web", "--shell", "--", "tar -czf /tmp/notes.tgz notes")
        daemon.submit("every", "15m", "--overlap", "queue", "--missed", "skip", "--shell", "--", "df -h / | tail -n 1 >> usage.txt")
        daemon.submit("every", "1d", "--name", "photos, from the camera and from the telephone, to the server in the cellar", "--when", "network,power", "--shell", "--", "rsync -a photos/ server:photos/")
        for number, name in enumerate(["call Ann", "stand-up", "water the plants", "oven", "parking meter"]):
            daemon.submit("after", f"{11 * number + 4}m", "--name", name, "--notify", name)
        daemon.submit("after", "40m", "--name", "laundry", "--notify", "laundry")
        daemon.apus("suspend", "laundry")
        beat = daemon.submit("every", "250ms", "--count", "14", "--name", "probe", "--retry", "0", "--overlap", "queue", "--missed", "run-all", "--shell", "--", "[ $((APUS_OCCURRENCE % 5)) != 0 ]")
        self.wait_for_runs(beat, 14)
        work = daemon.submit("after", "100ms", "--name", "report", "--shell", "--", "for part in one two three; do echo part $part; done; sleep 600")
        support.wait_for("it to run", lambda: (daemon.json("show", work)["lastRun"] or {}).get("outcome") == "running")
        return beat, work

    def test_widths(self) -> None:
        """At each width, light and dark: nothing is cut off, everything has a name, all text can be read."""
        beat, work = self.furnish()
        views = {"jobs": "#/", "history": "#/history", "job": f"#/job/{beat}", "run": f"#/job/{work}/run/1/1"}
        self.open()
        expect(self.page.locator("#jobs-status")).to_have_text(re.compile(r"^\d+ jobs$"))
        for scheme in ("light", "dark"):
            self.page.emulate_media(color_scheme=scheme)
            for width, height in WIDTHS:
                self.page.set_viewport_size({"width": width, "height": height})
                for name, path in views.items():
                    with self.subTest(view=name, width=width, scheme=scheme):
                        self.go(path)
                        shown = {"jobs": "#grid", "history": "#history tbody tr", "job": ".detail tbody tr", "run": ".log"}[name]
                        expect(self.page.locator(shown).first).to_be_visible()
                        self.page.wait_for_timeout(200)  # The plot is drawn when its width is known.
                        self.picture(f"dashboard-{name}-{width}-{scheme}")
                        self.assert_fits()
                        self.assert_controls_have_names()
                        self.assert_readable()
                        self.assert_accessible()

    def test_any_width(self) -> None:
        """From 360 px on, no width has a horizontal scroll bar."""
        beat, _ = self.furnish()
        self.open()
        for path in ("#/", "#/history", f"#/job/{beat}"):
            self.go(path)
            for width in (360, 480, 600, 699, 700, 900, 1099, 1100, 1250, 1920):
                with self.subTest(path=path, width=width):
                    self.page.set_viewport_size({"width": width, "height": 800})
                    self.assert_fits()

    def test_dialogs(self) -> None:
        """Forms fit on a small screen, and can be read."""
        self.open()
        self.page.set_viewport_size({"width": 360, "height": 640})
        for scheme in ("light", "dark"):
            self.page.emulate_media(color_scheme=scheme)
            for name in ("New countdown", "New notification"):
                self.button(name).click()
                self.page.get_by_role("dialog").get_by_role("button", name=re.compile("Start|Submit")).click()
                self.picture(f"dashboard-{name.lower().replace(' ', '-')}-{scheme}")
                self.assert_fits()
                self.assert_controls_have_names()
                self.assert_readable()
                self.assert_accessible()
                self.page.keyboard.press("Escape")

    def test_landmarks(self) -> None:
        """Landmarks and headings, in order; a table is a table."""
        self.furnish()
        self.open()
        for role in ("banner", "main", "search", "complementary"):
            self.assertEqual(self.page.get_by_role(role).count(), 1, role)
        self.assertEqual(self.page.locator("h1").count(), 1)
        levels = self.page.evaluate("[...document.querySelectorAll('h1, h2, h3')].filter((e) => e.checkVisibility()).map((e) => Number(e.tagName[1]))")
        for before, after in zip(levels, levels[1:]):
            self.assertLessEqual(after, before + 1, f"headings jump: {levels}")
        expect(self.page.get_by_role("table", name="runs of all jobs, newest first")).to_have_count(1)
        expect(self.page.locator("#timeline svg")).to_have_attribute("aria-label", re.compile(r"occurrences of \d+ jobs in the next hour"))

    def test_still(self) -> None:
        """Nothing is drawn when nothing moves."""
        self.daemon.submit("after", "900d", "--name", "far", "--", "true")
        self.open()
        expect(self.page.locator(".row[data-id]")).to_have_count(1)
        self.page.wait_for_timeout(500)
        frames = self.page.evaluate(
            """async () => {
              let asked = 0;
              const real = requestAnimationFrame;
              window.requestAnimationFrame = (action) => { asked += 1; return real(action); };
              await new Promise((resolve) => setTimeout(resolve, 3000));
              return asked;
            }""")
        # A row that says whole days changes once a second at most.
        self.assertLessEqual(frames, 8)


if __name__ == "__main__":
    support.main()
