"""What XLA is told lets it keep the barriers of a round: counted in operations."""

import jax
import numpy as np
import pytest
from jax.sharding import Mesh

from jaxbandits.censored import indep, rcucb
from jaxbandits.engine import rollout
from jaxbandits.engine.legs import SCAN
from jaxbandits.engine.xla import accepted, options_for
from tests.engine.budget_game import ALTERNATE, environment
from tests.engine.legs import traced

pytestmark = pytest.mark.oldest

# Floating-point operations of the compiled rollout of RCUCB with 10 x 10 pairs in 64
# lanes, loops counted once: the same with JAX 0.10.2 and 0.12.0.1. Without barriers a
# stage is computed again for its readers: 803,269.
OPERATIONS = 250_629
HERE = Mesh(np.array(jax.devices()[:1]), (rollout.LANES,))


def operations(monkeypatch, options):
    """Of the program that is compiled with some options."""
    monkeypatch.setattr(rollout, "compiler_options", lambda mesh: options)
    rollout.program_for.cache_clear()
    game = indep()
    played = traced(rcucb(game.problem), game, SCAN, HERE, 64).lower().compile()
    rollout.program_for.cache_clear()
    return played.cost_analysis()["flops"]


def test_every_stage_of_a_round_has_a_barrier():
    program = traced(ALTERNATE, environment(), SCAN, HERE, 64).jaxpr
    assert str(program).count("optimization_barrier") >= 8


@pytest.mark.slow
def test_barriers_are_kept(monkeypatch):
    options = options_for(jax.__version_info__)
    assert operations(monkeypatch, options) < 1.3 * OPERATIONS


@pytest.mark.skipif(jax.__version_info__ >= (0, 11), reason="keeps them by itself")
def test_older_versions_need_the_option(monkeypatch):
    assert operations(monkeypatch, {}) > 2 * OPERATIONS


def test_older_versions_alone_keep_a_pass_from_running():
    """Newer compilers fail with that option."""
    older, newer = options_for((0, 10, 2)), options_for((0, 12, 0, 1))
    assert older.pop("xla_disable_hlo_passes") == "cse_barrier_expander"
    assert older == newer == options_for((0, 11)) == options_for((1, 0))


def test_an_option_that_is_refused_is_left_out():
    newer = options_for((0, 12))
    options = (("xla_no_such_option", 1), *newer.items())
    with pytest.warns(UserWarning, match="does not take the option xla_no_such_option"):
        assert accepted(options) == newer
