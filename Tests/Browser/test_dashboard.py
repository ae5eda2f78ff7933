"""The dashboard, from click to result. Run: python3 Tests/Browser/test_dashboard.py"""

from __future__ import annotations

import datetime
import json
import re
import time

from playwright.sync_api import expect

import support
from dashboard import DashboardTest


class Jobs(DashboardTest):
    def test_empty(self) -> None:
        """Without a job the page says what to do, and that commands are submitted in a terminal."""
        self.open()
        expect(self.page.locator("#empty")).to_contain_text("apus after 25m -- notify-send tea")
        expect(self.page.locator("#hour-summary")).to_have_text("Nothing is due in the next hour")
        self.picture("dashboard-empty")

    def test_list(self) -> None:
        """The list says what each job is, when it is due, and what its last run came to; the nearest is the first."""
        backup = self.daemon.submit("every", "6h", "--name", "backup", "--label", "team=web", "--", "true")
        tea = self.daemon.submit("after", "25m", "--name", "tea", "--notify", "Tea is ready")
        self.daemon.apus("run", "backup")
        self.wait_for_runs(backup, 1)
        self.open()
        names = self.page.locator(".row[data-id] .name")
        expect(names).to_have_text(["tea", "backup"])
        expect(self.row(tea)).to_contain_text("after 25m")
        expect(self.row(tea)).to_contain_text("notify “Tea is ready”")
        expect(self.row(tea)).to_contain_text(re.compile(r"24:5\d"))
        expect(self.row(backup)).to_contain_text("every 6h")
        expect(self.row(backup)).to_contain_text("succeeded")
        expect(self.row(backup)).to_contain_text(re.compile(r"\d ms late"))
        self.page.get_by_label("Sort").select_option(label="Name")
        expect(names).to_have_text(["backup", "tea"])
        self.page.get_by_label("Search jobs").fill("team=web")
        expect(names).to_have_text(["backup"])
        self.page.get_by_label("Search jobs").fill("missing")
        expect(self.page.locator("#empty")).to_contain_text("No job matches")
        self.button("Clear the search").click()
        expect(names).to_have_count(2)

    def test_ring(self) -> None:
        """A ring counts down, in the list and in the panel, and has words."""
        job = self.daemon.submit("after", "20s", "--name", "eggs", "--notify", "eggs")
        self.open(f"#/job/{job}")
        for ring in (self.row(job).locator(".ring"), self.page.locator(".dial .ring")):
            expect(ring).to_have_attribute("aria-label", "due in less than a minute")
            arc = ring.locator(".arc")
            first = float(arc.get_attribute("stroke-dashoffset") or 0)
            support.wait_for("the ring to move", lambda: float(arc.get_attribute("stroke-dashoffset") or 0) > first + 2)
        left = self.page.locator(".dial .big")
        before = left.text_content()
        expect(left).not_to_have_text(before or "")
        self.assertLess(left.text_content() or "", before or "")

    def test_text_is_text(self) -> None:
        """What a job is called is never read as markup."""
        name = "<img src=x onerror=alert(1)>"
        job = self.daemon.submit("after", "1h", "--name", name, "--notify", "<b>bold</b>")
        self.open(f"#/job/{job}")
        expect(self.row(job).locator(".name")).to_have_text(name)
        expect(self.page.locator("#detail-title")).to_have_text(name)
        self.assertEqual(self.page.locator("main img, main b").count(), 0)

    def test_parked(self) -> None:
        """A job of a kind that the daemon does not know is parked, in the list and in the panel, with its kind."""
        job = self.daemon.submit("every", "1h", "--name", "report", "--", "true")

        def park(route) -> None:
            answer = route.fetch()
            page = answer.json()
            for wire in page.get("jobs", [page]):
                wire.update(kind="app.report", parked=True)
            route.fulfill(response=answer, json=page)

        self.page.route(re.compile(r"/v1/jobs(/[^/]+)?(\?.*)?$"), park)
        self.open(f"#/job/{job}")
        expect(self.row(job)).to_contain_text("parked: no handler for the kind “app.report”")
        expect(self.row(job)).to_contain_text(f"{job} · kind app.report")
        expect(self.row(job).locator(".ring")).to_have_attribute("data-mode", "waiting")
        expect(self.page.locator(".detail .chip").first).to_have_text("parked")
        expect(self.page.locator(".detail .facts")).to_contain_text("parked: no handler for the kind “app.report”")
        self.picture("dashboard-parked")

    def test_suspend_and_resume(self) -> None:
        """Suspend and resume, from the list and from the panel."""
        job = self.daemon.submit("after", "25m", "--name", "tea", "--notify", "tea")
        self.open()
        self.button("Suspend tea").click()
        expect(self.row(job)).to_contain_text(re.compile(r"suspended.*24m \d+s left"))
        self.assertEqual(self.state(job), "suspended")
        self.row(job).locator(".name").click()
        panel = self.page.locator(".detail")
        expect(panel.locator(".chip").first).to_have_text("suspended")
        panel.get_by_role("button", name="Resume").click()
        expect(panel.get_by_role("button", name="Suspend")).to_be_focused()
        expect(panel.locator(".chip").first).to_have_text("scheduled")
        self.assertEqual(self.state(job), "scheduled")

    def test_cancel(self) -> None:
        """Cancelling asks once, and Escape is no; a cancelled job is among the ended ones."""
        job = self.daemon.submit("after", "25m", "--name", "tea", "--notify", "tea")
        self.open()
        cancel = self.button("Cancel tea")
        cancel.click()
        question = self.page.get_by_role("alertdialog")
        expect(question).to_contain_text("This cannot be undone")
        expect(question.get_by_role("button", name="Keep it")).to_be_focused()
        self.page.keyboard.press("Escape")
        expect(question).to_be_hidden()
        expect(cancel).to_be_focused()
        self.assertEqual(self.state(job), "scheduled")
        cancel.click()
        question.get_by_role("button", name="Cancel the job").click()
        expect(self.row(job)).to_have_count(0)
        self.wait_for_state(job, "cancelled")
        self.page.get_by_role("radio", name=re.compile("^Ended")).check()
        expect(self.row(job)).to_contain_text("cancelled")
        self.daemon.apus("delete", job)
        expect(self.row(job)).to_have_count(0)

    def test_run_now(self) -> None:
        """A run by hand begins at once, and is in the list, the history and the job's runs."""
        job = self.daemon.submit("every", "1d", "--name", "backup", "--shell", "--", "echo saved")
        self.open()
        self.button("Run now: backup").click()
        expect(self.row(job)).to_contain_text("succeeded")
        expect(self.page.locator("#history tbody tr").first).to_contain_text("by hand")
        self.page.locator("#history tbody tr").first.get_by_role("link", name="by hand").click()
        expect(self.page.locator(".log")).to_have_text("saved\n")
        self.assertEqual(self.daemon.json("history", job)["runs"][0]["outcome"], "succeeded")

    def test_terminal(self) -> None:
        """What is submitted at a terminal is there at once, and what ends there goes."""
        self.open()
        job = self.daemon.submit("after", "1h", "--name", "from a terminal", "--", "true")
        expect(self.row(job)).to_contain_text("from a terminal")
        expect(self.page.locator("#timeline")).to_contain_text("from a terminal")
        self.daemon.apus("cancel", job)
        expect(self.row(job)).to_have_count(0)


