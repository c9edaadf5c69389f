"""What the engine promises of bits, it promises of optimised programs."""

import pytest

from jaxbandits.engine import rollout
from jaxbandits.engine.xla import compiler_options
from tests.programs import OPTIMISED


@pytest.fixture(scope="module")
def optimised():
    """Programs of the engine are compiled as a user's."""
    made = rollout.program_for, rollout._drawing
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            rollout, "compiler_options", lambda mesh: compiler_options(mesh) | OPTIMISED
        )
        for programs in made:  # of other options
            programs.cache_clear()
        yield
    for programs in made:
        programs.cache_clear()
