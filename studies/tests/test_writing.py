"""The output folder and the files in it."""

import json
import os
import unicodedata

import numpy as np
import pytest
import xarray as xr
from hypothesis import example, given
from hypothesis import strategies as st

from jaxbandits.plots import figure
from jaxbandits.results import load
from jaxbandits.stats import make_record
from jaxbandits_studies import Claim, Options, Outcome, prepare_folder
from jaxbandits_studies import write as write_all
from jaxbandits_studies.common.slugs import slugs
from jaxbandits_studies.common.writing import is_written

OURS = {"A": np.float64(1)}
CLAIM = Claim("X1.1", "A below B", "section 1", "holds", OURS, "holds", {"A": 2.0})
PNG = b"\x89PNG\r\n\x1a\n"


def outcome(value=1.0, instances=("n = 20", "Strict: L = 10 beyond 0.5")):
    datasets = {
        name: xr.Dataset({"value": ("x", np.full(3, value))}) for name in instances
    }
    records = [make_record("a", "n", "TS", {"regret": value}, seeds=1, horizon=2)]
    return Outcome(datasets, records, lambda: figure()[0], ("a note",), (CLAIM,))


def write(made, name, folder):
    """As an experiment of ten seeds and 20 rounds."""
    about = {"title": "T", "source": "S", "options": Options(10, 20, quick=True)}
    return write_all(made, name, folder, **about)


def test_every_file_is_listed_and_nothing_else_is_left(tmp_path):
    made = outcome()
    paths = write(made, "censored-fig8", tmp_path)
    assert [path.name for path in paths] == [
        "summary.json",
        "censored-fig8.png",
        "table.md",
        "table.tex",
        "censored-fig8-n-20.nc",
        "censored-fig8-strict-l-10-beyond-0-5.nc",
    ]
    assert sorted(paths) == sorted(tmp_path.iterdir())
    assert paths[1].read_bytes().startswith(PNG)
    for path, dataset in zip(paths[4:], made.datasets.values(), strict=True):
        found = load(path)
        assert json.loads(found.attrs.pop("provenance"))["command"]
        assert found.identical(dataset)


def test_titles_that_are_alike_as_names_are_two_files(tmp_path):
    one, two = outcome().datasets.values()
    made = outcome()._replace(datasets={"r = -0.6": one, "r = 0.6": two})
    paths = write(made, "a", tmp_path)[4:]
    assert [path.name for path in paths] == ["a-r-0-6.nc", "a-r-0-6-2.nc"]
    for path, dataset in zip(paths, (one, two), strict=True):
        xr.testing.assert_equal(load(path), dataset)
    # Nor is a name taken that another title has by itself.
    titles = ["x 1", "x-1", "x 1 2", "x.1"]
    assert [*slugs(titles).values()] == ["x-1", "x-1-2", "x-1-2-2", "x-1-3"]


def test_pages_are_files_of_text(tmp_path):
    made = outcome(instances=())._replace(pages={"page.md": "µs\n"}, root_seed=5)
    summary, _, _, _, page = write(made, "a", tmp_path)
    assert page == tmp_path / "page.md" and page.read_text() == "µs\n"
    assert json.loads(summary.read_text())["options"]["root_seed"] == 5


def test_the_summary_says_what_it_is_of(tmp_path):
    summary = json.loads(write(outcome(), "a", tmp_path)[0].read_text())
    made = summary.pop("provenance")
    assert {"versions", "git", "command", "created"} <= made.keys()
    assert summary == {
        "version": 2,
        "experiment": "a",
        "title": "T",
        "source": "S",
        "options": {"seeds": 10, "horizon": 20, "quick": True, "root_seed": 0},
        "notes": ["a note"],
        "claims": [
            {
                "id": "X1.1",
                "text": "A below B",
                "source": "section 1",
                "verdict": "holds",
                "ours": {"A": 1.0},
                "found": "holds",
                "published": {"A": 2.0},
                "cause": "",
                "stands_on": "",
                "check": "",
            }
        ],
        "records": outcome().records,
    }