class Runs(DashboardTest):
    def test_why(self) -> None:
        """The decisions about an occurrence are shown with their instants, of the job and of a chosen run, as they change."""
        self.daemon.apus("queue", "pause", "builds")
        job = self.daemon.submit("after", "50ms", "--name", "build", "--queue", "builds", "--priority", "high", "--shell", "--", "exit 3")
        self.open(f"#/job/{job}")
        why = self.page.get_by_role("region", name="Why")
        expect(why).to_contain_text("occurrence 1")
        expect(why.locator("li").first).to_contain_text(re.compile(r"\d\d:\d\d:\d\dit was due by the trigger"))
        expect(why.locator("li[data-code=queuePaused]")).to_have_text('nowthe queue "builds" is paused')
        expect(self.page.locator(".detail .facts")).to_contain_text("builds, priority high")
        self.picture("dashboard-why")
        self.daemon.apus("queue", "resume", "builds")
        expect(why.locator("li[data-code=failed]")).to_contain_text("attempt 1 failed: exit code 3")
        expect(why.locator("li[data-code=queuePaused]")).to_have_count(0)
        self.daemon.apus("run", self.daemon.submit("every", "1d", "--name", "daily", "--", "true"))
        self.page.locator(".row .name", has_text="daily").click()
        expect(why.locator("li")).to_contain_text(["it is due by the trigger"])
        self.page.locator(".detail tbody").get_by_role("link", name="by hand").click()
        expect(why).to_contain_text("run by hand")
        expect(why.locator("li").first).to_contain_text("it was requested by hand")

    def test_live_log(self) -> None:
        """What a run prints appears while it runs, and all of it is there when it has ended."""
        stop = self.daemon.home / "stop"
        line = f'echo begun; until [ -e "{stop}" ]; do sleep 0.1; done; echo done; exit 3'
        job = self.daemon.submit("every", "1d", "--name", "long", "--shell", "--", line)
        self.open()
        self.button("Run now: long").click()
        self.page.locator("#history tbody tr").first.get_by_role("link", name="by hand").click()
        log = self.page.get_by_role("log", name="What it has printed so far")
        expect(log).to_have_text("begun\n")
        expect(self.page.locator(".log-box .chip")).to_have_text("live")
        expect(self.page.locator("#daemon-facts")).to_contain_text("1 running")
        self.assertFalse(stop.exists())
        stop.touch()
        expect(self.page.get_by_role("log", name="What it printed")).to_have_text("begun\ndone\n")
        expect(self.page.locator(".log-box")).to_contain_text("failed: exit code 3")
        expect(self.page.locator(".log-box .chip")).to_be_hidden()
        self.assertEqual(self.daemon.json("history", job)["runs"][0]["exitCode"], 3)

    def test_late_answer(self) -> None:
        """The answer to "Run now" comes after the event that its run has begun, and takes nothing back."""
        stop = self.daemon.home / "stop"
        self.daemon.submit("every", "1d", "--name", "long", "--shell", "--", f'until [ -e "{stop}" ]; do sleep 0.1; done')
        self.open()
        held = []
        self.page.route("**/v1/jobs/*/run", lambda route: held.append((route, route.fetch())))
        self.button("Run now: long").click()
        running = self.page.locator("#daemon-facts").get_by_text("1 running")
        expect(running).to_be_visible()
        [(route, answer)] = held
        self.assertEqual(answer.json()["outcome"], "waiting")
        with self.page.expect_response("**/v1/jobs/*/run"):
            route.fulfill(response=answer)
        # The only sign that the page has handled the answer is the button, which is enabled again.
        expect(self.button("Run now: long")).not_to_have_attribute("aria-busy", "true")
        expect(running).to_be_visible()
        expect(self.page.locator("#history tbody tr").first).to_contain_text("running")
        stop.touch()
        expect(self.page.locator("#daemon-facts")).to_contain_text("idle")

    def test_log_of_before(self) -> None:
        """What a run printed before the page was opened is there when the run has ended."""
        stop = self.daemon.home / "stop"
        job = self.daemon.submit("after", "100ms", "--shell", "--", f'echo begun; until [ -e "{stop}" ]; do sleep 0.1; done')
        running = lambda: (self.daemon.json("show", job)["lastRun"] or {}).get("outcome") == "running"
        support.wait_for("it to run", running)
        time.sleep(0.5)  # It prints at its beginning, and nothing shows when that is done.
        self.open(f"#/job/{job}/run/1/1")
        expect(self.page.locator(".log")).to_have_text("Nothing printed since this page was opened.")
        stop.touch()
        expect(self.page.locator(".log")).to_have_text("begun\n")

    def test_attempts(self) -> None:
        """Each attempt is there, with why it failed and what it printed."""
        job = self.daemon.submit("after", "200ms", "--retry", "1", "--shell", "--", "echo attempt $APUS_ATTEMPT; exit 7")
        self.wait_for_runs(job, 2)
        self.open(f"#/job/{job}")
        rows = self.page.locator(".detail tbody tr")
        expect(rows).to_have_count(2)
        expect(rows.nth(0)).to_contain_text("1, attempt 2")
        expect(rows.nth(1)).to_contain_text("exit code 7, tried again")
        for attempt, row in ((2, 0), (1, 1)):
            rows.nth(row).get_by_role("link").click()
            expect(self.page.locator(".log")).to_have_text(f"attempt {attempt}\n")
        expect(self.page.locator(".log-box")).to_contain_text("2 attempts")

    def test_history(self) -> None:
        """The history has every run of all jobs, newest first, page by page."""
        job = self.daemon.submit("every", "1d", "--name", "many", "--notify", "x")
        connection = self.daemon.connection()
        for _ in range(70):
            connection.ask("POST", f"/v1/jobs/{job}/run")
        connection.close()
        self.wait_for_runs(job, 70)
        self.open()
        rows = self.page.locator("#history tbody tr")
        expect(rows).to_have_count(50)
        self.page.locator("#history").get_by_role("button", name="Load more").click()
        expect(rows).to_have_count(70)
        expect(rows.first).to_contain_text("by hand")
        expect(self.page.locator("#history").get_by_role("button", name="Load more")).to_be_hidden()

    def test_plot(self) -> None:
        """The plot shows the numbers of each run, to the pointer and to the keyboard."""
        good = self.daemon.submit("after", "100ms", "--name", "good", "--", "true")
        self.wait_for_runs(good, 1)
        bad = self.daemon.submit("after", "100ms", "--name", "bad", "--shell", "--", "exit 3")
        self.wait_for_runs(bad, 1)
        self.open()
        plot = self.page.get_by_role("slider", name="Lateness of runs of all jobs")
        readout = self.page.locator("#history .readout")
        expect(readout).to_contain_text("of 2 runs")
        plot.focus()
        expect(readout).to_contain_text(re.compile(r"^bad · occurrence 1 · due .* ms late · failed: exit code 3$"))
        self.page.keyboard.press("ArrowLeft")
        expect(readout).to_contain_text(re.compile(r"^good · .* succeeded$"))
        self.assertEqual(plot.get_attribute("aria-valuetext"), readout.text_content())
        self.page.keyboard.press("Enter")
        expect(self.page.locator("#detail-title")).to_have_text("good")
        readout = self.page.locator(".detail .readout")
        # The plot moves while the pane is filled, and without runs it has nothing to point at.
        expect(readout).to_contain_text("of 1 run")
        plot = self.page.get_by_role("slider", name="Lateness of Runs of this job")
        box = plot.bounding_box()
        assert box
        plot.hover(position={"x": box["width"] - 14, "y": 40})
        expect(readout).to_contain_text("succeeded")

    def test_running(self) -> None:
        """A job that runs says so, and for how long, also after occurrences that were skipped meanwhile."""
        job = self.daemon.submit("every", "300ms", "--count", "5", "--shell", "--", "sleep 600")
        support.wait_for("the skips", lambda: self.daemon.json("show", job)["occurrences"] == 4)
        self.open()
        expect(self.row(job).locator(".c-last")).to_have_text(re.compile(r"^running\s*for \d+s$"))
        self.daemon.apus("cancel", job)

    def test_skipped(self) -> None:
        """An occurrence that did not run is there, with its reason and without a lateness."""
        job = self.daemon.submit("every", "300ms", "--count", "3", "--shell", "--", "sleep 0.5")
        self.wait_for_state(job, "finished")
        self.open(f"#/job/{job}")
        expect(self.page.locator(".detail tbody tr").filter(has_text="skipped").first).to_contain_text("overlap")
        expect(self.page.locator(".detail .legend")).to_contain_text("skipped")


