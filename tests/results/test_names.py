"""Names of metrics that Zarr, netCDF or a file system would make something else of."""

import pytest

from jaxbandits.results.names import check_variable


@pytest.mark.parametrize(
    "name",
    [
        *("", ".", "..", ".x", "/abs", "a/b", "a\\b", "c\0d", "a\nb", "__x"),
        *("param_x", "instance", "environment", "cut", "quantile", "run_seconds"),
    ],
)
def test_refused(name):
    with pytest.raises(ValueError, match="^metrics: .*name") as raised:
        check_variable("metrics", name)
    assert repr(name) in str(raised.value)


@pytest.mark.parametrize("name", ["regret", "a b", "a.b", "ε", "x_", "_x"])
def test_fine(name):
    check_variable("metrics", name)
