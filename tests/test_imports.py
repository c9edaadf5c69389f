"""What every public import loads; what is heavy waits until it is used."""

import json
import os
import subprocess
import sys
from pathlib import Path

import jaxbandits
from tests.test_devices import SAID

ROOT = Path(jaxbandits.__file__).parents[1]
WATCHED = """
    chex h5netcdf h5py jax jsonschema matplotlib matplotlib.pyplot optax pandas
    psutil rich scipy scipy.special scipy.stats xarray zarr
    jax.experimental.pallas jax.experimental.multihost_utils
    jaxbandits.engine.run jaxbandits.engine.gpu jaxbandits.results
    jaxbandits.censored.problem
""".split()
# One after another in one process: what each of them loads that was not there. Results
# are read and drawn without JAX.
LOADED = {
    "import jaxbandits": "",
    "from jaxbandits.cli.main import parsers; parsers()[0].format_help()": "",
    "import jaxbandits.results, jaxbandits.stats": "jaxbandits.results",
    "import jaxbandits.plots": "matplotlib pandas scipy xarray",
    "import jaxbandits.protocol": "jax",
    "import jaxbandits.arrays": "",
    "import jaxbandits.kernels": "",
    "from jaxbandits import simulate": "jaxbandits.engine.run",
    "from jaxbandits import Store": "",
    "import jaxbandits.laws": "",
    "from jaxbandits import budgeted, censored": "",
    "import jaxbandits.registry": "jaxbandits.censored.problem",
    "from jaxbandits import stats; censored.indep(); stats.interval": "scipy.special",
    "import jaxbandits.testing, jaxbandits.live": "scipy.stats",
}
# What an array in memory takes: no store, no statistics, nobody's policies.
SIMULATE = """
    arrays checks console contract engine protocol results simulation
""".split()
STEPS = """
import json, sys
steps, watched = json.loads(sys.argv[1])
known, loaded = set(), {}
for step in steps:
    exec(step)
    now = {name for name in watched if name in sys.modules}
    loaded[step] = " ".join(sorted(now - known))
    known = now
print(json.dumps(loaded))
"""


def fresh(code, *arguments):
    """What a new process prints, in which nobody has said what devices there are."""
    command = [sys.executable, "-c", code, *arguments]
    silent = {k: v for k, v in os.environ.items() if k not in SAID}
    return subprocess.run(
        command, env=silent, check=True, cwd=ROOT, stdout=subprocess.PIPE
    ).stdout


def test_what_imports_load():
    assert json.loads(fresh(STEPS, json.dumps([[*LOADED], WATCHED]))) == LOADED


def test_simulate_loads_what_it_uses():
    code = "import jaxbandits, sys; jaxbandits.simulate; print(*sys.modules)"
    names = [x.split(".") for x in fresh(code).decode().split()]
    ours = [rest for first, *rest in names if first == "jaxbandits" and rest]
    assert {rest[0] for rest in ours} == set(SIMULATE)
    stored = {"stored", "workers", "verify", "block_store"}
    assert len(ours) < 80 and not stored & {rest[-1] for rest in ours}
    assert not {"matplotlib", "scipy"} & {first for first, *_ in names}


def test_the_stub_says_what_there_is():
    """`__init__.pyi` is what Python, editors and type checkers go by."""
    assert "simulate" in jaxbandits.__all__ and "kernels" in dir(jaxbandits)
    for name in jaxbandits.__all__:
        assert getattr(jaxbandits, name) is not None
    assert {*jaxbandits.__all__} == set(_listed(ROOT / "jaxbandits/__init__.pyi"))


def _listed(stub):
    names = {}
    exec(stub.read_text().split("__version__: str")[1], names)
    return names["__all__"]


def test_the_package_says_that_it_is_typed():
    assert (ROOT / "jaxbandits/py.typed").is_file()
