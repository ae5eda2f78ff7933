"""The dashboard's calendar and the dialog of a schedule. Run: python3 Tests/Browser/test_dashboard_calendar.py"""

from __future__ import annotations

import json
import re
from typing import Any

from playwright.sync_api import Locator, expect

import support
from dashboard import DashboardTest

WIDTHS = [(390, 844), (820, 1180), (1440, 900)]
MARCH = "#/calendar/month/2027-03-01"
CHANGE = "#/calendar/week/2027-03-28"
# The comma is there in some versions of the browser.
WEEK = re.compile(r"Mon,? 22 Mar – 28 March 2027")


class CalendarTest(DashboardTest):
    def submit_schedule(self, schedule: str, name: str, **parts: Any) -> str:
        connection = self.daemon.connection()
        calendar = {"schedule": schedule, "zone": "Europe/Berlin", **parts}
        job = connection.ask("POST", "/v1/jobs", {"name": name, "trigger": {"calendar": calendar}, "action": {"notify": name}})
        connection.close()
        return job["id"]

    def cell(self, day: str) -> Locator:
        return self.page.locator(f'#calendar td:has(time[datetime="{day}"])')

    def open_dialog(self) -> Locator:
        self.button("New schedule").click()
        return self.page.get_by_role("dialog", name="New schedule")


class Schedules(CalendarTest):
    def test_preview(self) -> None:
        """While a schedule is typed, its next ten instants are shown, with offsets, days and what the clock's change does."""
        self.open()
        dialog = self.open_dialog()
        expect(dialog.get_by_label("Time zone")).to_have_value("UTC")
        dialog.get_by_label("Time zone").fill("Europe/Berlin")
        dialog.get_by_text("More", exact=True).click()
        dialog.get_by_label("From").fill("2027-03-20")
        dialog.get_by_label("Schedule", exact=True).fill("every sunday at 2:30")
        dues = dialog.get_by_role("list", name="Next due instants").get_by_role("listitem")
        expect(dues).to_have_count(10)
        expect(dues.nth(0)).to_have_text("Sun 2027-03-21 02:30:00 +01:00")
        expect(dues.nth(1)).to_contain_text("Sun 2027-03-28 03:00:00 +02:00")
        expect(dues.nth(1).locator(".changed")).to_contain_text("the clock skipped 2027-03-28 02:30:00")
        expect(dues.locator(".changed")).to_have_count(1)
        expect(dialog.locator("[aria-live]")).to_have_text("Next in Europe/Berlin: Sun 2027-03-21 02:30:00 +01:00")
        dialog.get_by_label("A skipped time").select_option("skip")
        expect(dues.nth(1)).to_contain_text("2027-04-04")

    def test_forms_and_warnings(self) -> None:
        """The preview says the schedule in its other notations, and what of it may be misread."""
        self.open()
        dialog = self.open_dialog()
        dialog.get_by_label("Schedule", exact=True).fill("0 9 * * 1-5")
        expect(dialog.locator(".preview .facts")).to_contain_text("every weekday at 9:00")
        expect(dialog.locator(".preview .facts")).to_contain_text("Mon..Fri")
        dialog.get_by_label("Schedule", exact=True).fill("0 9 13 * 5")
        expect(dialog.locator(".warnings li")).to_have_count(1)

    def test_problem(self) -> None:
        """What is wrong with a schedule is said in the preview while it is typed, and beside its field when it is submitted."""
        self.expect_trouble("400")
        self.open()
        dialog = self.open_dialog()
        dialog.get_by_role("button", name="Submit").click()
        expect(dialog.locator("[data-field=text] .problem")).to_contain_text("Enter the text")
        dialog.get_by_label("Text").fill("Stand up")
        dialog.get_by_label("Schedule", exact=True).fill("every 7 minutes")
        expect(dialog.locator("[aria-live]")).to_contain_text("calendar.schedule")
        dialog.get_by_role("button", name="Submit").click()
        expect(dialog.locator("[data-field=schedule] .problem")).to_contain_text("schedule")
        expect(dialog.get_by_label("Schedule", exact=True)).to_be_focused()
        dialog.get_by_label("Schedule", exact=True).fill("every day at 9:00")
        expect(dialog.locator("[aria-live]")).to_contain_text("Next in UTC")
        dialog.get_by_text("More", exact=True).click()
        dialog.get_by_label("Until").fill("soon")
        dialog.get_by_text("More", exact=True).click()
        dialog.get_by_role("button", name="Submit").click()
        expect(dialog.locator("[data-field=until] .problem")).to_contain_text("until")
        expect(dialog.get_by_label("Until")).to_be_focused()
        dialog.get_by_label("Until").fill("")
        dialog.get_by_label("Number of occurrences").fill("many")
        expect(dialog.locator("[aria-live]")).to_have_text("Enter a whole number of at least 1.")

    def test_old_answers(self) -> None:
        """The answer to an earlier text never replaces that to a later one."""
        self.open()
        held: list[Any] = []

        def answer(route: Any) -> None:
            schedule = json.loads(route.request.post_data)["calendar"]["schedule"]
            if schedule == "every day at 8:00":
                held.append(route)
            else:
                route.continue_()

        self.page.route("**/v1/preview", answer)
        dialog = self.open_dialog()
        dialog.get_by_label("Schedule", exact=True).fill("every day at 8:00")
        support.wait_for("the first question", lambda: self.page.evaluate("0") == 0 and held)
        dialog.get_by_label("Schedule", exact=True).fill("every day at 9:00")
        expect(dialog.locator(".dues li").first).to_contain_text("09:00:00")
        due = {"instant": "2030-01-01T08:00:00+00:00", "day": "tuesday", "note": None}
        held[0].fulfill(json={"zone": "UTC", "forms": {}, "warnings": [], "next": [due]})
        self.page.wait_for_timeout(200)  # Nothing shows that an answer was dropped.
        expect(dialog.locator(".dues li").first).to_contain_text("09:00:00")

    def test_submit(self) -> None:
        """A schedule that is submitted is in the list with its text and its zone, and in the calendar."""
        self.open()
        dialog = self.open_dialog()
        dialog.get_by_label("Text").fill("Stand up")
        dialog.get_by_label("Schedule", exact=True).fill("every sunday at 2:30")
        dialog.get_by_label("Time zone").fill("Europe/Berlin")
        dialog.get_by_text("More", exact=True).click()
        dialog.get_by_label("Name").fill("clock test")
        dialog.get_by_label("From").fill("2027-03-01")
        dialog.get_by_label("Except").fill("2027-03-14\n2027-03-21/2027-03-22")
        dialog.get_by_role("button", name="Submit").click()
        expect(dialog).to_be_hidden()
        job = self.daemon.json("list")["jobs"][0]
        self.assertEqual(job["trigger"]["calendar"]["zone"], "Europe/Berlin")
        expect(self.row(job["id"]).locator(".trigger")).to_have_text("every sunday at 2:30, Europe/Berlin")
        expect(self.page.locator(".detail .facts")).to_contain_text("from 2027-03-01")
        self.go(MARCH)
        expect(self.page.locator("#calendar .entries a")).to_have_count(3)
        expect(self.cell("2027-03-07")).to_contain_text("01:30 clock test")
        expect(self.cell("2027-03-28").locator(".changed .full")).to_contain_text("the clock skipped")


