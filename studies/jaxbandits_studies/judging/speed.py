"""What a round costs, by entrant."""

import json
from collections.abc import Mapping
from pathlib import Path

from jaxbandits.protocol import Environment
from jaxbandits.results.atomic import replacing
from jaxbandits.simulation.drive import simulate
from jaxbandits.simulation.machine import Machine
from jaxbandits_studies.common.experiment import Options
from jaxbandits_studies.common.playing import end_of
from jaxbandits_studies.judging.playing import policy_for
from jaxbandits_studies.judging.protocol import Entrant, Protocol

RUNS = 64
FILE = "speed.json"


def microseconds(
    protocol: Protocol,
    environment: Environment,
    entrants: Mapping[str, Entrant],
    options: Options,
) -> dict[str, float]:
    """Per round of a run, compilation left out, on the machine as busy as it is.

    Measured once and kept in the options' folder.

    Args:
      protocol: of the setting.
      environment: what is played.
      entrants: by name.
      options: the folder.
    """
    path = None if options.folder is None else Path(options.folder) / FILE
    kept = json.loads(path.read_text()) if path and path.exists() else {}
    if missing := {name: e for name, e in entrants.items() if name not in kept}:
        kept |= _measured(protocol, environment, missing, options)
        if path:
            with replacing(path) as temporary:
                Path(temporary).write_text(json.dumps(kept, indent=1) + "\n")
    return {name: kept[name] for name in entrants if name in kept}


def _measured(protocol, environment, entrants, options) -> dict[str, float]:
    policies = {x: policy_for(entrant, environment) for x, entrant in entrants.items()}
    made = {name: policy for name, policy in policies.items() if policy is not None}
    if not made:
        return {}
    end = end_of(environment, protocol.horizons[0])
    machine = Machine(progress=False)
    result = simulate(made, environment, seeds=RUNS, machine=machine, **end)
    rounds = result["rounds"].isel(params=0, checkpoint=-1).sum("seed")
    each = 1e6 * result["run_seconds"] / rounds
    return dict(
        zip(result["policy"].values.tolist(), each.values.tolist(), strict=True)
    )
