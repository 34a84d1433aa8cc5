"""A headless Chromium, driven through chromedriver by the WebDriver protocol, without a package for it."""

from __future__ import annotations

import http.client
import json
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["Browser", "absent", "running_browser"]

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
# Nothing here may leave the machine, so everything that a browser does by itself is off.
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-default-apps",
    "--disable-dev-shm-usage",
    "--disable-features=Translate,OptimizationHints,MediaRouter",
    "--no-proxy-server",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
PATIENCE = 60.0


def absent():
    """Why there is no browser here; empty where there is one."""
    if shutil.which("chromedriver") is None:
        return "no chromedriver: install Debian's packages chromium and chromium-driver"
    if not any(map(shutil.which, BROWSERS)):
        return "no chromium: install Debian's packages chromium and chromium-driver"
    return ""


class Browser:
    """One browser window.

    Args:
        port: Where chromedriver listens.
        profile: A new folder for the browser's own files.
    """

    def __init__(self, port: int, profile: Path):
        self._port = port
        binary = next(path for path in map(shutil.which, BROWSERS) if path)
        options = {"binary": binary, "args": [*FLAGS, f"--user-data-dir={profile}"]}
        wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        made = self._ask("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self._session = f"/session/{made['sessionId']}"

    def open(self, url):
        """Go to a page and wait until it has loaded."""
        self._say("/url", {"url": url})

    def run(self, script, *arguments):
        """Run JavaScript, the body of a function, and give what it returns."""
        return self._say("/execute/sync", {"script": script, "args": list(arguments)})

    def wait_for(self, script):
        """Wait until JavaScript gives something true, and give that.

        Raises:
            AssertionError: It did not.
        """
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            if found := self.run(script):
                return found
            time.sleep(0.05)
        msg = f"never came true: {script}"
        raise AssertionError(msg)

    def devtools(self, command, **parameters):
        """Send a command of the DevTools protocol."""
        return self._say("/goog/cdp/execute", {"cmd": command, "params": parameters})

    def complaints(self):
        """What the console said since it was last asked, warnings and errors."""
        entries = self._say("/se/log", {"type": "browser"})
        return [each["message"] for each in entries if each["level"] in {"WARNING", "SEVERE"}]

    def quit(self):
        """Close it."""
        self._ask("DELETE", self._session)

    def _say(self, path, body):
        return self._ask("POST", self._session + path, body)

    def _ask(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)
        try:
            text = None if body is None else json.dumps(body)
            connection.request(method, path, text, {"Content-Type": "application/json"})
            answer = json.loads(connection.getresponse().read())["value"]
        finally:
            connection.close()
        if isinstance(answer, dict) and "error" in answer:
            raise RuntimeError(f"{method} {path}: {answer['message']}")
        return answer


@contextmanager
def running_browser(profile: Path) -> Iterator[Browser]:
    """Start chromedriver and a browser; end both."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        port = found.getsockname()[1]
    with (profile / "driver.log").open("w") as log:
        driver = subprocess.Popen(["chromedriver", f"--port={port}"], stdout=log, stderr=log)
        try:
            _await_driver(driver, port)
            browser = Browser(port, profile / "profile")
            try:
                yield browser
            finally:
                browser.quit()
        finally:
            driver.terminate()
            driver.wait(PATIENCE)


def _await_driver(driver, port):
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        assert driver.poll() is None, "chromedriver ended at once"
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError("chromedriver does not answer")
