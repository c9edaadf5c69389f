"""The last checkpoint is the largest one."""

import numpy as np
import pytest

from jaxbandits import plots, stats
from tests.results.samples import dataset

ASKED = {
    "mean": lambda data: stats.mean(data, "regret"),
    "final": lambda data: stats.final(data, "regret"),
    "interval": lambda data: stats.interval(data, "regret"),
    "dominance": lambda data: stats.dominance(data, "regret"),
    "records": lambda data: stats.summary_records(data, "x"),
    "ranks": lambda data: plots.plot_ranks(data, "regret"),
    "bars": lambda data: plots.plot_bars(data, "regret"),
    "curves": lambda data: plots.plot_curves(data, "regret"),
    "shares": stats.as_share,
}


@pytest.mark.parametrize("ask", list(ASKED.values()), ids=list(ASKED))
def test_a_dataset_whose_checkpoints_do_not_increase_is_refused(ask):
    data = dataset()
    equal = data.assign_coords(checkpoint=[1, 2, 2, 3])
    lost = data.assign_coords(checkpoint=[1.0, 2.0, np.nan, 3.0])
    for wrong in (data.isel(checkpoint=slice(None, None, -1)), equal, lost):
        with pytest.raises(ValueError, match="^checkpoint must increase"):
            ask(wrong)
