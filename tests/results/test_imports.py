"""The results stay on the host: reading them needs no JAX."""

import subprocess
import sys
from pathlib import Path

import jaxbandits

# An empty package in the library's place, as its own `__init__` tells JAX of cores.
ALONE = """
import sys, types
package = types.ModuleType("jaxbandits")
package.__path__ = [sys.argv[1]]
sys.modules["jaxbandits"] = package
import jaxbandits.results, jaxbandits.stats, jaxbandits.plots
loaded = {"jax", "matplotlib.pyplot"} & sys.modules.keys()
assert not loaded, loaded
"""


def test_results_and_plots_import_neither_jax_nor_what_is_heavy():
    folder = Path(jaxbandits.__file__).parent
    subprocess.run([sys.executable, "-c", ALONE, folder], check=True, cwd=folder)
