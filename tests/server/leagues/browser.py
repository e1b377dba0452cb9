"""A real headless Chromium, and what it makes of pages: errors, overflow, axe-core's findings."""

from __future__ import annotations

import functools
import json
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

from tests.services.requirements import AXE, program

PHONE, DESK = 390, 1280
PATIENCE = 60

HARNESS = """<!DOCTYPE html><html lang="en"><title>harness</title><body><script>
const jobs = JOBS, found = [];
async function look([path, width]) {
  const frame = document.createElement("iframe");
  frame.width = width; frame.height = 900; frame.src = path;
  document.body.append(frame);
  await new Promise(done => frame.onload = done);
  const page = frame.contentWindow, root = frame.contentDocument.documentElement;
  const script = frame.contentDocument.createElement("script");
  script.src = "/axe.min.js";
  await new Promise(done => { script.onload = done; frame.contentDocument.head.append(script); });
  script.remove();
  const axe = await page.axe.run(frame.contentDocument, {resultTypes: ["violations"]});
  found.push({
    path, width,
    overflow: root.scrollWidth - root.clientWidth,
    dark: page.matchMedia("(prefers-color-scheme: dark)").matches,
    ground: page.getComputedStyle(frame.contentDocument.body).backgroundColor,
    scripts: frame.contentDocument.scripts.length,
    outside: page.performance.getEntriesByType("resource").map(e => e.name)
      .filter(name => !name.startsWith(location.origin)),
    violations: axe.violations.map(
      v => [v.id, v.nodes.map(n => n.target.join(" ") + ": " + n.failureSummary)]),
    passes: axe.passes.length,
  });
  frame.remove();
}
(async () => {
  let error = "";
  try { for (const job of jobs) await look(job); } catch (fault) { error = String(fault); }
  await fetch("/report", {method: "POST", body: JSON.stringify({found, error})});
})();
</script></body></html>"""


def _profile() -> tempfile.TemporaryDirectory[str]:
    # Chromium's helpers may still write for a moment after it has ended.
    return tempfile.TemporaryDirectory(ignore_cleanup_errors=True)


class Seen(NamedTuple):
    """What Chromium made of one page at one width."""

    path: str
    width: int
    overflow: int
    dark: bool
    ground: str
    scripts: int
    outside: list[str]
    violations: list[Any]
    passes: int


class _Handler(SimpleHTTPRequestHandler):
    report: dict[str, Any]
    reported: threading.Event
    jobs: Sequence[tuple[str, int]]

    def do_GET(self) -> None:
        if self.path == "/axe.min.js":
            self._send(AXE.read_bytes(), "text/javascript")
        elif self.path == "/harness.html":
            page = HARNESS.replace("JOBS", json.dumps(self.jobs))
            self._send(page.encode(), "text/html")
        else:
            super().do_GET()

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        self.report |= json.loads(self.rfile.read(length))
        self._send(b"", "text/plain")
        self.reported.set()

    def _send(self, data: bytes, media: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", media)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def _served(folder: Path, jobs: Sequence[tuple[str, int]]) -> Iterator[type[_Handler]]:
    members = {"report": {}, "reported": threading.Event(), "jobs": jobs}
    handler = type("Handler", (_Handler,), members)
    server = ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(handler, directory=str(folder))
    )
    handler.port = server.server_address[1]  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield handler
    finally:
        server.shutdown()
        server.server_close()


def look(folder: Path, paths: Sequence[str], *, dark: bool) -> list[Seen]:
    """Open every page at phone and at desk width; what Chromium and axe-core say of it."""
    jobs = [(path, width) for path in paths for width in (PHONE, DESK)]
    chromium = program("chromium")
    assert chromium
    with _served(folder, jobs) as handler, _profile() as profile:
        command = [
            chromium,
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
            f"--user-data-dir={profile}",
            f"--blink-settings=preferredColorScheme={0 if dark else 1}",
            "--window-size=1400,1000",
            "--remote-debugging-port=0",
            f"http://127.0.0.1:{handler.port}/harness.html",  # type: ignore[attr-defined]
        ]
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            assert handler.reported.wait(PATIENCE), "Chromium did not report"
        finally:
            child.terminate()
            child.wait(20)
    assert handler.report["error"] == "", handler.report["error"]
    return [Seen(**each) for each in handler.report["found"]]


def picture(folder: Path, path: str, to: Path, *, width: int) -> bytes:
    """A screenshot of a page."""
    return _rendered(folder, path, to, f"--window-size={width},1200", f"--screenshot={to}")


def printed(folder: Path, path: str, to: Path) -> bytes:
    """A page as PDF, as it would be printed."""
    return _rendered(folder, path, to, f"--print-to-pdf={to}")


def _rendered(folder: Path, path: str, to: Path, *wish: str) -> bytes:
    chromium = program("chromium")
    assert chromium
    with _served(folder, []) as handler, _profile() as profile:
        subprocess.run(
            [
                chromium,
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                f"--user-data-dir={profile}",
                *wish,
                f"http://127.0.0.1:{handler.port}/{path}",  # type: ignore[attr-defined]
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=PATIENCE,
            check=True,
        )
    return to.read_bytes()
