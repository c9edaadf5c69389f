"""Saving is lossless and atomic."""

import os

import pytest
import xarray as xr

from jaxbandits.results import load, save
from tests.results.samples import dataset


def test_what_is_saved_is_loaded_as_it_was(tmp_path):
    # No setting, and 200 kB of provenance: HDF5 keeps attributes above 64 kB elsewhere.
    long = {"note": "x" * 200_000, "weights": [1, 2]}
    data = dataset(points=2, setting="", provenance=long)
    save(data, tmp_path / "run.nc")
    again = load(tmp_path / "run.nc")
    xr.testing.assert_identical(data, again)
    assert list(tmp_path.iterdir()) == [tmp_path / "run.nc"]
    for name, variable in data.variables.items():
        if name != "policy":  # Strings of a fixed length come back as of any length.
            assert again[name].dtype == variable.dtype, name


def test_loaded_file_is_closed_and_can_be_replaced(tmp_path):
    path = tmp_path / ("run" * 80 + ".nc")  # as long as names may be, nearly
    save(dataset(), path)
    data = load(path)
    save(data.isel(seed=[0]), path)
    assert load(path).sizes["seed"] == 1


def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "run.nc"
    save(dataset(), path)
    before = path.read_bytes()

    def fail(self, target, **options):
        target.write_bytes(b"half a file")
        raise OSError("disk full")

    monkeypatch.setattr(xr.Dataset, "to_netcdf", fail)
    with pytest.raises(OSError, match="disk full"):
        save(dataset(num_seeds=2), path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_missing_folder_is_named(tmp_path):
    with pytest.raises(ValueError, match="path: there is no folder"):
        save(dataset(), tmp_path / "nowhere" / "run.nc")
    with pytest.raises(ValueError, match="path: .* is a folder"):
        save(dataset(), tmp_path)


def test_a_device_is_not_replaced_by_a_file(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="path: .* is a device"):
        save(dataset(), tmp_path / "pipe")
    assert (tmp_path / "pipe").is_fifo()


def test_unwritable_folder_is_named(tmp_path, monkeypatch):
    # The superuser may write anywhere, so the system's answer is imitated.
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(PermissionError, match="path: the folder"):
        save(dataset(), tmp_path / "run.nc")


def test_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError, match="^path: there is no file"):
        load(tmp_path / "run.nc")


@pytest.mark.parametrize(
    "change",
    [
        {"made": [...]},
        {"made": None},
        {"made": {"by": "hand"}},
        {"": "nobody"},
        {"final": True},
        {"half": "\ud800"},
    ],
    ids=ascii,
)
def test_what_has_no_form_is_said_of_the_dataset(tmp_path, change):
    with pytest.raises((TypeError, ValueError), match="^dataset has something that"):
        save(dataset().assign_attrs(change), tmp_path / "a.nc")
    assert not any(tmp_path.iterdir())


def test_names_that_would_be_cut_have_no_form(tmp_path):
    """C ends a text at NUL."""
    data = dataset()
    own = data.assign(regret=data["regret"].assign_attrs({"a\0b": 1}))
    renamed = (data.rename({name: "a\0b"}) for name in ("regret", "seed"))
    for wrong in (*renamed, data.assign_attrs({"a\0b": 1}), own):
        with pytest.raises(ValueError, match="^dataset has something .* must not have"):
            save(wrong, tmp_path / "a.nc")


def test_flags_are_named(tmp_path):
    data = dataset()
    data["regret"].attrs["signed"] = False
    with pytest.raises(ValueError, match="True or False: 'final', 'signed'"):
        save(data.assign_attrs(final=True, note="x"), tmp_path / "a.nc")


def test_dimensions_that_were_stacked_have_no_form(tmp_path):
    stacked = dataset().stack(z=("params", "seed"))
    with pytest.raises(ValueError, match="^dataset has something that .*'z'"):
        save(stacked, tmp_path / "a.nc")
    assert not any(tmp_path.iterdir())
    save(stacked.reset_index("z"), tmp_path / "a.nc")


def test_a_bit_that_is_wrong_is_never_read(tmp_path, rng):
    """Of coordinates and attributes either; netCDF itself checks the values only."""
    path, wanted = tmp_path / "a.nc", dataset(points=2, provenance={"note": "y" * 99})
    save(wanted, path)
    whole, refused = path.read_bytes(), 0
    for bit in rng.choice(8 * len(whole), 60, replace=False):
        data = bytearray(whole)
        data[bit // 8] ^= 1 << bit % 8
        path.write_bytes(data)
        try:
            xr.testing.assert_identical(load(path), wanted)
        except ValueError:
            refused += 1
    assert refused >= 58  # A bit of the mark itself changes no number.
    # What netCDF wrote without a checksum is read as ever.
    wanted.to_netcdf(path, engine="h5netcdf")
    xr.testing.assert_identical(load(path), wanted)
