"""A real HTTP server in a process of its own, whose answers take 20 ms.

Run as `python -m examples.demo.server` it prints its address, and it serves for as long as its
standard input stays open: so it ends with whoever started it, however that one ends.
"""

import asyncio
import contextlib
import socket
import subprocess
import sys
import threading

THINKING = 0.02
PARTING = 3.0
BACKLOG = 1024


async def answer(request):
    """Think for a while, then give the number back."""
    from starlette.responses import JSONResponse  # noqa: PLC0415 - the parent needs no starlette

    await asyncio.sleep(THINKING)
    return JSONResponse({"number": int(request.path_params["number"])})


def serve():
    """Serve until standard input closes."""
    import uvicorn  # noqa: PLC0415 - the parent needs no uvicorn
    from starlette.applications import Starlette  # noqa: PLC0415 - as above
    from starlette.routing import Route  # noqa: PLC0415 - as above

    listener = socket.create_server(("127.0.0.1", 0), backlog=BACKLOG)
    app = Starlette(routes=[Route("/answer/{number:int}", answer)])
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1))

    def end_with_parent():
        sys.stdin.read()
        server.should_exit = True

    threading.Thread(target=end_with_parent, daemon=True).start()
    print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
    server.run(sockets=[listener])


@contextlib.contextmanager
def running_server():
    """Start the server; give its address; stop it."""
    process = subprocess.Popen(
        [sys.executable, "-m", __name__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,  # Ctrl-C is for the demo, which then closes this one in order
    )
    try:
        address = process.stdout.readline().strip()
        if not address:
            msg = f"the demo's HTTP server did not start (exit code {process.wait(PARTING)})"
            raise RuntimeError(msg)
        yield address
    finally:
        process.stdin.close()
        process.stdout.close()
        try:
            process.wait(PARTING)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


if __name__ == "__main__":
    serve()
