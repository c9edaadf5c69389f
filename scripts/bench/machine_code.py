"""Machine code of a GPU kernel: its loops, and what a round of it executes."""

import re
import shutil
import subprocess
import sys
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

    def inside(self, other: "Loop") -> bool:
        """Whether it is part of another loop."""
        return other != self and other.start <= self.start and self.stop <= other.stop


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


def _trips(lines: list[str], start: int) -> float | None:
    """How often the loop goes round that begins at `start` and ends with the last line.

    A counted loop adds a number to a register in every turn, and goes on until it is
    equal to another one. How much the compiler has written out does not matter. Where
    two turns are left, a flag may stand for the number.
    """
    condition = re.match(r"@!?(U?P\d) ", lines[-1])
    compared = condition and _compared(lines[start:], condition[1])
    if not compared:
        flag = re.match(r"@(U?P\d) ", lines[-1])
        return 2.0 if flag and _by_flag(lines, start, flag[1]) else None
    register, end = compared
    sum_of = r"(?:@\S+ )?U?(?:IADD3|VIADD)\S* {},(?: U?P\d,)? {}, ([^,]+)"
    # What is compared may be the counter and a number.
    further = sum_of.format(register, r"(U?R\d+)(?:\.reuse)?")
    summed = None
    for place in range(len(lines) - 1, start - 1, -1):
        found = re.match(further, lines[place])
        if found and found[1] != register and _immediate(found[2]) is not None:
            register, end, summed = found[1], end - _immediate(found[2]), place
            break
    step = sum_of.format(register, register)
    own = enumerate(lines[start:], start)
    places = {place: m[1] for place, line in own if (m := re.match(step, line))}
    steps = list(places.values())
    before = (line for line in reversed(lines[:start]) if _writes(line, register))
    begin = _constant(next(before, ""))
    by = _immediate(steps[0]) if len(steps) == 1 else None
    if None in (begin, by, end) or not by:
        return None
    before_step = summed is not None and summed < min(places)
    return (end - begin) / by + before_step


def _compared(lines: list[str], predicate: str) -> tuple[str, int] | None:
    """The register and the number whose comparison a predicate is the result of."""
    for line in reversed(lines[:-1]):
        if not _writes(line, predicate):
            continue
        copied = re.search(r"PLOP3\S* .*\b(UP\d)", line)
        if copied:
            predicate = copied[1]
            continue
        found = re.search(r"ISETP\.(?:N|GE)\S* \S+ U?PT, (\w+), ([^,]+),", line)
        if not found:
            return None
        # A register and a number; the register may be the second.
        first, second = sorted(found.groups(), key=lambda x: _immediate(x) is not None)
        return first, _immediate(second)
    return None


def _by_flag(lines: list[str], start: int, predicate: str) -> bool:
    """Whether a predicate is a flag that is set before a loop, and cleared in it."""
    own = lines[start:]
    copied = [i for i, line in enumerate(own) if _writes(line, predicate)]
    flag = _of_flags(own[copied[-1]]) if copied else None
    if not isinstance(flag, str):
        return False
    before = next((x for x in reversed(lines[:start]) if _writes(x, flag)), "")
    cleared = [i for i, line in enumerate(own) if _writes(line, flag)]
    return (
        _of_flags(before) is True
        and len(cleared) == 1
        and cleared[0] > copied[-1]
        and _of_flags(own[cleared[0]]) is False
    )


def _of_flags(line: str) -> bool | str | None:
    """What an instruction on three flags gives: a constant, one of them, or neither."""
    found = re.fullmatch(
        r"U?PLOP3\.LUT U?P\d, U?PT, (\w+), (\w+), (\w+), (0x\w+), 0x0", line
    )
    if not found:
        return None
    *flags, table = found.groups()
    read = [flag for flag in flags if flag not in ("PT", "UPT")]
    if not read:
        return bool(int(table, 0) & 0x80)  # the entry of three that are true
    return read[0] if len(read) == 1 and int(table, 0) == 0x80 else None


def _writes(line: str, name: str) -> bool:
    """Whether an instruction writes a register or predicate."""
    pair = re.match(r"CS2R R(\d+),", line)  # of two registers
    if pair and name == f"R{int(pair[1]) + 1}":
        return True
    return bool(re.match(rf"(?:@\S+ )?\S+ {name},", line))


def _immediate(text: str) -> int | None:
    """A number in an instruction, of 32 bits with a sign."""
    if text in ("RZ", "URZ", "SRZ"):
        return 0
    if not re.fullmatch(r"-?(0x[0-9a-f]+|\d+)", text):
        return None
    return (int(text, 0) + 2**31) % 2**32 - 2**31


def _constant(line: str) -> int | None:
    """The number that an instruction puts into a register."""
    *_, last = line.rsplit(", ", 1)
    if re.match(r"(?:U?MOV|CS2R|IMAD\.MOV\.U32) ", line):
        return _immediate(last)
    # Zero times zero plus two halves: a way to write a number of 32 bits.
    if line.startswith("HFMA2"):
        halves = [np.float16(x).view(np.uint16) for x in line.split(", ")[-2:]]
        return int(halves[0]) << 16 | int(halves[1])
    return None


def executed(loops: list[Loop]) -> tuple[float, bool]:
    """Instructions that a round executes.

    The longest loop is that of the rounds. A loop in it whose turns are not counted, as
    one that few rounds enter, is taken to go round once.

    Returns:
      ``(instructions, known)``: `known` is false if there are such loops.
    """
    whole = max(loops, key=lambda loop: loop.stop - loop.start)
    inner = [loop for loop in loops if loop.inside(whole)]
    weight = [1.0] * (whole.stop - whole.start)
    for loop in inner:  # outer ones first
        inside = slice(loop.start - whole.start, loop.stop - whole.start)
        times = weight[inside.start] * (loop.trips or 1.0)
        weight[inside] = [times] * (loop.stop - loop.start)
    return sum(weight), all(loop.trips is not None for loop in inner)


def resources(told: str) -> dict:
    """Registers, bytes of stack and of spills of a kernel, as `ptxas` says."""
    return {
        "registers": int(re.search(r"Used (\d+)", told)[1]),
        "stack_bytes": int(re.search(r"(\d+) bytes stack", told)[1]),
        "spill_bytes": int(re.search(r"(\d+) bytes spill stores", told)[1]),
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
    wheels = (
        str(path)
        for each in sys.path
        for path in Path(each).glob(f"nvidia/*/bin/{name}")
    )
    found = shutil.which(name) or next(wheels, None)
    if found is None:
        raise FileNotFoundError(f"{name} not found: install the CUDA toolkit")
    return found
