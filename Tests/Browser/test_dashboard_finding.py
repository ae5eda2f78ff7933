"""Labels, ended jobs by pages, keys and signing out. Run: python3 Tests/Browser/test_dashboard_finding.py"""

from __future__ import annotations

import re

from playwright.sync_api import expect

import support
from dashboard import DashboardTest


class Labels(DashboardTest):
    def test_labels(self) -> None:
        """Labels are seen with the job, and the list is filtered by one, from the bar and from the panel."""
        for name, team in (("api", "web"), ("site", "web"), ("ledger", "money")):
            self.daemon.submit("every", "1d", "--name", name, "--label", f"team={team}", "--label", "tier=2", "--", "true")
        bare = self.daemon.submit("after", "1h", "--name", "bare", "--", "true")
        self.open()
        names = self.page.locator(".row[data-id] .name")
        expect(names).to_have_count(4)
        expect(self.page.locator(".row .labels").filter(has_text="team=money, tier=2")).to_have_count(1)
        choice = self.page.get_by_role("combobox", name="Label")
        expect(choice.locator("option")).to_have_text(["All labels", "team=money", "team=web", "tier=2"])
        choice.select_option("team=web")
        expect(names).to_have_text(["api", "site"])
        expect(self.page.locator("#jobs-status")).to_have_text("2 jobs of 4")
        names.first.click()
        self.button("tier=2").click()
        expect(choice).to_have_value("tier=2")
        expect(names).to_have_count(3)
        self.daemon.apus("edit", bare, "--label", "tier=2")
        expect(names).to_have_count(4)
        self.page.get_by_label("Search jobs").fill("missing")
        self.button("Clear the search").click()
        expect(choice).to_have_value("")
        expect(names).to_have_count(4)

    def test_no_labels(self) -> None:
        """Without labels there is nothing to choose."""
        self.daemon.submit("after", "1h", "--", "true")
        self.open()
        expect(self.page.locator(".row[data-id]")).to_have_count(1)
        expect(self.page.locator("#label-choice")).to_be_hidden()


class Ended(DashboardTest):
    def test_pages(self) -> None:
        """Of many ended jobs the newest are loaded, and older ones when they are asked for; the history names all."""
        connection = self.daemon.connection()
        ids = []
        for number in range(230):
            job = {"name": f"job {number}", "trigger": {"after": "1h"}, "action": {"notify": "x"}}
            ids.append(connection.ask("POST", "/v1/jobs", job)["id"])
        connection.ask("POST", f"/v1/jobs/{ids[0]}/run")
        self.wait_for_runs(ids[0], 1)
        for job in ids:
            connection.ask("DELETE", f"/v1/jobs/{job}")
        connection.close()
        self.open()
        expect(self.page.locator("#history tbody .whose")).to_have_text(["job 0"])
        self.page.get_by_role("radio", name="Ended 201+").check()
        expect(self.page.locator("#jobs-status")).to_have_text("201 jobs")
        self.button("Load more").click()
        expect(self.page.locator("#jobs-status")).to_have_text("230 jobs")
        expect(self.page.get_by_role("radio", name="Ended 230", exact=True)).to_be_visible()
        expect(self.page.locator("#older")).to_be_hidden()

    def test_run_again(self) -> None:
        """A finished job runs once more, from the list."""
        job = self.daemon.submit("after", "50ms", "--name", "once", "--", "true")
        self.wait_for_runs(job, 1)
        self.open()
        self.page.get_by_role("radio", name=re.compile("^Ended")).check()
        self.button("Run now: once").click()
        self.wait_for_runs(job, 2)


