"""docs/features.md as data: its rows, its files, and how it calls what is public."""

import ast
import atexit
import contextlib
import inspect
import pkgutil
import re
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jaxbandits
from jaxbandits_studies import theory
from tests.games import GAMES, game_of
from tests.plots.sweeps import sweep

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "features.md").read_text()
TABLE = re.compile(r"^\| ([A-Z]\d\d) \| .+ \| (.+) \|$", re.M)
BLOCK = re.compile(r"^```(python|sh)\n# ([A-Z]\d\d|preamble)\n(.*?)^```$", re.M | re.S)
FILES = re.findall(r"^```(?:toml|csv)\n# (\S+)\n(.*?)^```$", PAGE, re.M | re.S)
FILE = re.compile(r"'\w+\.\w+'")  # a file's name in Python
BLOCKS = {name: (kind, code) for kind, name, code in BLOCK.findall(PAGE)}
PREAMBLE = BLOCKS["preamble"][1]
ROWS = {}  # kind of the call, the call, and what it needs, by id
for id_, how in TABLE.findall(PAGE):
    call, _, needs = how.partition(" needs ")
    true = "python", f"assert {call[1:-1]}"
    line = ("sh", call[3:-1]) if call.startswith("`$ ") else true
    ROWS[id_] = (*(BLOCKS[id_] if call == "below" else line), needs)
PYTHON = [call for kind, call, _ in ROWS.values() if kind == "python"]
# Modules without a list of what is public: what they define.
UNLISTED = {
    "jaxbandits.live",
    *(f"jaxbandits_studies.theory.{x}" for x in theory.__all__),
}
# Calls of what the page calls only by the command line, by what a loop gives, or with
# what is played or takes long to compile.
MORE = """
pathlib.Path("facebook.csv").write_text(
    "campaign_id,age,gender,clicks,spent,total_conversion\\n"
    "1,30,M,5,2.0,1\\n1,30,M,9,3.0,2\\n"
)
groups = datasets.load_facebook("facebook.csv")
datasets.fb_br(groups)
datasets.fb_bt(groups)
pathlib.Path("criteo.csv").write_text(
    "uid,campaign,exposures_before_click,clicked\\nu,c,1,1\\nv,c,2,0\\nw,c,3,1\\n"
)
clicks = datasets.load_criteo("criteo.csv")
datasets.criteo(clicks, 1)
datasets.fit_criteo(clicks, 1)
from tests.store.samples import fill
fill("own.zarr")
results.open_store("own.zarr")
data = play(limited, limited)
plots.by_value(data, "gain_radius", policy="RCUCB", at={"penalty_radius": 1.0})
plots.plot_sensitivity(data, x="gain_radius", policies=["RCUCB"], by="penalty_radius")
(ax,) = plots.plot_curves(data).axes
plots.draw_legend(ax, title="curves", order=["uniform"])
stats.summary_records(data, "mine")
stats.dominance(data, "regret", correction="holm")
testing.check_law(thresholds.lomax, (np.array([1.2, 3.0]), 1.7), draws=2000)
stats.two_level(data.assign_coords(instance=("seed", np.arange(30) // 3)), "regret")
pair = jnp.ones(2)
kernels.allocation.exponential_water_filling(pair, pair, 3.0)
kernels.implicit_root(lambda x: x**2 - pair, pair)
kernels.with_slope_of(pair, pair)
curves = thresholds.curves(thresholds.weibull, pair, pair, 2.0)
kernels.allocation.sigmoid_filling(curves, 3.0)
kernels.allocation.sigmoid_prefix(curves, 3.0)
kernels.allocation.kkt_residual(curves, pair, 2.0)
kernels.allocation.fill_in_turns(jnp.arange(2), jnp.arange(2), 1)
thresholds.check_family(thresholds.weibull, pair, 2.0)
problem = allocation.make_problem(thresholds.maxwell, 2, 4.0, lowest=0.1, highest=2.0)
allocation.best_allocations(problem, np.ones(2), np.ones(2), np.ones(2))
"""


