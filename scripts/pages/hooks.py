"""What MkDocs does not do by itself: pages from elsewhere, pages that are generated.

The README, the change log, CONTRIBUTING, the notebooks and the record of the studies
are pages where they lie in the repository; the gallery, the reference, the policies,
the command line and the tables of the settings are made from the package.
"""

import posixpath
import re
import sys
from importlib import import_module
from pathlib import Path

from mkdocs.plugins import event_priority
from mkdocs.structure.files import File

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT)]

from pages import commands, gallery, links, policies

HOST = "https://github.com/jaxbandits/jaxbandits/blob/main"
ELSEWHERE = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    **{
        f"notebooks/{path.name}": f"notebooks/{path.name}"
        for path in sorted((ROOT / "notebooks").glob("*.ipynb"))
    },
}
ELSEWHERE |= {
    f"studies/results/{name}": f"results/{name}"
    for path in sorted((ROOT / "studies" / "results").rglob("*"))
    if path.suffix in (".md", ".webp")
    for name in [path.relative_to(ROOT / "studies" / "results").as_posix()]
}
PAGES = ELSEWHERE | {
    str(path.relative_to(ROOT)): str(path.relative_to(ROOT / "docs"))
    for path in sorted((ROOT / "docs").rglob("*"))
    if path.is_file()
}
SOURCES = {page: source for source, page in PAGES.items()}
# Packages and modules of the reference, by the table of contents.
MODULES = re.findall(
    r"api/(\S+)\.md", Path(__file__).with_name("mkdocs.yml").read_text()
)
# A link to a package leads to its reference.
PAGES |= {f"{name.replace('.', '/')}/__init__.py": f"api/{name}.md" for name in MODULES}


def _reference(module: str) -> str:
    """The page of a package, with its public names: stubs keep them from the tool."""
    names = getattr(import_module(module), "__all__", ())
    shown = [f"        - {name}" for name in names if not name.startswith("_")]
    members = ["    options:", "      members:", *shown] if shown else []
    return "\n".join([f"# `{module}`", "", f"::: {module}", *members, ""])


@event_priority(100)  # before the plugin that renders notebooks looks for them
def on_files(files, config):
    """Add the pages that do not lie in `docs`."""
    print("site: the policies, the gallery and the command line ...", flush=True)
    for source, page in ELSEWHERE.items():
        files.append(File.generated(config, page, abs_src_path=str(ROOT / source)))
    made = {
        **{f"api/{module}.md": _reference(module) for module in MODULES},
        "gallery.md": gallery.page(ROOT / "studies" / "results"),
        "policies.md": policies.page(),
        "command-line.md": commands.page(),
    }
    for name, text in made.items():
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown, page, config, files):
    """Links that hold on the site, and the tables of a setting."""
    name = page.file.src_uri
    markdown = links.with_asterisks(markdown)
    if name.startswith("settings/"):
        markdown += "\n" + policies.tables(Path(name).stem)
    if name not in SOURCES:
        return markdown
    folder = posixpath.dirname(name)
    return _relinked(
        markdown, links.MARKDOWN, name, lambda to: posixpath.relpath(to, folder)
    )


def on_page_content(html, page, config, files):
    """Notebooks come as HTML, with the links that they have in the repository."""
    name = page.file.src_uri
    if not name.endswith(".ipynb"):
        return html
    return _relinked(
        html, links.HTML, name, lambda to: files.src_uris[to].url_relative_to(page.file)
    )


def _relinked(text: str, kind: re.Pattern, name: str, path) -> str:
    """A page's text with its links to other pages, as `path` says, and to the host."""

    def place(target: str) -> str:
        return path(PAGES[target]) if target in PAGES else f"{HOST}/{target}"

    return links.relink(text, kind, SOURCES[name], place)
