"""What the engine promises of bits, it promises of optimised programs."""

import pytest

from jaxbandits.engine import rollout
from jaxbandits.engine.xla import compiler_options
from tests.workers import OPTIMISED


@pytest.fixture(autouse=True, scope="package")
def optimised():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            rollout, "compiler_options", lambda mesh: compiler_options(mesh) | OPTIMISED
        )
        forget()
        yield
    forget()


def forget():
    """Programs of other options."""
    rollout.program.cache_clear()
    rollout._drawing.cache_clear()
