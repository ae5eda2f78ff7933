"""What the browser tests share: a server of ours in a folder of its own, and a browser that notices trouble.

Needs Python 3.11 or later, the packages of requirements.txt and a Chromium, whose headless shell takes half of the
processor's time. Environment:

    APUS_BINARY             the apus command                 (.build/debug/apus)
    APUS_BROWSER            the browser                      (chromium-headless-shell, or chromium)
    APUS_BROWSER_ARTIFACTS  where pictures are kept          (.build/browser)
    APUS_BROWSER_VISIBLE    if set, the browser has a window; it must be another than the headless shell
    APUS_BROWSER_POSTGRES   if set, each daemon has a new database on the server that PGHOST and its like name
"""

from __future__ import annotations

import atexit
import http.client
import json
import os
import pathlib
import queue
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest
from typing import Any, Callable

from looks import Looks
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, expect, sync_playwright

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = pathlib.Path(os.environ.get("APUS_BINARY", ROOT / ".build/debug/apus"))
ARTIFACTS = pathlib.Path(os.environ.get("APUS_BROWSER_ARTIFACTS", ROOT / ".build/browser"))

# Nothing of a browser that talks to its maker, and nothing that a container does not have.
BROWSER_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

# How long something that has to happen may take. It is the limit of a wait, never what is asserted.
PATIENCE = 20.0
expect.set_options(timeout=PATIENCE * 1000)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(what: str, condition: Callable[[], Any], patience: float = PATIENCE) -> Any:
    """The first true value of `condition`; a failure that says what did not come otherwise.

    With a page, `condition` must call something of Playwright: only then are the page's events handled.
    """
    end = time.monotonic() + patience
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"waited {patience:.0f} s for {what}")
        time.sleep(0.03)


class Server:
    """A program that prints its address and serves until it is stopped."""

    def __init__(self, arguments: list[str], environment: dict[str, str] | None = None, address: str = r"(http://\S+)"):
        self.lines: list[str] = []
        self._coming: queue.Queue[str | None] = queue.Queue()
        self.process = subprocess.Popen(
            arguments,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            # A group of its own, which ends with it.
            start_new_session=True,
        )
        threading.Thread(target=self._read, daemon=True).start()
        self.url = self._wait_for_line(address)

    def _read(self) -> None:
        assert self.process.stdout
        with self.process.stdout as output:
            for line in output:
                self.lines.append(line.rstrip("\n"))
                self._coming.put(line)
        self._coming.put(None)

    def _wait_for_line(self, pattern: str) -> str:
        end = time.monotonic() + PATIENCE
        while True:
            try:
                line = self._coming.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                line = None
            if line is None:
                self.kill()
                raise AssertionError(f"it printed no {pattern}, but:\n" + "\n".join(self.lines))
            if found := re.search(pattern, line):
                return found.group(1)

    def _has_ended(self) -> bool:
        """Whether it has ended; it keeps its number, and the group that is named so."""
        if self.process.returncode is not None:
            return True
        return os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def _end_group(self) -> int:
        """Ends it with what it has started, which may hold its output open."""
        if self.process.returncode is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        return self.process.wait()

    def stop(self) -> int:
        """Asks it to end, and waits until it has."""
        if not self._has_ended():
            os.kill(self.process.pid, signal.SIGTERM)
            end = time.monotonic() + PATIENCE
            while not self._has_ended() and time.monotonic() < end:
                time.sleep(0.02)
        return self._end_group()

    def kill(self) -> None:
        """As `kill -9` does."""
        self._end_group()


class SocketConnection(http.client.HTTPConnection):
    """HTTP on the daemon's own socket, as the command speaks it."""

    def __init__(self, path: pathlib.Path) -> None:
        super().__init__("apus", timeout=60)
        self.path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(60)
        self.sock.connect(str(self.path))

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        self.request(method, path, None if body is None else json.dumps(body), {"content-type": "application/json"})
        answer = self.getresponse()
        content = json.loads(answer.read())
        if answer.status >= 300:
            raise AssertionError(f"{method} {path}: {answer.status} {content}")
        return content


