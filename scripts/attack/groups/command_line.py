"""The command line, and the files that it reads."""

import contextlib
import io
from pathlib import Path

from attack.case import Case
from jaxbandits import cli

TABLE = """
setting = "budgeted"
budget = 5
seeds = 2

[environments.three]
make = "s_br"
arguments = {num_arms = 3}

[policies.omega]
make = "omega_ucb"
"""
# What is put in place of what, and a word that the error must have.
CHANGES = [
    ('setting = "budgeted"', "", "setting"),
    ('"budgeted"', '"plain"', "setting"),
    ('"budgeted"', "3", "setting"),
    ('"budgeted"', '"censored"', "make"),
    ("budget = 5", "", "budget"),
    ("budget = 5", "budget = 0", "budget"),
    ("budget = 5", "budget = -1", "budget"),
    ("budget = 5", 'budget = "5"', "budget"),
    ("budget = 5", "budget = nan", "budget"),
    ("budget = 5", "budget = inf", "budget"),
    ("budget = 5", "budget = 3e9", "budget"),
    ("budget = 5", "budget = 1e-50", "budget"),
    ("budget = 5", "budget = true", "budget"),
    ("budget = 5", "horizon = 2.5", "horizon"),
    ("budget = 5", "horizon = 0", "horizon"),
    ("budget = 5", "horizon = 3000000000", "horizon"),
    ("budget = 5", "budget = 5\nhorizon = 0", "horizon"),
    ("budget = 5", "budget = 5\nhorizon = 1e12", "horizon"),
    ("budget = 5", 'budget = 5\nmetrics = ["nothing"]', "metrics"),
    ("budget = 5", 'budget = 5\nmetrics = "regret"', "metrics"),
    ("budget = 5", "budget = 5\nmetrics = []", "metrics"),
    ("budget = 5", "budget = 5\ncheckpoints = [5, 2]", "checkpoints"),
    ("budget = 5", "budget = 5\ncheckpoints = [nan]", "checkpoints"),
    ("budget = 5", 'budget = 5\ncheckpoints = "x"', "checkpoints"),
    ("budget = 5", "budget = 5\nnothing = 3", "nothing"),
    ("budget = 5", "budget = 5\nroot_seed = -1", "root_seed"),
    ("budget = 5", "budget = 5\nrun_per_instance = 2", "run_per_instance"),
    ("budget = 5", "budget = 5\nruns_per_instance = 0", "runs_per_instance"),
    ("seeds = 2", "seeds = 0", "seeds"),
    ("seeds = 2", "seeds = 2.5", "seeds"),
    ("seeds = 2", "seeds = [1, 1]", "seeds"),
    ("seeds = 2", "seeds = [-1]", "seeds"),
    ("seeds = 2", "seeds = 10000000000", "seeds"),
    ("seeds = 2", "seeds = 'many'", "seeds"),
    ("[environments.three]", "[environments]", "environments"),
    ("[policies.omega]", "[policies]", "policies"),
    ('"s_br"', '"s_brr"', "make"),
    ('"s_br"', "3", "make"),
    ('"s_br"', '"make_problem"', "make"),
    ('"s_br"', '"os.system"', "make"),
    ("{num_arms = 3}", "{num_arms = 0}", "num_arms"),
    ("{num_arms = 3}", "{num_arms = 2.5}", "num_arms"),
    ("{num_arms = 3}", '{num_arms = "3"}', "num_arms"),
    ("{num_arms = 3}", "{num_arms = nan}", "num_arms"),
    ("{num_arms = 3}", "{}", "num_arms"),
    ("{num_arms = 3}", "{arms = 3}", "num_arms"),
    ("{num_arms = 3}", "3", "arguments"),
    ('"omega_ucb"', '"omega_ucbb"', "make"),
    ('"omega_ucb"', '"Params"', "make"),
    ('"omega_ucb"', '"omega_ucb"\narguments = {star = "x"}', "star"),
    ('"omega_ucb"', '"omega_ucb"\narguments = {exploration = 3}', "exploration"),
    ('"omega_ucb"', '"omega_ucb"\narguments = {problem = 3}', "problem"),
    ('"omega_ucb"', '"omega_ucb"\ncross.nothing = [1]', "nothing"),
    ('"omega_ucb"', '"omega_ucb"\ncross.rho = []', "rho"),
    ('"omega_ucb"', '"omega_ucb"\ncross.rho = ["a"]', "rho"),
    ('"omega_ucb"', '"omega_ucb"\ncross.rho = [nan]', "rho"),
    ('"omega_ucb"', '"omega_ucb"\ncross.rho = [1, 1]', "omega"),
    ('"omega_ucb"', '"omega_ucb"\ncross.rho = -1', "rho"),
    ('"omega_ucb"', '"omega_ucb"\ncross.rho = [1e39]', "rho"),
    ('"omega_ucb"', '"omega_ucb"\ncross.rho = {from = 1}', "rho"),
    (
        '"omega_ucb"',
        '"omega_ucb"\ncross.rho = {from = 1, to = 2, points = 10000000000}',
        "points",
    ),
    (
        '"omega_ucb"',
        '"omega_ucb"\ncross.rho = {from = 0, to = 2, points = 3, scale = "log"}',
        "from",
    ),
    (
        '"omega_ucb"',
        '"omega_ucb"\nzip = {rho = [1, 2], z_cap = [1]}',
        "omega",
    ),
]
SEEDS = '\n[seeds]\nmetric = "regret"\nhalf_width = 0.5\n'
HALF_WIDTHS = [
    ('"regret"', '"nothing"', "metric"),
    ('"regret"', "3", "metric"),
    ("0.5", "0", "half_width"),
    ("0.5", "-1", "half_width"),
    ("0.5", "nan", "half_width"),
    ("0.5", '"a"', "half_width"),
    ("0.5", "0.5\nlevel = 1.5", "level"),
    ("0.5", "0.5\nlevle = 0.5", "levle"),
    ("0.5", "0.5\nat_most = 0", "at_most"),
    ("0.5", "0.5\npilot = 1", "pilot"),
    ("0.5", "0.5\neach = 1", "each"),
]
MODULES = {
    "syntax": "SPEC = (",
    "no SPEC": "x = 1",
    "SPEC is a dict": "SPEC = {}",
    "an empty SPEC": "from jaxbandits.sweeps import Spec\nSPEC = Spec({}, {})",
    "KeyError": "{}['x']",
    "ImportError": "import no_such_module_at_all",
    "sys.exit(0)": "import sys\nsys.exit(0)",
    "sys.exit(3)": "import sys\nsys.exit(3)",
    "raises ZeroDivisionError": "1 / 0",
}
FILES = {
    "empty.toml": b"",
    "half.toml": b"seeds = ",
    "twice.toml": b"[a]\n[a]",
    "bytes.toml": bytes(range(256)),
    "utf16.toml": TABLE.encode("utf-16"),
    "json.json": b"{}",
    "none": b"",
}
LINES = [
    ([], "COMMAND"),
    (["nothing"], "nothing"),
    (["reproduce"], "NAME"),
    (["reproduce", "nothing"], "NAME"),
    (["reproduce", "censored-fig1", "--seeds", "0"], "seeds"),
    (["reproduce", "censored-fig1", "--seeds", "x"], "seeds"),
    (["reproduce", "censored-fig4", "--horizon", "-1"], "horizon"),
    (["reproduce", "censored-fig4", "--horizon", "1.5"], "horizon"),
    (["reproduce", "censored-fig1", "--nothing"], "nothing"),
    (["sweep"], "SPEC"),
    (["sweep", "missing.toml"], "SPEC"),
    (["sweep", "."], "SPEC"),
    (["sweep", "https://a.b/c.toml"], "SPEC"),
    (["list", "--nothing"], "nothing"),
    (["info", "more"], "more"),
]
OPTIONS = [
    (["--seeds", "0"], "seeds"),
    (["--seeds", "x"], "seeds"),
    (["--seeds", "-1"], "seeds"),
    (["--block", "0"], "block"),
    (["--block", "x"], "block"),
    (["--store", ""], "store"),
    (["--store", "hdfs://a/b"], "store"),
    (["--store", "https://a.b/c"], "store"),
    (["--process", "0"], "process"),
    (["--processes", "0", "--process", "0"], "processes"),
]


