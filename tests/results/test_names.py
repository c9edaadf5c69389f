"""Names of metrics that Zarr, netCDF or a file system would make something else of."""

import pytest

from jaxbandits.results.names import check_variable

REFUSED = [
    *("", ".", "..", ".x", "/abs", "a/b", "a\\b", "c\0d", "a\nb", "__x"),
    *("param_x", "instance", "environment", "cut", "quantile", "run_seconds"),
]


def test_names_that_no_file_can_have_are_refused(subtests):
    for name in REFUSED:
        with subtests.test(name=name):
            with pytest.raises(ValueError, match="^metrics: .*name") as raised:
                check_variable("metrics", name)
            assert repr(name) in str(raised.value)


def test_names_that_files_can_have_are_taken(subtests):
    for name in ["regret", "a b", "a.b", "ε", "x_", "_x"]:
        with subtests.test(name=name):
            check_variable("metrics", name)
