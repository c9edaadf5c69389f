"""Build the sdist, of it the wheel, and the studies' wheel; use both elsewhere.

    .venv/bin/python scripts/package.py

The wheel is installed without its dependencies, into an environment that sees those of
this one, and run outside of the clone. Needs no network.
"""

import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NAME = "jaxbandits"
STUDIES = "jaxbandits_studies"
LARGEST = 4_000_000  # bytes, of the sdist; the notebooks with their pictures are 1.5 MB
# Of the sdist: beside the package, what it takes to test it and to read about it.
NEEDED = ("pyproject.toml", "README.md", "CHANGELOG.md", "CITATION.cff", "LICENSE")
NEEDED += ("CONTRIBUTING.md", "constraints.txt", "docs/engine.md", ".ci/run")
NEEDED += ("scripts/setup.sh", "conftest.py", "notebooks/00_start.ipynb")


def main() -> int:
    """Exit status 0, or an AssertionError or a failed command."""
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        sdist = built("sdist", ROOT, folder)
        with tarfile.open(sdist) as archive:
            archive.extractall(folder / "sdist", filter="data")
        (source,) = (folder / "sdist").iterdir()
        check_sdist(sdist, source)
        wheel = built("wheel", source, folder)
        check_wheel(wheel, source)
        studies = built("wheel", ROOT / "studies", folder / "studies")
        check_files(studies, ROOT / "studies", STUDIES)
        use(wheel, studies, folder)
        sizes = [
            f"{path.name} ({path.stat().st_size:,} bytes)"
            for path in folder.glob(f"{NAME}*")
        ]
    print("package:", ", ".join(sorted(sizes)))
    return 0


def run(*words, cwd) -> str:
    """What a command prints; without this process's paths."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    done = subprocess.run(
        words, cwd=cwd, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, f"{words}\n{done.stdout}{done.stderr}"
    return done.stdout


def built(target: str, source: Path, folder: Path) -> Path:
    """The sdist or wheel of a source tree."""
    words = ("-m", "hatchling", "build", "-t", target, "-d", folder)
    run(sys.executable, *words, cwd=source)
    (path,) = folder.glob("*.tar.gz" if target == "sdist" else "*.whl")
    return path


def files(root: Path, name: str = NAME) -> set[str]:
    """Of the package in a source tree, caches left out."""
    return {
        str(path.relative_to(root))
        for path in (root / name).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def check_sdist(sdist: Path, source: Path) -> None:
    """It has all of the package and what tests it, and is not large."""
    assert files(source) == files(ROOT), files(source) ^ files(ROOT)
    missing = [name for name in NEEDED if not (source / name).is_file()]
    assert not missing, f"not in the sdist: {missing}"
    unwanted = [name for name in ("docs/figures", ".venv") if (source / name).exists()]
    unwanted += [str(path) for path in source.rglob("*.webp")]
    assert not unwanted, f"in the sdist: {unwanted}"
    assert sdist.stat().st_size < LARGEST, sdist.stat().st_size


def check_wheel(wheel: Path, source: Path) -> None:
    """It has the package's files, all and no others, and links that work anywhere."""
    links = re.findall(r"\]\(([^)\s]*)\)", check_files(wheel, source, NAME))
    relative = [x for x in links if not x.startswith(("https://", "http://", "#"))]
    assert not relative, f"links that lead nowhere on an index: {relative}"
    assert any("/raw/main/" in link for link in links)  # the picture


def check_files(wheel: Path, source: Path, name: str) -> str:
    """It has the package's files, all and no others; its metadata."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (metadata,) = (each for each in names if each.endswith("/METADATA"))
        text = archive.read(metadata).decode()
    inside = {each for each in names if ".dist-info/" not in each}
    assert inside == files(source, name), inside ^ files(source, name)
    return text


def use(wheel: Path, studies: Path, folder: Path) -> None:
    """Install both where only the dependencies are, and run it from there."""
    environment = folder / "environment"
    venv.create(environment, with_pip=False, symlinks=True)
    python = environment / "bin" / "python"
    words = ("-m", "pip", "--python", python, "install", "--quiet", "--no-deps")
    run(sys.executable, *words, "--no-index", wheel, studies, cwd=folder)
    # Of this environment what lies in its folder, and not the clone that it points to.
    (site,) = (environment / "lib").glob("python*/site-packages")
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    where = "import jaxbandits; print(jaxbandits.__version__, jaxbandits.__file__)"
    version, path = run(python, "-W", "error", "-c", where, cwd=folder).split()
    assert Path(path).is_relative_to(site), path
    assert wheel.name.startswith(f"{NAME}-{version}-"), version
    listed = run(environment / "bin" / NAME, "list", cwd=folder)
    assert "censored-fig4" in listed and "RCUCB" in listed.upper(), listed


if __name__ == "__main__":
    sys.exit(main())