class Keys(DashboardTest):
    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def test_shortcuts(self) -> None:
        """Every key of the sheet does what the sheet says."""
        first = self.daemon.submit("after", "1h", "--name", "first", "--", "true")
        second = self.daemon.submit("after", "2h", "--name", "second", "--", "true")
        self.open()
        expect(self.page.locator(".row[data-id]")).to_have_count(2)
        sheet = self.page.get_by_role("dialog", name="Keyboard shortcuts")
        self.press("?")
        expect(sheet).to_be_visible()
        listed = set(sheet.locator("kbd").all_text_contents())
        self.assert_controls_have_names()
        self.assert_readable()
        self.press("Escape")
        expect(sheet).to_be_hidden()
        self.press("j")
        expect(self.row(first).locator(".name")).to_be_focused()
        self.press("j")
        expect(self.row(second).locator(".name")).to_be_focused()
        self.press("s")
        self.wait_for_state(second, "suspended")
        expect(self.toast("The job is suspended.")).to_be_visible()
        self.press("u")
        self.wait_for_state(second, "scheduled")
        self.press("k")
        expect(self.row(first).locator(".name")).to_be_focused()
        self.press("r")
        self.wait_for_runs(first, 1)
        self.press("x")
        expect(self.page.get_by_role("alertdialog")).to_be_visible()
        self.press("Escape")
        for key, place in (("2", "#calendar"), ("3", "#history"), ("1", "#grid")):
            self.press(key)
            expect(self.page.locator(place)).to_be_visible()
        for key, name in (("c", "New countdown"), ("n", "New notification"), ("w", "New schedule")):
            self.press(key)
            expect(self.page.get_by_role("dialog", name=name)).to_be_visible()
            self.press("Escape")
        self.press("f")
        expect(self.page.get_by_role("radio", name=re.compile("^Failed"))).to_be_checked()
        self.press("/")
        expect(self.page.get_by_label("Search jobs")).to_be_focused()
        self.press("?")
        expect(sheet).to_be_hidden()
        expect(self.page.get_by_label("Search jobs")).to_have_value("?")
        self.assertLessEqual({*"/123jkfrsxucnw?"}, listed)

    def test_switched_off(self) -> None:
        """Keys of one character can be switched off, and stay off; the sheet is still reached by its button."""
        self.open()
        self.button("Keyboard shortcuts").click()
        choice = self.page.get_by_role("checkbox", name="Use single-key shortcuts")
        choice.uncheck()
        self.button("Close").click()
        self.page.reload()
        expect(self.page.locator("#daemon-state")).to_have_text("Connected")
        self.press("c", "?")
        expect(self.page.locator("dialog[open]")).to_have_count(0)
        self.button("Keyboard shortcuts").click()
        expect(choice).not_to_be_checked()
        choice.check()
        self.press("Escape", "c")
        expect(self.page.get_by_role("dialog", name="New countdown")).to_be_visible()

    def test_sheet_fits(self) -> None:
        """The sheet fits on a small screen, light and dark."""
        self.open()
        for width, height in ((390, 844), (1440, 900)):
            self.page.set_viewport_size({"width": width, "height": height})
            for scheme in ("light", "dark"):
                self.page.emulate_media(color_scheme=scheme)
                self.button("Keyboard shortcuts").click()
                self.picture(f"dashboard-help-{width}-{scheme}")
                self.assert_fits()
                self.assert_readable()
                self.assert_accessible()
                self.press("Escape")


class SignOut(DashboardTest):
    def test_sign_out(self) -> None:
        """After signing out nothing of the jobs is on the page, and the address with the token signs in again."""
        self.expect_trouble("401", "favicon")
        self.daemon.submit("after", "1h", "--name", "secret errand", "--", "true")
        self.open()
        expect(self.page.get_by_text("secret errand").first).to_be_visible()
        self.button("Sign out").click()
        expect(self.page.locator("body")).to_contain_text("This browser does not know the token")
        expect(self.page.get_by_text("secret errand")).to_have_count(0)
        self.assertEqual(self.page.request.get(self.daemon.origin + "/v1/jobs").status, 401)
        self.open()
        expect(self.page.get_by_text("secret errand").first).to_be_visible()


if __name__ == "__main__":
    support.main()
