"""Names of metrics that Zarr, netCDF or a file system would make something else of."""

import pytest

from jaxbandits.results.names import check_variable
from tests.tables import each_row

REFUSED = [
    *("", ".", "..", ".x", "/abs", "a/b", "a\\b", "c\0d", "a\nb", "__x"),
    *("param_x", "instance", "environment", "cut", "quantile", "run_seconds"),
]


@each_row("name", REFUSED)
def test_names_that_no_file_can_have_are_refused(name):
    with pytest.raises(ValueError, match="^metrics: .*name") as raised:
        check_variable("metrics", name)
    assert repr(name) in str(raised.value)


@each_row("name", ["regret", "a b", "a.b", "ε", "x_", "_x"])
def test_names_that_files_can_have_are_taken(name):
    check_variable("metrics", name)
