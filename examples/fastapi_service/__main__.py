"""Starts an upstream and the service, sends requests to it, and shows the advice it got meanwhile."""

from __future__ import annotations

import os
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import uvicorn

from concurrent_choices import run


class Slow(BaseHTTPRequestHandler):
    """An upstream that answers after 20 ms."""

    def do_GET(self) -> None:
        time.sleep(0.02)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"there you are")

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def serve(app: object) -> tuple[uvicorn.Server, threading.Thread, str]:
    """Serve an application on a free port of this machine, in a thread."""
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="warning"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    return server, thread, f"http://127.0.0.1:{port}"


PATHS = (
    "/good/orders/7",
    "/good/upstream",
    "/good/picture/140",
    "/good/digest",
    "/bad/orders/7",
    "/bad/upstream",
    "/bad/picture/140",
    "/bad/threaded-picture/140",
)


def main() -> None:
    """Run the example."""
    upstream = ThreadingHTTPServer(("127.0.0.1", 0), Slow)
    threading.Thread(target=upstream.serve_forever, daemon=True).start()
    os.environ["UPSTREAM"] = f"http://127.0.0.1:{upstream.server_port}"
    os.environ["ADVICE_SECRET"] = "only for this example"
    with tempfile.TemporaryDirectory() as folder:
        os.environ["DATABASE"] = str(Path(folder) / "orders.db")
        from examples.fastapi_service.app import app  # noqa: PLC0415 - it reads the environment set above

        server, thread, url = serve(app)
        with httpx.Client(base_url=url, timeout=30) as client:
            for path in PATHS:
                answers = run(lambda _, path=path: client.get(path).status_code, range(20), strategy="thread")
                print(f"{path}: {len(answers)} answers, all {set(answers)}")
            secret = {"authorization": f"Bearer {os.environ['ADVICE_SECRET']}"}
            print("without the secret:", client.get("/advice").status_code)
            advice = client.get("/advice.json", headers=secret).json()
        for each in advice["routes"]:
            if each["path"].startswith(("/good", "/bad")):
                print(f"\n{each['method']} {each['path']}\n  {each['finding']}: {each['text']}")
        server.should_exit = True
        thread.join()
    upstream.shutdown()
    upstream.server_close()


if __name__ == "__main__":
    main()