def public() -> Iterator[tuple[str, Any]]:
    """Name and value of all that users may import."""
    walked = pkgutil.walk_packages(jaxbandits.__path__, "jaxbandits.")
    others = ("jaxbandits.__main__", "jaxbandits.checks")  # for the library's authors
    for path in ["jaxbandits", *(x.name for x in walked if x.name not in others)]:
        module, unlisted = import_module(path), path in UNLISTED
        for name in getattr(module, "__all__", vars(module) if unlisted else ()):
            value = getattr(module, name)
            defined = not unlisted or getattr(value, "__module__", "") == path
            if defined and name[0] != "_" and not inspect.ismodule(value):
                yield f"{path}.{name}", value


@cache
def names() -> dict[str, Any]:
    """The names that the preamble defines."""
    exec(PREAMBLE, space := {"__name__": "features"})
    return space


def value_of(node: ast.AST) -> Any:
    """What an expression names by itself or in modules; None if it does not."""
    if isinstance(node, ast.Attribute) and inspect.ismodule(value_of(node.value)):
        return getattr(value_of(node.value), node.attr, None)
    return names().get(node.id) if isinstance(node, ast.Name) else None


@cache
def calls() -> dict[int, list[tuple[int, list[ast.stmt], ast.Call]]]:
    """The calls of `MORE` and on the page, by the function's id.

    Each is how many lines stand before it in its block, the statements up to it, and
    itself.
    """
    by_function = defaultdict(list)
    for block in [MORE, *PYTHON]:
        body = ast.parse(block).body
        for number, statement in enumerate(body):
            before = 0 if block is MORE else statement.lineno - 1
            for node in ast.walk(statement):
                if isinstance(node, ast.Call):
                    call = before, body[: number + 1], node
                    by_function[id(value_of(node.func))].append(call)
    return by_function


@cache
def folder() -> Path:
    """A folder with the files that calls read."""
    made = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, made)
    for name, text in FILES:
        (made / name).write_text(text)
    return made


def right_arguments(function: Any) -> dict[str, Any]:
    """The arguments of a right call: of the first that can be made.

    Raises:
      LookupError: if there is none.
    """
    bind = inspect.signature(function).bind
    some = sorted(calls()[id(function)], key=lambda call: call[0])
    for end in (-1, None):  # a call in a loop needs the names that the loop makes
        for _, statements, node in some:
            with contextlib.suppress(Exception), contextlib.chdir(folder()):
                space = _names_for(node, statements[:end]) | {"BIND": bind}
                node = ast.Call(ast.Name("BIND"), node.args, node.keywords)
                return dict(eval(ast.unparse(node), space).arguments)
    problems = (game_of(setting).problem for setting in GAMES)
    for only in (3, *problems):  # as factories of policies take
        with contextlib.suppress(Exception):
            function(only)
            return dict(bind(only).arguments)
    raise LookupError(f"docs/features.md has no right call of {function.__name__}")


def _names_for(node: ast.AST, statements: list[ast.stmt]) -> dict[str, Any]:
    """The names that an expression finds after statements.

    Executed are those that make what it reads; what they play is made up.
    """
    words, kept = _words(node), []
    for statement in reversed(statements):
        loop = isinstance(statement, ast.For)  # which may add to what it reads
        if words & _words(statement, ast.expr_context if loop else ast.Store):
            words |= _words(statement)
            kept.insert(0, statement)
    played = ["play", "play_all", "simulate"]
    made_up = dict.fromkeys(played, lambda *_, **__: _played())
    made_up["jb"] = SimpleNamespace(**vars(jaxbandits) | made_up)
    space = names() | made_up
    for statement in kept:
        with contextlib.suppress(Exception):
            exec(ast.unparse(statement), space)
    return space


def _words(node: ast.AST, context: type = ast.Load) -> set[str]:
    """The variables that code reads (or makes: `ast.Store`), and the files it names."""
    words = set()
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and isinstance(each.ctx, context):
            words.add(each.id)
        elif isinstance(each, ast.Constant) and FILE.fullmatch(repr(each.value)):
            words.add(each.value)
        elif isinstance(each, ast.alias | ast.FunctionDef | ast.ClassDef):
            words.add(each.name)
    return words


@cache
def _played():
    """Runs of two policies at points of two parameters."""
    points = [
        {"gain_radius": gain, "penalty_radius": penalty}
        for gain in (0.5, 1.0)
        for penalty in (1.0, 2.0)
    ]
    data = sweep({"RCUCB": points, "uniform": points}, num_seeds=30)
    shares = data["regret"] / data["regret"].max()
    return data.assign(censored=shares, optimal=1 - shares)
