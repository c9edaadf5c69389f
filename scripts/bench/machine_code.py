"""Machine code of a GPU kernel: its loops, and what a round of it executes."""

import re
import shutil
import subprocess
import sys
from itertools import product
from operator import eq, ge, gt, le, lt, ne
from pathlib import Path
from typing import NamedTuple

import numpy as np


class Loop(NamedTuple):
    """A loop of a program.

    Attributes:
      start: its first instruction.
      stop: one past its last.
      trips: how often it goes round; None if that is not counted.
    """

    start: int
    stop: int
    trips: float | None


def loops_of(code: str) -> list[Loop]:
    """The stretches of machine code that a jump leads back over, by their start."""
    labels, lines, loops = {}, [], []
    for line in code.splitlines():
        label = re.match(r"\s*(\.L_x_\d+):", line)
        if label:
            labels[label[1]] = len(lines)
        instruction = re.match(r"\s+/\*[0-9a-f]{4,}\*/\s+(.*?) *;", line)
        if not instruction:
            continue
        lines.append(instruction[1])
        target = re.search(r"BRA.*`\((\.L_x_\d+)\)", line)
        start = labels.get(target[1], len(lines)) if target else len(lines)
        # A jump to itself stands at the end of every program.
        if len(lines) - start > 1:
            loops.append(Loop(start, len(lines), _trips(lines, start)))
    return sorted(loops, key=lambda loop: (loop.start, -loop.stop))


MOST_TURNS = 10_000  # of a loop that is counted
COMPARISONS = {"EQ": eq, "NE": ne, "LT": lt, "LE": le, "GT": gt, "GE": ge}
Known = dict[str, int | None]  # numbers in registers, and predicates as 0 and 1
CONSTANTS = {"RZ": 0, "URZ": 0, "SRZ": 0, "PT": 1, "UPT": 1}


def _trips(lines: list[str], start: int) -> float | None:
    """How often the loop goes round that begins at `start` and ends with the last line.

    Its instructions are played one after the other in every turn, with what is known:
    numbers, their sums and comparisons, flags. So it does not matter how much of the
    loop the compiler has written out, and what it counts.
    """
    known: Known = dict(CONSTANTS)
    for line in lines[:start]:
        _play(line, known)
    guard = re.match(r"@(!?U?P\d) ", lines[-1])
    for turn in range(1, MOST_TURNS) if guard else ():
        before = dict(known)
        for line in lines[start:-1]:
            _play(line, known)
        again = _value(guard[1], known)
        if again is None or (again and known == before):
            return None
        if not again:
            return float(turn)
    return None


def _play(line: str, known: Known) -> None:
    """Play an instruction: what it writes is known afterwards, or unknown."""
    guard, name, text = re.match(r"(?:@(\S+) )?(\S+) ?(.*)", line).groups()
    kind, *parts = name.removeprefix("U").split(".")
    target, *sources = text.split(", ")
    happens = _value(guard or "PT", known)
    if happens == 0:
        return
    values, number = [_value(source, known) for source in sources], None
    if kind in ("MOV", "CS2R") or name.startswith("IMAD.MOV"):
        number = values[-1]
    elif kind == "HFMA2" and sources[:2] == ["-RZ", "RZ"]:
        # Zero times zero plus two halves: a way to write a number of 32 bits.
        halves = [np.float16(x).view(np.uint16) for x in sources[-2:]]
        number = int(halves[0]) << 16 | int(halves[1])
    elif kind in ("IADD3", "VIADD"):
        known.update(dict.fromkeys(re.findall(r"\bU?P\d", text)))
        terms = [x for x, of in zip(values, sources, strict=True) if of[-2] != "P"]
        number = None if None in terms else sum(terms)
    elif kind == "ISETP" and "EX" not in parts and None not in values[1:4]:
        pair = [x % 2**32 if "U32" in parts else x for x in values[1:3]]
        number = int(COMPARISONS[parts[0]](*pair) and values[3])
    elif kind == "PLOP3":
        number = _looked_up(values[1:4], int(sources[-2], 0))
    known |= {target: _signed(number) if happens else None} | CONSTANTS
    if kind == "CS2R":  # of two registers
        known[f"R{int(target[1:]) + 1}"] = known[target]


def _looked_up(flags: list[int | None], table: int) -> int | None:
    """The bit of a table at three flags; None if it depends on one that is unknown."""
    some = product(*((0, 1) if flag is None else (flag,) for flag in flags))
    bits = {table >> (4 * a + 2 * b + c) & 1 for a, b, c in some}
    return bits.pop() if len(bits) == 1 else None


def _value(text: str, known: Known) -> int | None:
    """An operand, of 32 bits with a sign; None if it is unknown."""
    if text.startswith("!"):
        inverse = _value(text[1:], known)
        return None if inverse is None else 1 - inverse
    if re.fullmatch(r"-?(0x[0-9a-f]+|\d+)", text):
        return _signed(int(text, 0))
    return known.get(text.removesuffix(".reuse"))


def _signed(number: int | None) -> int | None:
    return None if number is None else (number + 2**31) % 2**32 - 2**31


def executed(loops: list[Loop]) -> tuple[float, bool]:
    """Instructions that a round executes.

    The longest loop is that of the rounds. A loop in it whose turns are not counted, as
    one that few rounds enter, is taken to go round once.

    Returns:
      ``(instructions, known)``: `known` is false if there are such loops.
    """
    whole = max(loops, key=lambda loop: loop.stop - loop.start)
    inner = [
        loop
        for loop in loops  # outer ones first
        if loop != whole and whole.start <= loop.start and loop.stop <= whole.stop
    ]
    weight = [1.0] * (whole.stop - whole.start)
    for loop in inner:
        inside = slice(loop.start - whole.start, loop.stop - whole.start)
        times = weight[inside.start] * (loop.trips or 1.0)
        weight[inside] = [times] * (loop.stop - loop.start)
    return sum(weight), all(loop.trips is not None for loop in inner)


def resources(report: str) -> dict:
    """Registers, bytes of stack and of spills of a kernel, as `ptxas` says."""
    return {
        "registers": int(re.search(r"Used (\d+)", report)[1]),
        "stack_bytes": int(re.search(r"(\d+) bytes stack", report)[1]),
        "spill_bytes": int(re.search(r"(\d+) bytes spill stores", report)[1]),
    }


def assembled(ptx: Path) -> tuple[str, str]:
    """What `ptxas` says of a program, and its machine code as text."""
    binary = ptx.with_suffix(".cubin")
    report = _output(_tool("ptxas"), "-v", "-arch=sm_90a", ptx, "-o", binary)
    return report, _output(_tool("nvdisasm"), "-c", binary)


def _output(*command) -> str:
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return done.stdout + done.stderr


def _tool(name: str) -> str:
    """A program of the CUDA toolkit, on the path or in one of its wheels."""
    wheels = (
        str(path)
        for each in sys.path
        for path in Path(each).glob(f"nvidia/*/bin/{name}")
    )
    program = shutil.which(name) or next(wheels, None)
    if program is None:
        raise FileNotFoundError(f"{name} not found: install the CUDA toolkit")
    return program