def cases() -> list[Case]:
    found = []
    for old, new, word in CHANGES:
        assert old in TABLE, old
        found.append(
            _of_file(f"{old} -> {new!r}", "a.toml", TABLE.replace(old, new), word)
        )
    for old, new, word in HALF_WIDTHS:
        text = TABLE.replace("seeds = 2\n", "") + SEEDS.replace(old, new)
        found.append(_of_file(f"until: {old} -> {new!r}", "a.toml", text, word))
    for name, text in MODULES.items():
        word = "sweep" if name == "an empty SPEC" else "a.py"
        found.append(_of_file(f"a module: {name}", "a.py", text, word))
    for name, data in FILES.items():
        found.append(_of_file(f"a file: {name}", name, data, name))
    for line, word in LINES:
        found.append(
            Case(" ".join(line) or "no command", lambda a=line: run(a), (word,))
        )
    for options, word in OPTIONS:
        case = _of_file(" ".join(options), "a.toml", TABLE, word, options)
        found.append(case)
    return found


def _of_file(name, file, data, word, options=()):
    def call():
        Path(file).write_bytes(data if isinstance(data, bytes) else data.encode())
        return run(["sweep", file, *options])

    # A word of a dotted place will do: a.toml: policies.omega.cross.rho
    return Case(name, call, (word, f"--{word}"), heavy=True)


def run(arguments):
    """Exit 2 as an error, with what was printed to standard error; 0 is returned."""
    printed = io.StringIO()
    with contextlib.redirect_stderr(printed), contextlib.redirect_stdout(io.StringIO()):
        try:
            status = cli.main(arguments)
        except SystemExit as end:
            status = end.code
        except BaseException as error:
            raise RuntimeError(f"a traceback: {error!r}") from error
    if status == 2:
        raise ValueError(printed.getvalue())
    if status:
        raise RuntimeError(f"exit {status}: {printed.getvalue()}")
    return "exit 0"
