"""Every link and picture of a built site leads somewhere; no reference is empty."""

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

HERE = "https://site.invalid/"


class _Page(HTMLParser):
    """What a page links to, and the places in it that can be linked to."""

    def __init__(self, text: str):
        super().__init__()
        self.links: list[str] = []
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.places |= {given[key] for key in ("id", "name") if given.get(key)}
        self.links += [given[key] for key in ("href", "src") if given.get(key)]


def pages(site: Path) -> list[Path]:
    """The files of a site's pages; the one for what is not found is none."""
    return [p for p in sorted(site.rglob("*.html")) if p.name != "404.html"]


def faults(site: Path) -> list[str]:
    """A line for every link that leads nowhere within the site, and for every page of
    the reference that names nothing of its package."""
    read = {path: _Page(path.read_text(encoding="utf-8")) for path in pages(site)}
    lines = []
    for path, page in read.items():
        base = HERE + path.relative_to(site).as_posix()
        for link in page.links:
            target = urljoin(base, link)
            if target.startswith(HERE) and (wrong := _wrong(site, target, read)):
                lines.append(f"{path.relative_to(site)}: {link}: {wrong}")
        package = path.parent.name  # of the reference: api/PACKAGE/index.html
        entries = (place.startswith(f"{package}.") for place in page.places)
        if path.parent.parent == site / "api" and not any(entries):
            lines.append(f"{path.relative_to(site)}: the reference has no entry")
    return lines


def file_of(site: Path, url: str) -> Path:
    """The file that a web server shows at an address below `HERE`."""
    path = site / unquote(urlsplit(url).path[1:])
    return path / "index.html" if path.is_dir() else path


def _wrong(site: Path, url: str, read) -> str:
    file, place = file_of(site, url), unquote(urlsplit(url).fragment)
    if not file.is_file():
        return "there is no such file"
    # Of what is no page, and of the top of a page, there is nothing more to say.
    if place and file in read and place not in read[file].places:
        return "the page has no such place"
    return ""