def test_old_files_are_replaced(tmp_path):
    write(outcome(1.0), "a", tmp_path)
    paths = write(outcome(2.0), "a", tmp_path)
    assert sorted(paths) == sorted(tmp_path.iterdir())
    assert (
        json.loads(paths[0].read_text())["records"][0]["metrics"]["regret"]["mean"] == 2
    )
    assert (load(paths[4])["value"] == 2.0).all()


def test_a_failure_leaves_the_old_file_whole(tmp_path):
    summary, *_ = write(outcome(), "a", tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    unwritable = outcome(2.0)._replace(notes=(object(),))
    with pytest.raises(TypeError, match="JSON"):
        write(unwritable, "a", tmp_path)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert summary in before


def test_files_appear_by_renaming_with_the_results_first(tmp_path, monkeypatch):
    """Whatever has the name `summary.json` is complete, and so are the datasets."""
    renamed = []
    replace = os.replace

    def watched(source, target):
        renamed.append((os.path.getsize(source), os.path.basename(target)))
        assert not os.path.exists(target)
        replace(source, target)

    monkeypatch.setattr(os, "replace", watched)
    paths = write(outcome(), "a", tmp_path)
    wanted = [*paths[4:], paths[0], *paths[2:4], paths[1]]
    assert [name for _, name in renamed] == [path.name for path in wanted]
    assert [size for size, _ in renamed] == [path.stat().st_size for path in wanted]


def test_results_are_there_where_the_figure_cannot_be_drawn(tmp_path):
    fault = ValueError("no formula")

    def draw():
        assert len(list(tmp_path.iterdir())) == 5
        raise fault

    write(outcome(1.0), "a", tmp_path)
    with pytest.raises(RuntimeError, match="results are written") as caught:
        write(outcome(2.0)._replace(draw=draw), "a", tmp_path)
    summary = tmp_path / "summary.json"
    assert str(summary) in str(caught.value) and str(fault) in str(caught.value)
    records = json.loads(summary.read_text())["records"]
    assert records[0]["metrics"]["regret"]["mean"] == 2
    assert (load(tmp_path / "a-n-20.nc")["value"] == 2.0).all()
    # Not the figure of the old ones.
    assert not (tmp_path / "a.png").exists()
    assert not is_written("a", tmp_path, Options(10, 20, quick=True))
    write(outcome(2.0), "a", tmp_path)
    assert is_written("a", tmp_path, Options(10, 20, quick=True))


@given(st.lists(st.text(max_size=9), unique=True, max_size=4))
@example(
    [
        "../../x",
        "/etc",
        "a\nb",
        "",
        " ",
        "!",
        "鞋" * 300,
        "鞋" * 301,
        "x",
        "X",
        "ß",
        "ss",
    ]
)
def test_any_titles_are_different_names_of_files(titles):
    names = [*slugs(titles).values()]
    # File systems may take these for the same.
    folded = {unicodedata.normalize("NFC", name.casefold()) for name in names}
    assert len(folded) == len(titles)
    for name in names:
        assert name and len(name.encode()) < 200
        assert all(letter.isalnum() or letter == "-" for letter in name)


def test_folders_are_made_and_left_empty(tmp_path):
    folder = prepare_folder(str(tmp_path / "a" / "b"))
    assert folder == tmp_path / "a" / "b"
    assert folder.is_dir() and not list(folder.iterdir())
    assert prepare_folder(folder) == folder  # An old folder will do.


def test_a_probe_that_fails_is_an_error_in_out(tmp_path, monkeypatch):
    """As in a folder that forbids writing, for whoever runs the tests."""

    def forbid(self, *args, **kwargs):
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr("pathlib.Path.touch", forbid)
    with pytest.raises(ValueError, match="^out: cannot write to .*Permission denied"):
        prepare_folder(tmp_path)
