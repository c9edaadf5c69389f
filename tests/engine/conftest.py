"""What the engine promises of bits, it promises of optimised programs."""

import pytest

from jaxbandits.engine import rollout
from jaxbandits.engine.gpu import build
from jaxbandits.engine.xla import compiler_options
from tests.programs import OPTIMISED

CPU_OPTIONS = build.CPU_OPTIONS


@pytest.fixture(scope="module")
def optimised():
    """Programs and kernels of the engine are compiled as a user's."""
    made = rollout.program_for, rollout._drawing
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            rollout, "compiler_options", lambda mesh: compiler_options(mesh) | OPTIMISED
        )
        patch.setattr(build, "CPU_OPTIONS", CPU_OPTIONS)
        for programs in made:  # of other options
            programs.cache_clear()
        yield
    for programs in made:
        programs.cache_clear()


@pytest.fixture(scope="session", autouse=True)
def kernels_are_built_quickly():
    """Without `optimised`, g++ optimises nothing: large kernels take an eighth."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "CPU_OPTIONS", (*CPU_OPTIONS, "-O0"))
        yield
