"""Machine code of a GPU kernel: its loops, and what a round of it executes."""

import re
import shutil
import subprocess
import sysconfig
from pathlib import Path
from typing import NamedTuple


class Loop(NamedTuple):
    """A loop of a program.

    Attributes:
      start: its first instruction.
      stop: one past its last.
    """

    start: int
    stop: int

    def inside(self, other: "Loop") -> bool:
        """Whether it is part of another loop."""
        return other != self and other.start <= self.start and self.stop <= other.stop


def loops_of(code: str) -> tuple[list[str], list[Loop]]:
    """Names of all instructions, and the stretches that a jump leads back over."""
    labels, found, loops = {}, [], []
    for line in code.splitlines():
        label = re.match(r"\s*(\.L_x_\d+):", line)
        if label:
            labels[label[1]] = len(found)
        instruction = re.match(r"\s+/\*[0-9a-f]{4,}\*/\s+(?:@\S+ )?([A-Z0-9]+)", line)
        if not instruction:
            continue
        found.append(instruction[1])
        target = re.search(r"BRA.*`\((\.L_x_\d+)\)", line)
        start = labels.get(target[1], len(found)) if target else len(found)
        # A jump to itself stands at the end of every program.
        if len(found) - start > 1:
            loops.append(Loop(start, len(found)))
    return found, sorted(loops)


def executed(loops: list[Loop], trips: list[tuple[int, int]]) -> tuple[float, bool]:
    """Instructions that a round executes.

    The longest loop is that of the rounds. The trips of the loops in it are those of
    the program's loops, in order. A compiler may write a short loop out: then the
    loops that are left are taken to be those with the most operations.

    Args:
      loops: of the machine code, by their first instruction.
      trips: ``(trips, operations)`` of the program's loops of fixed length, in order,
        outer ones before those in them.

    Returns:
      ``(instructions, known)``: `known` is false if there are more loops than the
      program has, which are then counted once.
    """
    whole = max(loops, key=lambda loop: loop.stop - loop.start)
    inner = [loop for loop in loops if loop.inside(whole)]
    largest = sorted(range(len(trips)), key=lambda i: -trips[i][1])[: len(inner)]
    left = [trips[i][0] for i in sorted(largest)]
    known = len(left) == len(inner)
    times = dict(zip(inner, left, strict=True)) if known else dict.fromkeys(inner, 1)
    weight = [1.0] * (whole.stop - whole.start)
    for loop, trip in times.items():
        for i in range(loop.start, loop.stop):
            weight[i - whole.start] *= trip
    return sum(weight), known


def resources(told: str) -> dict:
    """Registers and bytes of stack of a kernel, from what `ptxas` says."""
    return {
        "registers": int(re.search(r"Used (\d+)", told)[1]),
        "stack_bytes": int(re.search(r"(\d+) bytes stack", told)[1]),
    }


def assembled(ptx: Path) -> tuple[str, str]:
    """What `ptxas` says of a program, and its machine code as text."""
    binary = ptx.with_suffix(".cubin")
    told = _output(_tool("ptxas"), "-v", "-arch=sm_90a", ptx, "-o", binary)
    return told, _output(_tool("nvdisasm"), "-c", binary)


def _output(*command) -> str:
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return done.stdout + done.stderr


def _tool(name: str) -> str:
    """A program of the CUDA toolkit, on the path or in one of its wheels."""
    packages = Path(sysconfig.get_paths()["purelib"])
    places = (f"nvidia/*/bin/{name}", f"triton/backends/nvidia/bin/{name}")
    wheels = (str(path) for place in places for path in packages.glob(place))
    found = shutil.which(name) or next(wheels, None)
    if found is None:
        raise FileNotFoundError(f"{name} not found: install the CUDA toolkit or triton")
    return found
