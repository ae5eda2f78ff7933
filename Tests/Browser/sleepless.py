"""What the tests of Sleepless share: its server with a phone that stands still, and what a user does on its page.

Environment, beside what `support.py` reads:

    APUS_SLEEPLESS_BINARY   the server                       (.build/debug/Sleepless)
    APUS_SLEEPLESS_WEB      the folder of the page           (the page that the server was built with)
"""

from __future__ import annotations

import http.client
import json
import os
import pathlib
import time
from typing import Any, Callable

from playwright.sync_api import Locator, Page, expect

from support import PATIENCE, ROOT, BrowserTest, Server, free_port

BINARY = pathlib.Path(os.environ.get("APUS_SLEEPLESS_BINARY", ROOT / ".build/debug/Sleepless"))
WEB = os.environ.get("APUS_SLEEPLESS_WEB")

SEED = 7
TABS = {
    "timer": "Timer",
    "countdown": "Countdown",
    "todo": "To-do",
    "audio": "Audio",
    "location": "Location",
    "completion": "Completion",
    "refresh": "Refresh",
    "lessons": "Lessons",
}
SIZES = {390: 844, 820: 1180, 1440: 900}

# Counts how often the phone shakes.
COUNT_SHAKES = """
window.shakes = 0;
const animate = Element.prototype.animate;
Element.prototype.animate = function (...rest) {
  if (this.classList.contains('phone')) window.shakes += 1;
  return animate.apply(this, rest);
};
"""


class Answer:
    def __init__(self, status: int, text: str):
        self.status = status
        self.text = text

    @property
    def json(self) -> Any:
        return json.loads(self.text)


class Sleepless:
    """The server, and its HTTP interface as a script uses it."""

    def __init__(self, *options: str, speed: float = 0, port: int | None = None, environment: dict[str, str] | None = None):
        self.port = port or free_port()
        if "--host" not in options:
            options = ("--seed", str(SEED), "--speed", str(speed), *options)
        if WEB:
            options = (*options, "--web", WEB)
        self.server = Server(
            [str(BINARY), "--port", str(self.port), *options], environment, r"Sleepless: open (http://\S+)"
        )

    @property
    def url(self) -> str:
        return self.server.url

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def request(self, method: str, path: str, body: Any = None, raw: bytes | None = None, **headers: str) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        content = raw if raw is not None else b"" if body is None else json.dumps(body).encode()
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            connection.request(method, path, body=content or None, headers={"content-type": "application/json", **fields})
            answer = connection.getresponse()
            return Answer(answer.status, answer.read().decode())
        finally:
            connection.close()

    def post(self, path: str, body: Any = None) -> Any:
        answer = self.request("POST", path, {} if body is None else body)
        if answer.status != 200:
            raise AssertionError(f"POST {path}: {answer.status} {answer.text}")
        return answer.json

    def make_fault(self) -> None:
        """The app leaks a background task, for which the system ends it a minute after Home."""
        self.post("/device/open")
        self.post("/app/lessons/mistake", {"kind": "leakedTask"})
        self.post("/device/advance", {"seconds": 1})
        self.post("/device/home")
        self.post("/device/advance", {"seconds": 60})

    def screen(self) -> Any:
        return self.request("GET", "/screen").json

    def log(self) -> list[dict[str, Any]]:
        events: list[dict[str, Any]] = []
        after = 0
        while True:
            page = self.request("GET", f"/device/log?after={after}").json
            events += page["events"]
            if not page["events"]:
                return events
            after = page["next"]

    def texts(self, kind: str) -> list[str]:
        return [event["text"] for event in self.log() if event["kind"] == kind]

    def stop(self) -> None:
        self.server.stop()

    def kill(self) -> None:
        self.server.kill()


class SleeplessTest(BrowserTest):
    """A test with a phone of its own, whose time stands still until the test advances it."""

    speed: float = 0

    def setUp(self) -> None:
        self.phone = Sleepless(speed=self.speed)
        self.addCleanup(lambda: self.phone.stop())
        super().setUp()
        # A page that is left or loaded again ends its stream.
        self.expect_trouble(r"request failed: GET \S+/events: net::ERR_ABORTED")
        self.visit()

    def visit(self, page: Page | None = None) -> Page:
        page = page or self.page
        page.add_init_script(COUNT_SHAKES)
        page.goto(self.phone.url)
        expect(page.locator("#connection")).to_have_text("Connected")
        expect(page.locator(".screen")).to_have_attribute("data-showing", "home")
        return page

    # What the hands do.

    def press(self, name: str, exact: bool = True) -> None:
        self.page.get_by_role("button", name=name, exact=exact).click()

    def open_app(self) -> None:
        self.page.get_by_role("button", name="Open Sleepless", exact=True).click()
        self.is_showing("app")
        expect(self.page.locator(".launch")).to_be_hidden()
        # A press on what still moves can begin on one element and end on another: then it clicks neither.
        self.app.evaluate("app => Promise.allSettled(app.getAnimations().map((one) => one.finished))")

    def show(self, tab: str) -> None:
        self.page.get_by_role("tab", name=TABS[tab], exact=True).click()
        expect(self.app).to_have_attribute("data-tab", tab)

    def start(self, tab: str) -> None:
        self.open_app()
        self.show(tab)

    def go_home(self) -> None:
        self.press("Home")
        self.is_showing("home")

    def advance(self, seconds: float) -> None:
        """With the page's own control; when this returns, the phone and the page are there."""
        form = self.page.get_by_role("form", name="Advance the time")
        form.get_by_label("Advance").fill(str(seconds))
        with self.page.expect_response("**/device/advance") as answer:
            form.get_by_role("button", name="Go").click()
        answer.value.finished()
        self.catch_up()

    def catch_up(self) -> None:
        """Waits until the page has drawn what the server answered."""
        self.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    # What is to be seen.

    def picture(self, name: str, page: Page | None = None, **options: Any) -> pathlib.Path:
        # Not in the middle of a movement.
        (page or self.page).wait_for_timeout(350)
        return super().picture(name, page, **options)

    @property
    def app(self) -> Locator:
        return self.page.locator(".app")

    @property
    def panel(self) -> Locator:
        """The screen of the app that is shown."""
        return self.app.get_by_role("tabpanel")

    def is_showing(self, what: str) -> None:
        expect(self.page.locator(".screen")).to_have_attribute("data-showing", what)

    def process_is(self, what: str) -> None:
        expect(self.page.locator(".state")).to_have_attribute("data-process", what)

    def eventually(self, what: str, condition: Callable[[], Any], patience: float = PATIENCE) -> Any:
        end = time.monotonic() + patience
        while True:
            value = condition()
            if value:
                return value
            if time.monotonic() > end:
                raise AssertionError(f"waited {patience:.0f} s for {what}")
            self.page.wait_for_timeout(40)
