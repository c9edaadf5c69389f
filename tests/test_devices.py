"""Every core is a device, unless somebody has said something else."""

import json
import logging
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import jax
import pytest

from jaxbandits.engine import devices

ROOT = Path(devices.__file__).parents[1]
CORES = devices.cores()
SAID = ("JAX_NUM_CPU_DEVICES", "XLA_FLAGS", "JAXBANDITS_DEVICES")
needs_cores = pytest.mark.skipif(CORES < 2, reason="needs two cores")


def run(code):
    """What a fresh process prints, of which the user has decided nothing."""
    silent = {k: v for k, v in os.environ.items() if k not in SAID}
    environment = silent | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", code]
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=120
    )


@needs_cores
def test_the_command_line_has_all_cores():
    done = run("from jaxbandits.cli.main import main; main(['--version', '-v'])")
    assert json.loads(done.stdout)["devices"] == [f"cpu:{i}" for i in range(CORES)]


ALL = str(CORES)
FORCED = {"XLA_FLAGS": "--xla_force_host_platform_device_count=3"}
DECIDED = [
    (False, {}, ALL),
    (False, {"XLA_FLAGS": "--xla_backend_optimization_level=0"}, ALL),
    (True, {}, None),
    (False, {"JAXBANDITS_DEVICES": "keep"}, None),
    (False, {"JAX_NUM_CPU_DEVICES": "3"}, "3"),
    (False, FORCED, None),
]


def test_every_core_is_a_device_unless_the_user_has_decided(monkeypatch, subtests):
    for imported, given, number in DECIDED:
        environment, modules = dict(given), {"jax"} if imported else set()
        monkeypatch.setattr(devices.os, "environ", environment)
        monkeypatch.setattr(devices, "sys", SimpleNamespace(modules=modules))
        with subtests.test(imported=imported, given=given):
            devices.use_all_cores()
            assert environment.get("JAX_NUM_CPU_DEVICES") == number


def test_help_and_errors_of_the_command_line_do_not_wait_for_jax():
    code = (
        "import sys\nfrom jaxbandits.cli.main import main\n"
        "try:\n    main(['lst'])\nfinally:\n    print('jax' in sys.modules)"
    )
    done = run(code)
    assert "did you mean 'list'?" in done.stderr and done.stdout == "False\n"


def test_an_unknown_wish_is_refused(monkeypatch):
    monkeypatch.setenv("JAXBANDITS_DEVICES", "all")
    says = "^JAXBANDITS_DEVICES must be 'keep' or not set, got 'all'"
    with pytest.raises(ValueError, match=says):
        devices.use_all_cores()


@needs_cores
def test_a_note_where_it_is_too_late(monkeypatch, caplog):
    for name in SAID:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(jax, "local_devices", lambda: jax.devices()[:2])
    with caplog.at_level(logging.WARNING, "jaxbandits"):
        assert devices.local_devices() == jax.devices()[:2] and not caplog.records
    monkeypatch.setattr(jax, "local_devices", lambda: jax.devices()[:1])
    devices._note.cache_clear()
    with caplog.at_level(logging.WARNING, "jaxbandits"):
        for _ in range(2):
            assert len(devices.local_devices()) == 1
        assert len(caplog.records) == 1
        assert "import jaxbandits before jax" in caplog.text
        caplog.clear()
        devices._note.cache_clear()
        monkeypatch.setenv("JAXBANDITS_DEVICES", "keep")
        devices.local_devices()
        assert not caplog.records
