"""The load generator: `python -m benchmarks.embedding._load PORT REQUESTS RATE`. Prints the number answered.

RATE is in requests a second; 0 is as many as the server answers.
"""

from __future__ import annotations

import asyncio
import sys
import time

CONNECTIONS = 8


async def client(port: int, place: int, requests: int, pause: float) -> int:
    """Make requests on one connection, `pause` seconds apart; how many were answered with 200."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    answered, began = 0, time.perf_counter() + place * pause / CONNECTIONS
    for number in range(requests):
        early = began + number * pause - time.perf_counter()
        if early > 0:
            await asyncio.sleep(early)
        writer.write(f"GET /items/{number} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        await reader.readexactly(length)
        answered += head.startswith(b"HTTP/1.1 200")
    writer.close()
    return answered


async def main(port: int, requests: int, rate: float) -> int:
    """Spread the requests over some connections."""
    share, rest = divmod(requests, CONNECTIONS)
    pause = CONNECTIONS / rate if rate else 0.0
    counts = [share + (place < rest) for place in range(CONNECTIONS)]
    clients = (client(port, place, count, pause) for place, count in enumerate(counts))
    return sum(await asyncio.gather(*clients))


if __name__ == "__main__":
    print(asyncio.run(main(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]))))
