"""What the engine promises of bits, it promises of optimised programs."""

import pytest

from jaxbandits.engine import rollout
from jaxbandits.engine.xla import compiler_options
from tests.programs import OPTIMISED

QUICK = {
    "xla_backend_optimization_level": 0,
    "xla_llvm_disable_expensive_passes": True,
    "xla_cpu_parallel_codegen_split_count": 1,
}


def _compiled_with(options):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            rollout, "compiler_options", lambda mesh: compiler_options(mesh) | options
        )
        _forget()
        yield
    _forget()


@pytest.fixture(scope="module")
def optimised():
    """Programs of the engine are compiled as a user's."""
    yield from _compiled_with(OPTIMISED)


@pytest.fixture(scope="module")
def quickly():
    """Programs of the engine are compiled quickly, in the long run, too."""
    yield from _compiled_with(QUICK)


def _forget():
    """Programs of other options."""
    rollout.program_for.cache_clear()
    rollout._drawing.cache_clear()
