"""Every page of a built site, opened in Chromium on a screen and on a phone."""

import os
import shutil
from pathlib import Path

from pages import crawl

SIZES = {"screen": (1280, 900), "phone": (390, 844)}
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# What a reader would see to be wrong, found by the page itself.
LOOK = """() => ({
    wide: document.documentElement.scrollWidth - window.innerWidth,
    pictures: [...document.images]
        .filter(x => x.complete && x.naturalWidth === 0 && x.src)
        .map(x => x.getAttribute("src")),
})"""


def chromium() -> str | None:
    """The browser's program, if there is one."""
    given = os.environ.get("CHROMIUM")
    return given or next(filter(None, map(shutil.which, NAMES)), None)


def faults(site: Path, browser: str, shots: Path | None = None) -> list[str]:
    """A line for everything that is wrong with a page.

    Args:
      site: the built site.
      browser: Chromium's program.
      shots: a folder for pictures of the pages' beginnings, if they are wanted.
    """
    from playwright.sync_api import sync_playwright

    lines = []
    with sync_playwright() as play:
        opened = play.chromium.launch(
            executable_path=browser, args=["--no-sandbox", "--disable-gpu"]
        )
        for name, (width, height) in SIZES.items():
            page = opened.new_page(viewport={"width": width, "height": height})
            page.route(f"{crawl.HERE}**", lambda asked: _answer(site, asked))
            errors: list[str] = []
            page.on("pageerror", lambda error, errors=errors: errors.append(str(error)))
            page.on(
                "response",
                lambda answer, errors=errors: (
                    errors.append(f"{answer.status} {answer.url}")
                    if answer.status >= 400
                    else None
                ),
            )
            for path in crawl.pages(site):
                where = path.relative_to(site).as_posix()
                errors.clear()
                page.goto(crawl.HERE + where, wait_until="load")
                seen = page.evaluate(LOOK)
                wrong = [*errors, *(f"no picture {x}" for x in seen["pictures"])]
                if seen["wide"] > 0:
                    wrong.append(f"{seen['wide']} pixels too wide")
                lines += [f"{where} ({name}): {x}" for x in wrong]
                if shots:
                    shots.mkdir(parents=True, exist_ok=True)
                    file = f"{where.replace('/', '_')}-{name}.png"
                    page.screenshot(path=shots / file)
        opened.close()
    return lines


def _answer(site: Path, asked) -> None:
    """As a web server answers."""
    file = crawl.file_of(site, asked.request.url)
    if file.is_file():
        asked.fulfill(path=file)
    else:
        asked.fulfill(status=404)
