"""What the engine promises of bits, it promises of optimised programs."""

import pytest

from jaxbandits.engine import rollout
from jaxbandits.engine.xla import compiler_options
from tests.programs import OPTIMISED


@pytest.fixture(scope="module")
def optimised():
    """Programs of the engine are compiled as a user's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            rollout, "compiler_options", lambda mesh: compiler_options(mesh) | OPTIMISED
        )
        _forget()
        yield
    _forget()


def _forget():
    """Programs of other options."""
    rollout._program.cache_clear()
    rollout._drawing.cache_clear()
