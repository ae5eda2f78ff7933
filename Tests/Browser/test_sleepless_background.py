"""Location, completion and refresh: what an app may do when the user has left it."""

from __future__ import annotations

import unittest

from playwright.sync_api import expect

from sleepless import Sleepless, SleeplessTest


class LocationStory(SleeplessTest):
    def ask(self, answer: str) -> None:
        self.panel.get_by_role("button", name="Ask for authorization").click()
        self.page.get_by_role("alertdialog").get_by_role("button", name=answer).click()
        expect(self.page.get_by_role("alertdialog")).to_have_count(0)

    def test_pins_continue_in_the_background_and_look_different(self):
        self.start("location")
        self.panel.get_by_role("button", name="Ask for authorization").click()
        expect(self.page.get_by_role("alertdialog")).to_be_visible()
        self.picture("sleepless-question")
        self.page.get_by_role("button", name="Always allow").click()
        self.panel.get_by_role("button", name="Start").click()
        expect(self.page.get_by_role("img", name="location in use")).to_be_visible()
        self.advance(20)
        pins = self.panel.locator(".map-pin")
        self.eventually("pins", lambda: pins.count() > 3)
        expect(self.panel.locator(".map-pin.away")).to_have_count(0)
        self.go_home()
        self.advance(60)
        self.process_is("background")
        self.open_app()
        self.eventually("pins of the background", lambda: self.panel.locator(".map-pin.away").count() > 3)
        expect(self.panel).to_contain_text("in the background")
        self.picture("sleepless-walk")
        self.panel.get_by_role("button", name="Stop").click()
        self.go_home()
        self.advance(5)
        self.process_is("suspended")

    def test_with_a_no_nothing_can_be_started(self):
        self.start("location")
        self.ask("Don’t allow")
        expect(self.panel).to_contain_text("The user does not allow it.")
        expect(self.panel.get_by_role("button", name="Start")).to_be_disabled()

    def test_escape_puts_the_question_off_and_the_focus_back(self):
        self.start("location")
        self.panel.get_by_role("button", name="Ask for authorization").click()
        self.page.keyboard.press("Escape")
        expect(self.page.get_by_role("alertdialog")).to_have_count(0)
        expect(self.panel.get_by_role("button", name="Ask for authorization")).to_be_focused()
        self.assertEqual(self.phone.screen()["app"]["location"]["authorization"], "notDetermined")


