"""The load generator: `python -m benchmarks.embedding._load`, which takes orders on its standard input.

An order is a line PORT PATH REQUESTS CONNECTIONS RATE. RATE is in requests a second; 0 is as many as the
server answers. For each order it prints how many requests were answered with 200.
"""

from __future__ import annotations

import asyncio
import sys
import time


async def client(port: int, path: str, requests: int, pause: float, delay: float) -> int:
    """Make requests on one connection, `pause` seconds apart; how many were answered with 200."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    answered, began = 0, time.perf_counter() + delay
    for number in range(requests):
        early = began + number * pause - time.perf_counter()
        if early > 0:
            await asyncio.sleep(early)
        writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        await reader.readexactly(length)
        answered += head.startswith(b"HTTP/1.1 200")
    writer.close()
    return answered


async def main(port: int, path: str, requests: int, connections: int, rate: float) -> int:
    """Spread the requests over the connections."""
    share, rest = divmod(requests, connections)
    pause = connections / rate if rate else 0.0
    clients = (
        client(port, path, share + (place < rest), pause, place * pause / connections)
        for place in range(connections)
    )
    return sum(await asyncio.gather(*clients))


if __name__ == "__main__":
    for _order in sys.stdin:
        _port, _path, _requests, _connections, _rate = _order.split()
        _numbers = int(_port), _path, int(_requests), int(_connections), float(_rate)
        print(asyncio.run(main(*_numbers)), flush=True)
