"""Files that tests of loaders write."""

import pytest


@pytest.fixture
def write(tmp_path):
    """``write(text, name="table.csv")``: the path of a new file with that text."""

    def write(text, name="table.csv"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write
