"""Processes that try cases, each with a time limit."""

import json
import os
import queue
import resource
import select
import subprocess
import sys
import threading
from pathlib import Path

from attack.case import HANG, Verdict, judge

MEMORY = 12 * 2**30  # of a worker's addresses: a slip must not take the machine's
SCRIPT = Path(__file__).resolve().parents[1] / "attack.py"


def work() -> None:
    """Read places of cases, write verdicts, until there are no more."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    # What cases print goes nowhere.
    answers = os.fdopen(os.dup(1), "w")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    from attack.groups import all_cases

    cases = all_cases()
    print("ready", file=answers, flush=True)
    for line in sys.stdin:
        print(json.dumps(judge(cases[int(line)])), file=answers, flush=True)


class Worker:
    """One process, started when needed and anew after it had to be killed."""

    def __init__(self, start_s: float = 300.0):
        self.process = None
        self.start_s = start_s

    def verdict(self, place: int, limit_s: float) -> Verdict:
        """Try a case."""
        if self.process is None:
            self._start()
        self.process.stdin.write(f"{place}\n")
        line = self._line(limit_s)
        if line is None:
            self.close()
            return Verdict(HANG, f"no answer in {limit_s:g} s")
        if not line:
            code = self.process.wait()
            self.close()
            return Verdict(HANG, f"the process died with code {code}")
        return Verdict(*json.loads(line))

    def close(self) -> None:
        """End the process."""
        if self.process is not None:
            self.process.kill()
            with self.process:  # closes its pipes
                self.process = None

    def _start(self):
        self.process = subprocess.Popen(
            [sys.executable, str(SCRIPT), "--worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        if self._line(self.start_s) != "ready\n":
            self.close()
            raise RuntimeError("a worker did not start: run attack.py --here")

    def _line(self, limit_s):
        ready, _, _ = select.select([self.process.stdout], [], [], limit_s)
        return self.process.stdout.readline() if ready else None


def run(places: list[int], jobs: int, limit_s: float, told) -> dict[int, Verdict]:
    """Verdicts of cases, by several workers.

    Args:
      places: of the cases.
      jobs: how many workers.
      limit_s: for each case.
      told: called with every place and verdict.
    """
    waiting: queue.SimpleQueue = queue.SimpleQueue()
    for place in places:
        waiting.put(place)
    found: dict[int, Verdict] = {}
    errors = []

    def serve():
        worker = Worker()
        try:
            while True:
                place = waiting.get_nowait()
                found[place] = worker.verdict(place, limit_s)
                told(place, found[place])
        except queue.Empty:
            pass
        except Exception as error:
            errors.append(error)
        finally:
            worker.close()

    threads = [threading.Thread(target=serve) for _ in range(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return found