class CompletionStory(SleeplessTest):
    def test_continues_after_home_until_the_time_is_over_and_again_when_it_is_back(self):
        self.start("completion")
        self.panel.get_by_role("button", name="Start computing").click()
        self.advance(10)
        expect(self.panel).to_contain_text("Fibonacci number 2")
        self.go_home()
        expect(self.page.locator(".budget-text")).to_contain_text("s left in the background")
        expect(self.page.get_by_role("list", name="Open background tasks")).to_contain_text("fibonacci")
        self.advance(20)
        self.assertLess(self.phone.screen()["device"]["budget"], 11)
        self.advance(20)
        self.process_is("suspended")
        expect(self.page.get_by_role("list", name="Open background tasks").get_by_role("listitem")).to_have_count(0)
        frozen = self.phone.screen()["app"]["completion"]["n"]
        self.assertGreater(frozen, 60)
        self.advance(60)
        self.assertEqual(self.phone.screen()["app"]["completion"]["n"], frozen)
        self.press("Switcher")
        expect(self.page.locator(".card-note")).to_contain_text("Suspended: this is its last picture")
        self.picture("sleepless-switcher")
        self.page.get_by_role("button", name="Open Sleepless from the switcher").click()
        self.is_showing("app")
        expect(self.panel).to_contain_text("time is up at number")
        expect(self.panel).to_contain_text("in front again")
        self.advance(5)
        self.assertGreater(self.phone.screen()["app"]["completion"]["n"], frozen)

    def from_home_to_suspension(self, speed: str) -> list[tuple[float, str, str, str]]:
        """What the device's log says of it, with the seconds since Home; at a speed of the page's own."""
        self.page.goto("about:blank")
        self.phone.stop()
        self.phone = Sleepless(speed=0)
        self.visit()
        self.start("completion")
        self.panel.get_by_role("button", name="Start computing").click()
        expect(self.panel.get_by_role("button", name="Stop")).to_be_visible()
        # The clock stands still until Home is pressed: what a person's hand takes between two buttons is not in the log.
        self.press("Home")
        self.press(speed)
        expect(self.page.locator(".state")).to_have_attribute("data-process", "suspended", timeout=120_000)
        log = self.phone.log()
        begin = max(index for index, event in enumerate(log) if event["text"] == "press home")
        end = next(index for index, event in enumerate(log) if index > begin and event["text"] == "phase suspended")
        home = log[begin]["uptime"]
        return [(event["uptime"] - home, event["actor"], event["kind"], event["text"]) for event in log[begin : end + 1]]

    def test_sixty_times_as_fast_the_log_is_the_same(self):
        # Half a minute of real time, and on purpose: that is what the fast one is compared with.
        fast = self.from_home_to_suspension("Speed ×60")
        slow = self.from_home_to_suspension("Speed ×1")
        self.assertEqual([event[1:] for event in fast], [event[1:] for event in slow])
        self.assertIn("backgroundTasksExpired", [event[2] for event in slow])
        for one, other in zip(fast, slow):
            self.assertAlmostEqual(one[0], other[0], delta=0.001, msg=f"{one} and {other}")
        self.assertAlmostEqual(next(event[0] for event in slow if event[2] == "backgroundTasksExpired"), 26, delta=0.001)


class RefreshStory(SleeplessTest):
    def schedule(self, kind: str, **needs: bool) -> None:
        form = self.panel.get_by_role("form", name="New request")
        form.get_by_role("radio", name=kind).check()
        for name in needs:
            form.get_by_role("switch", name=name.replace("_", " ").capitalize()).check()
        form.get_by_role("button", name="Schedule").click()
        expect(self.requests).to_contain_text(kind)

    @property
    def requests(self):
        return self.panel.get_by_role("list", name="Pending requests")

    def test_a_refresh_waits_says_why_not_and_has_run_after_a_day(self):
        self.start("refresh")
        expect(self.panel).to_contain_text("Not refreshed yet")
        self.schedule("Refresh")
        expect(self.requests).to_contain_text("the app is in the foreground")
        expect(self.page.get_by_role("list", name="Jobs")).to_contain_text("sleepless.refresh")
        self.go_home()
        self.press("Skip a day")
        self.eventually("a day", lambda: self.phone.screen()["device"]["now"] >= "2026-01-02T09:41")
        self.open_app()
        self.show("refresh")
        expect(self.panel).to_contain_text("Last refresh")
        expect(self.panel.locator(".runs [data-outcome='success']").first).to_be_visible()

    def test_processing_waits_for_power(self):
        self.start("refresh")
        self.schedule("Processing", needs_external_power=True)
        self.page.get_by_role("switch", name="Charger").set_checked(False)
        expect(self.requests).to_contain_text("no external power")
        self.page.get_by_role("switch", name="Charger").set_checked(True)
        expect(self.requests).not_to_contain_text("no external power")
        self.press("Lock")
        self.press("Skip a day")
        self.eventually("a run", lambda: any("processing" in text and "completed" in text for text in self.phone.texts("job")))

    def test_a_simulated_launch_runs_now(self):
        self.start("refresh")
        self.schedule("Refresh")
        self.panel.get_by_role("button", name="Simulate a launch now").click()
        self.advance(5)
        expect(self.panel.locator(".runs")).to_contain_text("success")
        expect(self.panel).to_contain_text("Last refresh: 09:41:03")


if __name__ == "__main__":
    unittest.main(verbosity=2)
