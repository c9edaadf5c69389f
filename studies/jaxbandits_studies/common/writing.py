"""How the results of an experiment are written: summary, figure, datasets."""

import json
from pathlib import Path
from typing import Any

import jax
from PIL import Image

from jaxbandits.console.faults import is_users
from jaxbandits.plots import save_figure
from jaxbandits.results import provenance, save
from jaxbandits.results.atomic import replacing
from jaxbandits.results.plain import plain
from jaxbandits.simulation.machine import site_of
from jaxbandits.stats import record_table
from jaxbandits_studies.common.experiment import PICTURES, Options, Outcome
from jaxbandits_studies.common.slugs import slugs

SUMMARY = "summary.json"
KEPT_WIDTH = 880  # pixels of a figure in studies/results
TABLES = {"table.md": "markdown", "table.tex": "latex"}
VERSION = 2  # of the form of `summary.json`; the first was a bare list of records


def summary_of(
    outcome: Outcome, name: str, title: str, source: str, options: Options
) -> dict[str, Any]:
    """What `summary.json` holds.

    Args:
      outcome: what was found.
      name: of the experiment.
      title: what it shows.
      source: where that stands, or where the data are from.
      options: seeds and horizon that were played.
    """
    return {
        "version": VERSION,
        "experiment": name,
        "title": title,
        "source": source,
        "provenance": provenance(**outcome.spent, machine=site_of(jax.local_devices())),
        "options": {
            "seeds": options.seeds,
            "horizon": options.horizon,
            "quick": options.quick,
            "root_seed": outcome.root_seed,
        },
        "notes": list(outcome.notes),
        "claims": [plain(claim._asdict(), "claims") for claim in outcome.claims],
        "records": outcome.records,
    }


def small_figure(drawn: Path, target: Path) -> None:
    """Write a figure as the record keeps it: WebP, at most `KEPT_WIDTH` pixels wide."""
    with Image.open(drawn) as picture:
        width, height = picture.size
        kept = min(width, KEPT_WIDTH)
        small = picture.convert("RGB").resize((kept, round(height * kept / width)))
    small.save(target, quality=60, method=6)


def is_written(name: str, folder: Path, options: Options) -> bool:
    """Whether a folder has what this version of the library makes of an experiment.

    Args:
      name: of the experiment.
      folder: where `write` would write.
      options: seeds and horizon.
    """
    made = provenance()
    wanted = {"seeds", "horizon", "quick"}
    try:
        result = json.loads((folder / SUMMARY).read_text(encoding="utf-8"))
        same = all(result["options"][x] == getattr(options, x) for x in wanted)
        # The picture comes last: where it stands, all does.
        same &= any((folder / f"{name}.{suffix}").exists() for suffix in PICTURES)
        code = [
            (each["versions"]["jaxbandits"], each["git"])
            for each in (result["provenance"], made)
        ]
        return same and result["experiment"] == name and code[0] == code[1]
    except (OSError, ValueError, LookupError, TypeError):
        return False  # There is none, or one of another version.


def write(
    outcome: Outcome,
    name: str,
    folder: Path,
    *,
    title: str,
    source: str,
    options: Options,
    picture: str = "png",
) -> list[Path]:
    """Write datasets and summary, then tables and pages, then the figure.

    Datasets that `simulate` has not made get the summary's provenance. What was played
    is on disk before anything is drawn.

    Args:
      outcome, name, title, source, options: as for `summary_of`.
      folder: where to write; old files are replaced.
      picture: one of `PICTURES`.

    Returns:
      The paths of the summary, the figure, tables, pages and datasets.

    Raises:
      ValueError, RuntimeError: if a table or the figure cannot be made; it says where
        the results are.
    """
    content = summary_of(outcome, name, title, source, options)
    text = json.dumps(content, indent=1, allow_nan=False) + "\n"
    shown = folder / f"{name}.{picture}"
    shown.unlink(missing_ok=True)  # It shows other results.
    datasets = []
    made = {"provenance": json.dumps(content["provenance"])}
    named = slugs(outcome.datasets)
    for environment, dataset in outcome.datasets.items():
        datasets.append(folder / f"{name}-{named[environment]}.nc")
        save(dataset.assign_attrs(made | dataset.attrs), datasets[-1])
    summary = _write_text(folder / SUMMARY, text)
    try:
        tables = {n: record_table(outcome.records, form) for n, form in TABLES.items()}
        pages = (tables | dict(outcome.pages)).items()
        pages = [_write_text(folder / page, text) for page, text in pages]
        save_figure(outcome.draw(), shown)
    except Exception as error:
        kind = ValueError if is_users(error) else RuntimeError
        raise kind(
            f"the results are written, {summary} and {len(datasets)} datasets beside "
            f"it, but not all tables and figures can be made: {error}"
        ) from error
    return [summary, shown, *pages, *datasets]


def _write_text(path: Path, text: str) -> Path:
    with replacing(path) as temporary:
        Path(temporary).write_text(text, encoding="utf-8")
    return path