class Daemon:
    """`apus serve --http` with a home of its own, which survives `kill` and `start`."""

    def __init__(self) -> None:
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="apus-browser-"))
        self.port = free_port()
        self.server: Server | None = None
        self.store: dict[str, str] = {}
        if "APUS_BROWSER_POSTGRES" in os.environ:
            database = self.home.name.replace("-", "_")
            subprocess.run(["createdb", database], check=True)
            self.store = {"APUS_STORE": f"postgres:///{database}"}
        self.start()

    def start(self) -> None:
        self.server = Server(
            [str(BINARY), "serve", "--http", f"127.0.0.1:{self.port}"],
            self.environment,
            rf"(http://127\.0\.0\.1:{self.port}/\?token=\w+)",
        )

    @property
    def environment(self) -> dict[str, str]:
        # No bus: a notification of a test must not appear on a desktop.
        bus = "unix:path=/nonexistent"
        return {"APUS_HOME": str(self.home), "DBUS_SESSION_BUS_ADDRESS": bus, "TZ": "UTC", **self.store}

    @property
    def url(self) -> str:
        assert self.server
        return self.server.url

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def token(self) -> str:
        return self.url.rpartition("=")[2]

    def apus(self, *arguments: str) -> str:
        """Runs the command as at a terminal, and gives what it printed."""
        done = subprocess.run(
            [str(BINARY), *arguments],
            env={**os.environ, **self.environment},
            # The folder is shown with the job: the same in every picture.
            cwd="/",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
        )
        if done.returncode:
            raise AssertionError(f"apus {' '.join(arguments)}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def connection(self) -> SocketConnection:
        """For many requests: the command is a process for each."""
        return SocketConnection(self.home / "apus.sock")

    def json(self, *arguments: str) -> Any:
        return json.loads(self.apus(*arguments, "--json"))

    def submit(self, *arguments: str) -> str:
        """Submits a job with the command; its identifier."""
        options, dashes, command = list(arguments), [], []
        if "--" in options:
            at = options.index("--")
            options, dashes, command = options[:at], ["--"], options[at + 1 :]
        return json.loads(self.apus(*options, "--json", *dashes, *command))["id"]

    def kill(self) -> None:
        assert self.server
        self.server.kill()

    def end(self) -> None:
        if self.server:
            self.server.stop()
        shutil.rmtree(self.home, ignore_errors=True)


class OneBrowser:
    """The one browser of a run of tests: to start it takes longer than most tests."""

    _playwright: Playwright | None = None
    _browser: Browser | None = None

    @classmethod
    def get(cls) -> Browser:
        # One that has died takes its one test with it, and not those that follow.
        if cls._browser and not cls._browser.is_connected():
            cls.close()
        if cls._browser is None:
            cls._playwright = sync_playwright().start()
            cls._browser = cls._playwright.chromium.launch(
                executable_path=os.environ.get("APUS_BROWSER") or shutil.which("chromium-headless-shell") or shutil.which("chromium"),
                headless="APUS_BROWSER_VISIBLE" not in os.environ,
                args=BROWSER_FLAGS,
            )
            atexit.register(cls.close)
        return cls._browser

    @classmethod
    def close(cls) -> None:
        if cls._browser:
            cls._browser.close()
        if cls._playwright:
            cls._playwright.stop()
        cls._browser = cls._playwright = None


# The console logs what a policy forbids. The page's own code could hide that, but not an event in its capture phase.
WATCH_POLICY = """
addEventListener('securitypolicyviolation', (event) => {
  console.error('content security policy: ' + event.violatedDirective + ' ' + event.blockedURI);
}, true);
"""


class BrowserTest(Looks, unittest.TestCase):
    """A test with a page. It fails on every error of the page that it did not expect."""

    viewport = {"width": 1440, "height": 900}

    def setUp(self) -> None:
        self.trouble: list[str] = []
        self._expected: list[str] = []
        self._contexts: list[BrowserContext] = []
        self.context = self.new_context()
        self.page = self.new_page(self.context)

    def tearDown(self) -> None:
        result = self._outcome.result
        failed = any(test is self for test, _ in [*result.failures, *result.errors])
        try:
            if failed and not self.page.is_closed():
                self.picture(f"failed-{self._testMethodName}")
            for page in self.context.pages:
                page.evaluate("0")  # what the page has reported until now is handled meanwhile
        finally:
            trouble = [one for one in self.trouble if not any(re.search(pattern, one) for pattern in self._expected)]
            self.trouble = []
            for context in self._contexts:
                # An answer that is still on its way would otherwise be an error of the next test.
                for page in context.pages:
                    page.unroute_all(behavior="ignoreErrors")
                context.close()
        self.assertEqual(trouble, [], "the page had trouble that the test did not expect")

    def new_context(self, **options: Any) -> BrowserContext:
        context = OneBrowser.get().new_context(**{"viewport": self.viewport, "timezone_id": "UTC", **options})
        context.set_default_timeout(PATIENCE * 1000)
        context.add_init_script(WATCH_POLICY)
        self._contexts.append(context)
        return context

    def new_page(self, context: BrowserContext) -> Page:
        page = context.new_page()
        page.on(
            "console",
            lambda message: self._note(message.type == "error", f"console: {message.text} ({message.location.get('url')})"),
        )
        page.on("pageerror", lambda error: self._note(True, f"page error: {error}"))
        page.on(
            "requestfailed",
            # What the page itself gave up is no trouble.
            lambda request: self._note(request.failure != "net::ERR_ABORTED", f"request failed: {request.method} {request.url}: {request.failure}"),
        )
        page.on(
            "response",
            lambda answer: self._note(answer.status >= 400, f"response: {answer.status} {answer.request.method} {answer.url}"),
        )
        return page

    def _note(self, is_trouble: bool, text: str) -> None:
        if is_trouble:
            self.trouble.append(text)

    def expect_trouble(self, *patterns: str) -> None:
        """What of the page's errors (a regular expression each) this test is about."""
        self._expected += patterns

    def picture(self, name: str, page: Page | None = None, **options: Any) -> pathlib.Path:
        ARTIFACTS.mkdir(parents=True, exist_ok=True)
        path = ARTIFACTS / f"{name}.png"
        (page or self.page).screenshot(path=str(path), **options)
        return path


def main() -> None:
    unittest.main(verbosity=2)