class Months(CalendarTest):
    def test_empty(self) -> None:
        """Without a job the calendar says that nothing is due."""
        self.open("#/calendar")
        expect(self.page.locator("#calendar [role=status]")).to_have_text("Nothing is due in these weeks")
        expect(self.page.locator("#calendar td[aria-current=date]")).to_have_count(1)

    def test_days(self) -> None:
        """A day has a line for each job with its count; further jobs are counted, and the week shows all of them."""
        self.submit_schedule("every 15 minutes between 9:00 and 12:00 on weekdays", "often", **{"from": "2027-03-01"})
        for number in range(5):
            self.submit_schedule(f"every weekday at 1{number}:30", f"job {number}", **{"from": "2027-03-01"})
        self.open(MARCH)
        expect(self.page.get_by_role("columnheader")).to_have_text([re.compile(day) for day in ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")])
        expect(self.cell("2027-03-06")).to_have_text(re.compile(r"^Saturday,? 6 March6Sat,? 6 MarNothing$"))
        expect(self.cell("2027-03-02").locator(".entries a")).to_have_text(["08:00 often × 13", "09:30 job 0", "10:30 job 1"])
        self.cell("2027-03-02").get_by_role("link", name=re.compile("3 more on Tuesday,? 2 March")).click()
        expect(self.page.locator("#calendar-title")).to_have_text(re.compile(r"Mon,? 1 Mar – 7 March 2027"))
        expect(self.cell("2027-03-02").locator(".entries a")).to_have_count(6)
        self.page.get_by_role("link", name="Next").click()
        expect(self.cell("2027-03-09").locator(".entries a")).to_have_count(6)
        self.page.get_by_role("link", name="Month", exact=True).click()
        expect(self.page.locator("#calendar-title")).to_have_text("March 2027")
        self.page.get_by_role("link", name="Previous").click()
        expect(self.page.locator("#calendar-title")).to_have_text("February 2027")
        self.page.get_by_role("link", name="Today").click()
        expect(self.page.locator("#calendar td[aria-current=date]")).to_have_count(1)

    def test_job(self) -> None:
        """A click on an occurrence opens the job's detail beside the calendar, and Escape leads back."""
        job = self.submit_schedule("every sunday at 2:30", "clock test", **{"from": "2027-03-01"})
        self.open(MARCH)
        self.cell("2027-03-07").get_by_role("link", name=re.compile("clock test")).click()
        expect(self.page.locator("#detail-title")).to_have_text("clock test")
        self.assertIn(job, self.page.url)
        expect(self.page.locator("#calendar-title")).to_have_text("March 2027")
        self.page.keyboard.press("Escape")
        expect(self.page.locator("#history")).to_be_visible()
        self.assertTrue(self.page.url.endswith("/2027-03-01"))

    def test_changes(self) -> None:
        """Jobs that come and go appear and disappear in the calendar, which asks once a second at most."""
        self.open(MARCH)
        expect(self.page.locator("#calendar [role=status]")).to_contain_text("Nothing is due")
        asked: list[str] = []
        self.page.on("request", lambda request: asked.append(request.url) if "/v1/upcoming" in request.url else None)
        for number in range(20):
            job = self.submit_schedule("every sunday at 2:30", f"job {number}", **{"from": "2027-03-01"})
        expect(self.cell("2027-03-07")).to_contain_text("17 more")
        self.assertLess(len(asked), 10)
        self.daemon.apus("cancel", job)
        expect(self.cell("2027-03-07")).to_contain_text("16 more")

    def test_truncated(self) -> None:
        """A job with more occurrences than are listed is named, with the time until which it is shown."""
        self.submit_schedule("every minute", "fast", **{"from": "2027-03-01"})
        self.open(MARCH)
        expect(self.page.locator(".more-note")).to_contain_text(re.compile("“fast” is shown until Mon,? 1 Mar"))


class Sight(CalendarTest):
    def furnish(self) -> None:
        self.submit_schedule("every sunday at 2:30", "clock test")
        self.submit_schedule("every weekday at 9:00", "stand-up")
        self.submit_schedule("every 15 minutes between 9:00 and 17:00 on weekdays", "watch the build of the documentation")
        self.submit_schedule("every monday, wednesday at 18:00", "gym")
        self.submit_schedule("every monday at 8:30", "water the plants")
        self.submit_schedule("every month on the last day at 23:59", "invoices")

    def check(self, name: str) -> None:
        self.picture(name)
        self.assert_fits()
        self.assert_controls_have_names()
        self.assert_readable()

    def test_widths(self) -> None:
        """At each width, light and dark, the calendar fits, has names and can be read."""
        self.furnish()
        self.open()
        for scheme in ("light", "dark"):
            self.page.emulate_media(color_scheme=scheme)
            for width, height in WIDTHS:
                self.page.set_viewport_size({"width": width, "height": height})
                for name, path, title in (("month", MARCH, "March 2027"), ("week", CHANGE, WEEK)):
                    with self.subTest(view=name, width=width, scheme=scheme):
                        self.go(path)
                        expect(self.page.locator("#calendar-title")).to_have_text(title)
                        expect(self.page.locator(f".days.{name} a").locator("visible=true").first).to_be_visible()
                        self.check(f"calendar-{name}-{width}-{scheme}")

    def test_any_width(self) -> None:
        """From 360 px on, no width has a horizontal scroll bar."""
        self.furnish()
        self.open()
        for path in (MARCH, CHANGE):
            self.go(path)
            expect(self.page.locator("#calendar .entries a").first).to_be_attached()
            for width in (360, 480, 699, 700, 900, 1099, 1100, 1250, 1920):
                with self.subTest(path=path, width=width):
                    self.page.set_viewport_size({"width": width, "height": 800})
                    self.assert_fits()

    def test_dialog(self) -> None:
        """The dialog fits at each width, light and dark, with its preview and all of its fields."""
        self.open()
        for scheme in ("light", "dark"):
            self.page.emulate_media(color_scheme=scheme)
            for width, height in WIDTHS:
                with self.subTest(width=width, scheme=scheme):
                    self.page.set_viewport_size({"width": width, "height": height})
                    dialog = self.open_dialog()
                    dialog.get_by_label("Time zone").fill("Europe/Berlin")
                    dialog.get_by_label("Schedule", exact=True).fill("30 2 13 * 0")
                    expect(dialog.locator(".dues li")).to_have_count(10)
                    self.check(f"schedule-{width}-{scheme}")
                    dialog.get_by_text("More", exact=True).click()
                    self.check(f"schedule-more-{width}-{scheme}")
                    self.page.keyboard.press("Escape")

    def test_semantics(self) -> None:
        """The calendar is a table with seven columns and headings in order, at the smallest width too."""
        self.furnish()
        self.open(CHANGE)
        for width, height in WIDTHS:
            self.page.set_viewport_size({"width": width, "height": height})
            table = self.page.get_by_role("table", name=WEEK)
            expect(table.get_by_role("cell")).to_have_count(7)
            expect(table.get_by_role("heading", level=3)).to_have_count(7)
            # A heading that is not seen at this width is read all the same.
            self.assertEqual(table.get_by_role("columnheader").count(), 7)


if __name__ == "__main__":
    support.main()
