"""Build the site without a warning, and read it in a browser.

    python scripts/site.py build            # into build/site
    python scripts/site.py check [--shots DIR]
    python scripts/site.py serve

`check` follows every link of the built site, and opens every page in Chromium (Debian's
package, or CHROMIUM=/path) as wide as a screen and as a phone: nothing may be missing,
no picture broken, no error in the console, and no page wider than the phone.
"""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

ROOT = Path(__file__).parents[1]
CONFIG = ROOT / "scripts" / "pages" / "mkdocs.yml"
SITE = ROOT / "build" / "site"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command", choices=("build", "check", "serve"))
    parser.add_argument("--shots", type=Path, help="folder for pictures of all pages")
    options = parser.parse_args()
    if options.command == "check":
        return _check(options.shots)
    words = [options.command, "--config-file", str(CONFIG)]
    if options.command == "build":
        words += ["--strict", "--quiet"]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    if options.command == "build":
        print(f"site: building into {SITE}; this takes about a minute", flush=True)
    began = time.monotonic()
    status = subprocess.call([sys.executable, "-m", "mkdocs", *words], env=environment)
    if options.command == "build" and not status:
        print(f"site: built in {time.monotonic() - began:.0f} s", flush=True)
    return status


def _check(shots: Path | None) -> int:
    from pages import browse, crawl

    wrong = crawl.faults(SITE)
    if browser := browse.chromium():
        wrong += browse.faults(SITE, browser, shots)
    else:
        print("there is no Chromium here: the pages were not opened", file=sys.stderr)
    for fault in wrong:
        print(fault)
    pages = len(crawl.pages(SITE))
    print(f"{pages} pages, {len(wrong)} faults")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
