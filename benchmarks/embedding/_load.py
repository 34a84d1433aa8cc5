"""The load generator: `python -m benchmarks.embedding._load`, which takes orders on its standard input.

An order is a line PORT PATH REQUESTS CONNECTIONS RATE. RATE is in requests a second; 0 is as many as the
server answers. For each order it prints how many requests were answered with 200. Connections stay open for
later orders, so that a short one pays for its requests alone.
"""

from __future__ import annotations

import asyncio
import sys
import time
from typing import NamedTuple, Self

Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def client(connection: Connection, path: str, requests: int, pause: float, delay: float) -> int:
    """Make requests on one connection, `pause` seconds apart; how many were answered with 200."""
    reader, writer = connection
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
    return answered


class Order(NamedTuple):
    """What is asked for in a line."""

    port: int
    path: str
    requests: int
    connections: int
    rate: float

    @classmethod
    def of(cls, line: str) -> Self:
        """The order in a line."""
        port, path, requests, connections, rate = line.split()
        return cls(int(port), path, int(requests), int(connections), float(rate))


async def main(order: Order, connected: list[Connection]) -> int:
    """Spread the requests over the connections; those that are open are used again."""
    while len(connected) < order.connections:
        connected.append(await asyncio.open_connection("127.0.0.1", order.port))
    share, rest = divmod(order.requests, order.connections)
    pause = order.connections / order.rate if order.rate else 0.0
    clients = (
        client(connection, order.path, share + (place < rest), pause, place * pause / order.connections)
        for place, connection in enumerate(connected[: order.connections])
    )
    return sum(await asyncio.gather(*clients))


if __name__ == "__main__":
    _connected: dict[int, list[Connection]] = {}
    with asyncio.Runner() as _runner:
        for _line in sys.stdin:
            _order = Order.of(_line)
            print(_runner.run(main(_order, _connected.setdefault(_order.port, []))), flush=True)
