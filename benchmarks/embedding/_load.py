"""The load generator: `python -m benchmarks.embedding._load PORT REQUESTS` prints how many were answered."""

from __future__ import annotations

import asyncio
import sys

CONNECTIONS = 8


async def client(port: int, requests: int) -> int:
    """Make requests one after another on one connection; how many were answered with 200."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    answered = 0
    for number in range(requests):
        writer.write(f"GET /items/{number} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        await reader.readexactly(length)
        answered += head.startswith(b"HTTP/1.1 200")
    writer.close()
    return answered


async def main(port: int, requests: int) -> int:
    """Spread the requests over some connections."""
    share, rest = divmod(requests, CONNECTIONS)
    counts = [share + (place < rest) for place in range(CONNECTIONS)]
    return sum(await asyncio.gather(*(client(port, count) for count in counts)))


if __name__ == "__main__":
    print(asyncio.run(main(int(sys.argv[1]), int(sys.argv[2]))))
