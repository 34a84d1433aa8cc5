"""Fetch every page of a small site that is served here, with progress: `python examples/crawler.py`."""

import argparse
import asyncio
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.request import urlopen

from concurrent_choices import AdaptiveExecutor, astream

PAGES = 60
THINKING = 0.01
LINK = re.compile(r'href="(/page/\d+)"')


class Site(BaseHTTPRequestHandler):
    """Pages that link to others, each after a moment."""

    def do_GET(self):
        time.sleep(THINKING)
        number = int(self.path.rsplit("/", 1)[1])
        near = (number * 2, number * 2 + 1)
        links = "".join(f'<a href="/page/{each}">{each}</a>' for each in near if each <= PAGES)
        body = f"<title>Page {number}</title>{links}".encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Say nothing."""


def fetch(address):
    """Fetch one page with a blocking client; its title and links."""
    with urlopen(address) as answer:
        text = answer.read().decode()
    return text[text.index("<title>") + 7 : text.index("</title>")], LINK.findall(text)


async def crawl(site, *, progress):
    """Fetch page after page, level by level: `fetch` blocks, so it runs in threads beside the loop."""
    titles, ahead, seen = [], ["/page/1"], {"/page/1"}
    while ahead:
        found = []
        pages = astream(fetch, [site + path for path in ahead], strategy="thread", progress=progress)
        async for title, links in pages:
            titles.append(title)
            found += links
        ahead = [path for path in dict.fromkeys(found) if path not in seen]
        seen.update(ahead)
    return titles


def recheck(site):
    """Fetch all pages again with an executor that finds out how many to fetch at once."""
    with AdaptiveExecutor() as executor:
        addresses = [f"{site}/page/{number}" for number in range(1, PAGES + 1)]
        count = sum(1 for _ in executor.map(fetch, addresses))
        return count, executor.explain()["fetch"]


def main():
    """Serve the site, crawl it, and say what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--progress", action="store_true", help="show progress on standard error")
    options = parser.parse_args()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    site = f"http://127.0.0.1:{server.server_port}"
    try:
        titles = asyncio.run(crawl(site, progress=options.progress))
        print(f"{len(titles)} pages, the last is {titles[-1]!r}")
        count, learnt = recheck(site)
        print(f"{count} pages again: fetch is {learnt.kind}, so it runs in a {learnt.place}")
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


if __name__ == "__main__":
    main()
