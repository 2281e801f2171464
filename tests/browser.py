"""Chromium without a window, driven through its driver; for tests that look at pages.

It needs ``chromium`` and ``chromedriver`` as the system packages them, and no package of Python.
"""

import base64
import json
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

INSTALL = "apt-get install chromium chromium-driver"
"""What installs the browser and its driver on Debian and Ubuntu."""
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--allow-file-access-from-files",
)
KEYS = {
    "Tab": "\ue004",
    "Enter": "\ue007",
    "Shift": "\ue008",
    "Control": "\ue009",
    "Escape": "\ue00c",
    "Space": " ",
    "PageUp": "\ue00e",
    "PageDown": "\ue00f",
    "End": "\ue010",
    "Home": "\ue011",
    "ArrowLeft": "\ue012",
    "ArrowUp": "\ue013",
    "ArrowRight": "\ue014",
    "ArrowDown": "\ue015",
}
"""The keys of WebDriver that are no characters, by the names that pages know them by."""
_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
"""The key that marks an element in what the driver answers."""


class BrowserError(Exception):
    """The driver, or the page's script, refused a command."""


def installed() -> bool:
    """Whether a browser and its driver are there."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    return browser is not None and shutil.which("chromedriver") is not None


class Browser:
    """A session of the driver: one window with one page."""

    def __init__(self, address: str) -> None:
        self._address = address
        wanted = {
            "goog:chromeOptions": {"args": list(FLAGS)},
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        }
        answer = self._ask("/session", {"capabilities": {"alwaysMatch": wanted}})
        self._session = f"/session/{answer['sessionId']}"

    def _ask(self, path: str, content: object) -> Any:
        request = Request(self._address + path, json.dumps(content).encode())
        try:
            with urlopen(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except HTTPError as fault:
            with fault:
                said = json.load(fault)["value"]
            raise BrowserError(f"{said['error']}: {said['message']}") from None

    def close(self) -> None:
        """End the browser."""
        with urlopen(Request(self._address + self._session, method="DELETE"), timeout=60):
            pass

    def tell(self, command: str, **parameters: object) -> Any:
        """Run a command of the browser's protocol for developers."""
        content = {"cmd": command, "params": parameters}
        return self._ask(f"{self._session}/goog/cdp/execute", content)

    def open(self, page: Path | str) -> None:
        """Open a file, or an address, and wait until it is loaded."""
        address = page.resolve().as_uri() if isinstance(page, Path) else page
        self._ask(f"{self._session}/url", {"url": address})

    def run(self, script: str, *arguments: object) -> Any:
        """Run the body of a function in the page.

        Args:
            script: JavaScript; its arguments are ``arguments[0]`` and so on. It may ``await``.
            arguments: plain data of JSON, or elements that ``find`` found.

        Returns:
            What the script returns; of a promise what it is fulfilled with.

        Raises:
            BrowserError: the script raised.
        """
        body = f"return (async function () {{ {script}\n }}).apply(null, arguments);"
        content = {"script": body, "args": list(arguments)}
        return self._ask(f"{self._session}/execute/sync", content)

    def until(self, wanted: object, script: str, *arguments: object) -> Any:
        """Run a script again and again until it returns what is wanted, ten seconds at most.

        A page that is loaded may still be laid out and drawn.

        Returns:
            What the script returned last.
        """
        end = time.monotonic() + 10
        while (found := self.run(script, *arguments)) != wanted and time.monotonic() < end:
            time.sleep(0.05)
        return found

    def find(self, selector: str) -> dict[str, str]:
        """The first element that a selector of CSS finds, for ``run`` and ``click``.

        Raises:
            BrowserError: it finds none.
        """
        content = {"using": "css selector", "value": selector}
        return dict(self._ask(f"{self._session}/element", content))

    def click(self, element: str | dict[str, str]) -> None:
        """Click on an element, or on the first one that a selector finds, where it is seen."""
        found = self.find(element) if isinstance(element, str) else element
        self._ask(f"{self._session}/element/{found[_ELEMENT]}/click", {})

    def press(self, *keys: str) -> None:
        """Press keys one after the other, in whatever has the focus.

        Args:
            keys: characters, names of ``KEYS``, or such with others held, as in ``Shift+Tab``.
        """
        actions = []
        for each in keys:
            *held, last = each.split("+") if len(each) > 1 else [each]
            down = [KEYS.get(name, name) for name in (*held, last)]
            actions += [{"type": "keyDown", "value": key} for key in down]
            actions += [{"type": "keyUp", "value": key} for key in reversed(down)]
        source = {"type": "key", "id": "keyboard", "actions": actions}
        self._ask(f"{self._session}/actions", {"actions": [source]})

    def choose(self, selector: str, value: object) -> None:
        """Give an input, a range or a select a value, and say so to the page as a user's change."""
        self.run(
            "const input = document.querySelector(arguments[0]);"
            "input.focus(); input.value = arguments[1];"
            "for (const kind of ['input', 'change'])"
            "  input.dispatchEvent(new Event(kind, { bubbles: true }));",
            selector,
            value,
        )

    def text(self, selector: str) -> str:
        """The text of the first element that a selector finds, as it is seen."""
        return str(self.run("return document.querySelector(arguments[0]).innerText", selector))

    def console(self) -> list[str]:
        """What the page has written to the console, faults included, since this was last asked."""
        entries = self._ask(f"{self._session}/se/log", {"type": "browser"})
        return [f"{each['level']}: {each['message']}" for each in entries]

    def requests(self) -> list[str]:
        """The addresses that pages have asked for since this was last asked, refused ones included.

        Of the pages themselves, and of data that stands in them, nothing is said.
        """
        entries = self._ask(f"{self._session}/se/log", {"type": "performance"})
        events = [json.loads(each["message"])["message"] for each in entries]
        sent = [e["params"] for e in events if e["method"] == "Network.requestWillBeSent"]
        asked = [e["request"]["url"] for e in sent if e["request"]["url"] != e["documentURL"]]
        return [each for each in asked if not each.startswith(("data:", "blob:"))]

    def emulate(
        self,
        *,
        width: int = 1400,
        height: int = 1000,
        scheme: str = "light",
        media: str = "screen",
        offline: bool = False,
    ) -> None:
        """Show pages in a window of a size, light or dark, on a screen or in print."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.tell("Emulation.setDeviceMetricsOverride", **size)
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.tell("Emulation.setEmulatedMedia", media=media, features=[feature])
        self.tell("Network.enable")
        self.tell(
            "Network.emulateNetworkConditions",
            offline=offline,
            latency=0,
            downloadThroughput=-1,
            uploadThroughput=-1,
        )

    def without_scripts(self, off: bool = True) -> None:
        """Load the next pages with scripts off, or on again; `run` needs no scripts of theirs."""
        self.tell("Emulation.setScriptExecutionDisabled", value=off)

    def picture(self, file: Path, whole: bool = False) -> None:
        """Store a picture of what is seen, or of the whole page."""
        if whole:
            size = self.tell("Page.getLayoutMetrics")["cssContentSize"]
            clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
            taken = self.tell(
                "Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True
            )
        else:
            taken = self.tell("Page.captureScreenshot", format="png")
        file.write_bytes(base64.b64decode(taken["data"]))

    def print(self, file: Path) -> None:
        """Print the page to a file of PDF."""
        printed = self._ask(f"{self._session}/print", {"background": True})
        file.write_bytes(base64.b64decode(printed))


@contextmanager
def driver() -> Iterator[str]:
    """The address of a driver that is ready."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [shutil.which("chromedriver") or "chromedriver", f"--port={port}"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(100):
            try:
                with urlopen(f"{address}/status", timeout=5) as answer:
                    if json.load(answer)["value"]["ready"]:
                        break
            except (URLError, ConnectionError):
                time.sleep(0.2)
        yield address
    finally:
        process.terminate()
        try:
            process.wait(2)
        except subprocess.TimeoutExpired:
            # No test is about how the driver ends.
            process.kill()
            process.wait()


@contextmanager
def open_browser() -> Iterator[Browser]:
    """A browser that is ended with the block."""
    with driver() as address:
        browser = Browser(address)
        try:
            yield browser
        finally:
            browser.close()