class Forms(DashboardTest):
    def test_countdown(self) -> None:
        """A new countdown: what is wrong is said beside the field; its end is announced."""
        self.expect_trouble("400")
        self.open()
        self.button("New countdown").click()
        dialog = self.page.get_by_role("dialog", name="New countdown")
        start = dialog.get_by_role("button", name="Start")
        how_long = dialog.get_by_label("How long")
        start.click()
        expect(dialog.locator("[data-field=after] .problem")).to_contain_text("Enter a duration")
        expect(how_long).to_be_focused()
        expect(how_long).to_have_attribute("aria-invalid", "true")
        how_long.fill("soon")
        expect(dialog.locator("[data-field=after] .problem")).to_have_text("")
        start.click()
        expect(dialog.locator("[data-field=after] .problem")).to_contain_text("“soon” is not a duration")
        dialog.get_by_role("button", name="25 min").click()
        expect(how_long).to_have_value("25m")
        how_long.fill("2s")
        dialog.get_by_label("Name").fill("é" * 256)
        start.click()
        expect(dialog.locator("[data-field=name] .problem")).to_contain_text("1 to 255 characters")
        dialog.get_by_label("Name").fill("eggs")
        start.click()
        expect(dialog).to_be_hidden()
        expect(self.page.locator("#detail-title")).to_have_text("eggs")
        expect(self.toast("The countdown has ended.")).to_contain_text("eggs")
        self.assertEqual(self.daemon.json("show", "eggs")["kind"], "countdown")

    def test_time_of_day(self) -> None:
        """A countdown to a time of day means the next time that clocks show it."""
        self.open()
        self.button("New countdown").click()
        self.page.get_by_role("radio", name="Until a time").check()
        self.page.get_by_role("dialog").get_by_label("Time", exact=True).fill("23:59")
        self.button("Start").click()
        expect(self.page.locator("#detail-title")).to_be_visible()
        job = self.daemon.json("list")["jobs"][0]
        self.assertRegex(job["nextDue"], r"T23:59:00\.000Z$")

    def test_notification(self) -> None:
        """A new notification is submitted, and shown when it is due."""
        self.open()
        self.button("New notification").click()
        dialog = self.page.get_by_role("dialog", name="New notification")
        submit = dialog.get_by_role("button", name="Submit")
        submit.click()
        expect(dialog.locator("[data-field=text] .problem")).to_contain_text("Enter the text of the notification")
        dialog.get_by_label("Text").fill("Tea is ready")
        dialog.get_by_label("After", exact=True).fill("1s")
        submit.click()
        expect(self.toast("Tea is ready")).to_be_visible()
        self.page.get_by_role("button", name=re.compile("^Close: ")).click()
        expect(self.page.locator(".toast")).to_have_count(0)

    def test_repeated_notification(self) -> None:
        """A notification that repeats, from a time of day on."""
        self.open()
        self.button("New notification").click()
        dialog = self.page.get_by_role("dialog", name="New notification")
        dialog.get_by_label("Text").fill("Stand up")
        dialog.get_by_role("radio", name="Repeat").check()
        dialog.get_by_label("Every", exact=True).fill("1 d")
        dialog.get_by_label("Starting at this time of day").fill("09:00")
        dialog.get_by_role("button", name="Submit").click()
        expect(dialog).to_be_hidden()
        job = self.daemon.json("list")["jobs"][0]
        self.assertEqual(job["trigger"]["every"], "P1D")
        self.assertRegex(job["nextDue"], r"T09:00:00\.000Z$")

    def test_many_notifications(self) -> None:
        """Many notifications at once do not cover the page: they are counted."""
        self.open()
        at = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=3)
        connection = self.daemon.connection()
        for number in range(8):
            trigger = {"at": at.isoformat(timespec="milliseconds")}
            connection.ask("POST", "/v1/jobs", {"trigger": trigger, "action": {"notify": f"text {number}"}})
        connection.close()
        expect(self.toast("more at this moment")).to_be_visible()
        self.assertLessEqual(self.page.locator(".toast").count(), 4)


