"""The lessons of Sleepless: right beside wrong, and mistakes with their faults."""

from __future__ import annotations

import unittest

from playwright.sync_api import expect

from sleepless import SleeplessTest


class LessonsStory(SleeplessTest):
    def lesson(self, name: str):
        return self.panel.get_by_role("region", name=name)

    def lessons(self):
        return self.phone.screen()["app"]["lessons"]

    def test_a_timer_of_the_default_mode_waits_while_the_user_scrolls(self):
        self.start("lessons")
        self.panel.get_by_role("switch", name="Tick each second").check()
        self.eventually("a ticker", lambda: self.lessons()["ticks"]["isOn"])
        self.advance(5)
        self.phone.post("/device/scroll", {"seconds": 10})
        lesson = self.lesson("Timers and scrolling")
        expect(lesson).to_contain_text("Common modes15")
        ticks = self.lessons()["ticks"]
        self.assertLess(ticks["inDefaultMode"], 8)
        self.assertEqual(ticks["inCommonModes"], 15)

    def test_with_tolerance_three_timers_wake_the_app_six_times_and_not_eighteen(self):
        self.start("lessons")
        lesson = self.lesson("Tolerance")
        lesson.get_by_role("button", name="Run three timers for a minute").click()
        self.eventually("timers", lambda: self.lessons()["wakeUps"])
        expect(lesson.get_by_role("button")).to_be_disabled()
        self.advance(70)
        expect(lesson).to_contain_text("Wake-ups of the app18")
        lesson.get_by_role("combobox", name="Tolerance").select_option("5")
        lesson.get_by_role("button", name="Run three timers for a minute").click()
        self.eventually("timers", lambda: not self.lessons()["wakeUps"]["isOver"])
        self.advance(70)
        expect(lesson).to_contain_text("Fired18")
        expect(lesson).to_contain_text("Wake-ups of the app6")

    def test_a_timer_of_ten_milliseconds_ticks_for_frames_that_there_are_not(self):
        self.start("lessons")
        lesson = self.lesson("Timer or display link")
        lesson.get_by_role("button", name="Count for two seconds").click()
        self.eventually("frames", lambda: self.lessons()["frames"])
        self.advance(3)
        self.eventually("an end", lambda: self.lessons()["frames"]["isOver"])
        frames = self.lessons()["frames"]
        self.assertLess(abs(frames["frames"] - 120), 2)
        self.assertGreater(frames["ticks"], 198)

    def test_an_export_continues_after_home_and_the_user_can_cancel_it(self):
        self.start("lessons")
        lesson = self.lesson("Continued work")
        lesson.get_by_role("button", name="Export 30 pictures").click()
        self.eventually("an export", lambda: self.lessons()["export"])
        self.advance(10)
        self.go_home()
        running = self.page.get_by_role("list", name="Running work")
        expect(running).to_contain_text("Export: running")
        self.picture("sleepless-export")
        running.get_by_role("button", name="Cancel sleepless.export as the user").click()
        self.advance(1)
        expect(running.get_by_role("listitem")).to_have_count(0)
        self.open_app()
        expect(lesson).to_contain_text("cancelled")

    def test_each_mistake_ends_the_app_with_a_fault_that_says_what_to_do(self):
        for name, rule, advice in (
            ("Leak a background task", "backgroundTaskNotEnded", "the background task “leaked” was not ended in time"),
            ("Take eight seconds to wind up", "slowHandlers", "expiration handlers"),
            ("Forget to complete a refresh", "jobNotCompleted", "the background job “sleepless.endless” was not completed in time"),
        ):
            with self.subTest(rule):
                self.phone.post("/device/reset")
                self.start("lessons")
                self.panel.get_by_role("list", name="Mistakes").get_by_role("button", name=name).click()
                self.eventually("a mistake", lambda: self.lessons()["mistakes"])
                self.advance(1)
                self.go_home()
                self.advance(60)
                self.process_is("none")
                faults = self.page.get_by_role("list", name="Faults")
                expect(faults).to_contain_text(rule)
                expect(faults).to_contain_text(advice)
        self.picture("sleepless-fault")


class DeveloperStory(SleeplessTest):
    def test_audio_stops_with_home_when_the_mode_is_not_declared(self):
        self.page.get_by_role("switch", name="Mode: Audio").uncheck()
        self.eventually("a manifest", lambda: "audio" not in self.phone.screen()["device"]["modes"])
        self.start("audio")
        self.phone.post("/app/audio/play")
        self.go_home()
        self.advance(10)
        self.process_is("suspended")
        self.page.get_by_role("switch", name="Mode: Audio").check()
        self.eventually("a manifest", lambda: "audio" in self.phone.screen()["device"]["modes"])
        self.start("audio")
        self.phone.post("/app/audio/play")
        self.go_home()
        self.advance(10)
        self.process_is("background")

    def test_a_request_is_launched_and_its_run_expires_as_the_debugger_says(self):
        self.start("refresh")
        self.phone.post("/app/refresh/schedule", {"kind": "processing", "earliest": 3600})
        self.go_home()
        self.press("Simulate the launch of sleepless.processing")
        self.advance(1)
        running = self.page.get_by_role("list", name="Running work")
        expect(running).to_contain_text("sleepless.processing: running")
        self.press("Simulate the expiration of sleepless.processing")
        self.advance(1)
        expect(running.get_by_role("listitem")).to_have_count(0)
        self.open_app()
        self.eventually("a run", lambda: self.phone.screen()["app"]["refresh"]["runs"][0]["outcome"] == "expired")

    def test_a_job_that_is_not_there_is_refused_with_those_that_are(self):
        answer = self.phone.request("POST", "/device/expire-job", {"id": "sleepless.refresh"})
        self.assertEqual(answer.status, 404)
        self.assertIn("is running; none is", answer.text)
        answer = self.phone.request("POST", "/device/declare", {"mode": "voip", "on": True})
        self.assertEqual(answer.status, 400)
        self.assertIn("audio", answer.text)

    def test_the_screen_locks_itself_after_a_minute_without_a_touch(self):
        self.page.get_by_label("Auto-lock").select_option("60")
        self.eventually("a setting", lambda: self.phone.screen()["device"]["autoLock"] == 60)
        self.start("timer")
        self.advance(50)
        self.phone.post("/app/timer/go", {"delay": 1000, "repeat": None})
        self.advance(50)
        self.process_is("active")
        self.advance(12)
        self.is_showing("lock")

    def test_the_permission_for_notifications_is_seen(self):
        notices = self.page.get_by_text("The user has not been asked yet.")
        expect(notices).to_be_visible()
        self.open_app()
        expect(self.page.get_by_text("The user allows them.")).to_be_visible()
        self.page.get_by_role("switch", name="Notifications allowed").uncheck()
        expect(self.page.get_by_text("The user does not allow them: none is shown.")).to_be_visible()


if __name__ == "__main__":
    unittest.main()