class Connection(DashboardTest):
    REFUSED = "ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_SOCKET_NOT_CONNECTED"

    def test_restart(self) -> None:
        """The daemon is killed and comes back: the page says so, continues, and shows what happened meanwhile."""
        self.expect_trouble(self.REFUSED)
        job = self.daemon.submit("after", "3s", "--name", "tea", "--", "true")
        self.open()
        self.daemon.kill()
        state = self.page.locator("#daemon-state")
        expect(state).to_have_text(re.compile("Reconnecting|Stopped"))
        expect(self.button("Try now")).to_be_visible()
        expect(state).to_have_text("Stopped")
        expect(self.page.get_by_role("alert").filter(has_text="No daemon answers")).to_contain_text("apus serve --http")
        self.picture("dashboard-stopped")
        self.daemon.start()
        self.wait_for_runs(job, 1)
        self.button("Try now").click()
        expect(state).to_have_text("Connected")
        expect(self.row(job)).to_have_count(0)
        expect(self.page.locator("#history tbody tr").first).to_contain_text("succeeded")
        self.assertTrue(self.page.locator("#banner").is_hidden())
        after = self.daemon.submit("after", "1h", "--name", "after the restart", "--", "true")
        expect(self.row(after)).to_be_visible()

    def test_busy_daemon(self) -> None:
        """A stream that is refused for now (503) is asked for again."""
        self.expect_trouble("503")
        asked = []

        def answer(route) -> None:
            asked.append(time.monotonic())
            if len(asked) > 2:
                return route.continue_()
            route.fulfill(status=503, headers={"retry-after": "1"}, json={"error": {"code": "full", "message": "64 streams are open"}})

        self.page.route("**/v1/events*", answer)
        self.page.goto(self.daemon.url)
        expect(self.page.locator("#daemon-state")).to_have_text("Connected")
        self.assertEqual(len(asked), 3)

    def test_lost_events(self) -> None:
        """When events were left out, everything is read again, on the stream that is open."""
        self.context.add_init_script(
            "window.EventSource = class extends EventSource { constructor(...all) { super(...all); window.stream = this; } };")
        job = self.daemon.submit("after", "1h", "--name", "tea", "--", "true")
        self.open()
        expect(self.page.get_by_role("radio", name="Ended 0", exact=True)).to_be_visible()
        asked = []
        self.page.on("request", lambda request: asked.append(request.url))
        def lost(events: int) -> None:
            self.page.evaluate(
                "data => stream.dispatchEvent(new MessageEvent('lost', { data }))",
                json.dumps({"events": events, "outputBytes": 70_000}))

        lost(0)
        lost(3)
        for path in ("/v1/jobs?", "/v1/runs?", "/v1/health"):
            support.wait_for(path, lambda: self.page.evaluate("0") == 0 and any(path in url for url in asked))
        self.assertFalse(any("/v1/events" in url for url in asked))
        self.assertEqual(sum("/v1/health" in url for url in asked), 1, "output alone is no reason")
        expect(self.row(job)).to_be_visible()

    def test_signed_out(self) -> None:
        """A cookie that is not good any more: the page says where to get another one."""
        self.expect_trouble("401")
        self.open()
        refusal = {"error": {"code": "unauthorized", "message": "open the address that `apus serve` printed"}}
        self.page.route("**/v1/**", lambda route: route.fulfill(status=401, json=refusal))
        self.daemon.kill()
        self.expect_trouble(self.REFUSED)
        expect(self.page.locator("#daemon-state")).to_have_text("Signed out")
        expect(self.page.get_by_role("alert").filter(has_text="Open the address")).to_be_visible()

    def test_wrong_token(self) -> None:
        """Without the right token there is a page that says what to do, and nothing else."""
        self.expect_trouble("401", "favicon")
        for path in ("/", "/?token=wrong"):
            answer = self.page.goto(self.daemon.origin + path)
            assert answer
            self.assertEqual(answer.status, 401)
            expect(self.page.locator("body")).to_contain_text("apus serve")
        answer = self.page.goto(self.daemon.origin + "/v1/jobs")
        assert answer
        self.assertEqual(answer.status, 401)
        self.open()
        self.assertEqual(self.page.url, self.daemon.origin + "/", "the token is left in the address")

    def test_no_commands(self) -> None:
        """A page cannot submit a command, whatever its script asks for."""
        self.expect_trouble("403")
        self.open()
        answer = self.page.evaluate(
            """async () => {
              const command = { argv: ['touch', 'evil'], shell: false, env: {} };
              const body = JSON.stringify({ trigger: { after: '1s' }, action: { command } });
              const answer = await fetch('/v1/jobs', { method: 'POST', body, headers: { 'content-type': 'application/json' } });
              return [answer.status, (await answer.json()).error.code];
            }""")
        self.assertEqual(answer, [403, "forbidden"])
        self.assertEqual(self.daemon.json("list", "--all")["jobs"], [])


if __name__ == "__main__":
    support.main()
