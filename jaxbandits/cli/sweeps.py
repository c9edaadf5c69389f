"""The commands ``sweep``, ``sweep status``, ``sweep merge`` and ``sweep verify``.

A command imports modules when it runs, so that help and errors are printed at once.
"""

import json
import os
import signal
from pathlib import Path

from jaxbandits import checks

GOES_ON = (
    "complete blocks are safe in the store, and the same command goes on from there"
)


def add_sweeps(commands) -> None:
    """Add the commands to the parser of the command line."""
    sweep = commands.add_parser(
        "sweep",
        help="play a sweep, or what is missing of it",
        epilog="Stores of sweeps: jaxbandits sweep status | merge | verify --help",
    )
    sweep.add_argument("spec", metavar="SPEC", help="a .toml or .py file")
    sweep.add_argument("--store", help="a folder or a bucket (default: results/NAME)")
    sweep.add_argument(
        "--extend", action="store_true", help="add what is new in SPEC to the store"
    )
    sweep.add_argument(
        "--seeds",
        type=int,
        help="number of seeds (of the pilot, with a half-width), in place of SPEC's",
    )
    sweep.add_argument(
        "--block", type=int, metavar="N", help="runs that are written at a time"
    )
    sweep.add_argument(
        "--keep",
        choices=("runs", "moments"),
        help="what the store keeps of every metric (default: runs)",
    )
    sweep.add_argument(
        "--verify",
        type=int,
        nargs="?",
        const=8,
        default=0,
        metavar="N",
        help="play N random blocks again and compare all bits (default: 8)",
    )
    sweep.add_argument(
        "--accept-version",
        action="store_true",
        help="go on with a newer patch of JAX than the store was made with",
    )
    sweep.add_argument(
        "--plan",
        action="store_true",
        help="play nothing: say how many runs, bytes and hours it takes, about",
    )
    sweep.add_argument("--json", action="store_true", help="print the records")
    sweep.add_argument(
        "--workers", type=int, metavar="N", help="play in N processes of this machine"
    )
    hosts = sweep.add_argument_group(
        "several processes", "each runs this command; see docs/sweeps.md"
    )
    hosts.add_argument(
        "--shard",
        type=_shard,
        metavar="I/N",
        help="play the I-th (from 0) of N shares of the blocks, then the others' rest",
    )
    hosts.add_argument(
        "--distributed",
        action="store_true",
        help="join the others by jax.distributed; finds them under SLURM, Open MPI and "
        "on TPU pods",
    )
    hosts.add_argument("--coordinator", metavar="HOST:PORT", help="of process 0")
    hosts.add_argument("--processes", type=int, metavar="N", help="how many there are")
    hosts.add_argument("--process", type=int, metavar="I", help="this one, from 0")
    sweep.set_defaults(command=_sweep)
    state = commands.add_parser(
        "sweep status", help="how far a sweep is, who plays it, what the store holds"
    )
    state.add_argument("store", metavar="STORE")
    state.add_argument(
        "--text",
        action="store_true",
        help="print the file that the sweep was first read from",
    )
    state.add_argument("--json", action="store_true", help="print JSON")
    state.set_defaults(command=_status)
    merged = commands.add_parser(
        "sweep merge", help="make one store of several stores of one sweep"
    )
    merged.add_argument("stores", metavar="STORE", nargs="+")
    merged.add_argument("--into", metavar="STORE", required=True, help="a new store")
    merged.set_defaults(command=_merge)
    verify = commands.add_parser(
        "sweep verify", help="read every file of a store; play blocks again"
    )
    verify.add_argument("store", metavar="STORE")
    verify.add_argument(
        "--blocks",
        type=int,
        metavar="N",
        default=0,
        help="play N random blocks again and compare all bits (0)",
    )
    verify.add_argument(
        "--spec",
        metavar="SPEC",
        help="the file of the sweep, where the store has none in TOML",
    )
    verify.set_defaults(command=_verify)


def _shard(text: str) -> tuple[int, int]:
    """The value of ``--shard``, as `run_sweep` takes it."""
    number, of = map(int, text.split("/"))
    return number, of


def _sweep(options) -> int:
    if options.workers is not None:
        checks.whole("--workers", options.workers, 1)
        checks.installed("--workers", "cloudpickle", "workers")
    if options.seeds is not None:
        checks.whole("--seeds", options.seeds, 1)
    import jax

    from jaxbandits.console.printing import Printer, say
    from jaxbandits.simulation import HalfWidth, Store, read_spec, run_sweep
    from jaxbandits.simulation.fill import StoppedError
    from jaxbandits.simulation.processes import exit_status, join, stop_at_sigterm

    hosts = (options.coordinator, options.processes, options.process)
    if options.distributed or any(x is not None for x in hosts):
        join(*hosts)
    spec = read_spec(options.spec)
    if options.seeds is not None:
        seeds = options.seeds
        if isinstance(spec.seeds, HalfWidth):
            seeds = spec.seeds._replace(pilot=seeds)
        spec = spec._replace(seeds=seeds)
    store = options.store
    if store is None:
        store = os.path.join("results", Path(options.spec).stem)
    kept = Store(
        store,
        options.extend,
        options.block,
        options.verify,
        keep=options.keep,
        accept_version=options.accept_version,
    )
    if options.plan:
        return _plan(spec, kept, options)
    try:
        with stop_at_sigterm() as stop:
            run_sweep(
                spec, kept, executor=options.workers, shard=options.shard, stop=stop
            )
    except StoppedError as error:
        say(f"jaxbandits: SIGTERM: {error}; {GOES_ON}")
        return exit_status(128 + signal.SIGTERM)
    except KeyboardInterrupt:
        say(f"jaxbandits: interrupted; {GOES_ON}")
        return exit_status(130)
    if jax.process_index() > 0:
        return 0
    if options.shard is not None:
        number, of = options.shard
        Printer().sentence(
            f"shard {number}/{of} is in {store}; see jaxbandits sweep status {store}"
        )
        return 0
    _print_results(store, spec.seeds if isinstance(spec.seeds, int) else None, options)
    return 0


def _plan(spec, store, options) -> int:
    """Print what a sweep takes, without playing it."""
    from rich.filesize import decimal

    from jaxbandits.console.printing import Printer
    from jaxbandits.console.progress import duration
    from jaxbandits.simulation import HalfWidth
    from jaxbandits.simulation.estimate import estimate

    result = estimate(spec, store.block)
    if options.json:
        print(json.dumps(result._asdict()))
        return 0
    line = Printer().sentence
    games, most = list(result.seconds.items()), 10
    total = duration(result.compiling + result.playing)
    line(f"{store.path}, all of it, on this machine:")
    line(f"  runs      {result.runs:,}")
    line(f"  blocks    {result.blocks:,} of {result.block_runs:,} runs or fewer")
    line(f"  disk      {decimal(result.bytes)} before compression")
    line(f"  memory    about {decimal(result.memory)}")
    line(f"  time      about {total}: compiling {duration(result.compiling)}")
    for name, seconds in games[:most]:
        line(f"    {duration(seconds):<9} {name}")
    if len(games) > most:
        rest = sum(seconds for _, seconds in games[most:])
        line(f"    {duration(rest):<9} {len(games) - most:,} others")
    line(
        f"Times are estimates: {result.rehearsed:,} of {len(games):,} games were "
        "played for a few rounds."
    )
    if isinstance(spec.seeds, HalfWidth):
        most_seeds = f"up to {spec.seeds.at_most:,} seeds"
        line(f"This is the pilot; then as many as it takes, {most_seeds}.")
    if os.path.exists(store.path):
        line(
            f"This is of a new store. {store.path} may hold another sweep, or blocks "
            f"of another size: `jaxbandits sweep status {store.path}` says what, and "
            "how much is played."
        )
    return 0


def _print_results(store: str, seeds: int | None, options) -> None:
    """Print the best points, by the seeds that were asked for."""
    from jaxbandits.cli.summary import best_points, sweep_records
    from jaxbandits.cli.table import records_table
    from jaxbandits.console.printing import Printer

    records = sweep_records(store, seeds)
    if options.json:
        print(json.dumps(records))
        return
    printer = Printer()
    best = best_points(records)
    printer.print(records_table(best, f"{store}: best points"))
    if any(x["mean"] is None for point in records for x in point["metrics"].values()):
        printer.sentence(
            "Points that lack blocks, or have no finite mean, are left out: see "
            f"jaxbandits sweep status {store}"
        )
    if options.verify:
        count = f"{options.verify} random blocks (or all)"
        printer.sentence(f"verified: {count} played again, every bit as in the store")
    printer.sentence(f"wrote {store}")


def _status(options) -> int:
    from jaxbandits.console.printing import Printer, Table
    from jaxbandits.console.progress import duration
    from jaxbandits.simulation.stores import status

    result, printer = status(options.store), Printer()
    if options.json:
        print(json.dumps(result._asdict()))
        return 0
    if options.text:
        text = result.text or "(the sweep was not read from a file)"
        for line in text.split("\n"):
            printer.sentence(line)
        return 0
    table = Table(show_header=False, title=options.store)
    share = result.done / result.runs if result.runs else 1.0
    table.add_row("done", f"{result.done:,} of {result.runs:,} runs ({share:.1%})")
    table.add_row("blocks", f"{result.blocks_done:,} of {result.blocks:,}")
    left = "no block was played in the last ten minutes"
    if result.done == result.runs:
        left = "complete"
    elif result.left_seconds is not None:
        left = f"{duration(result.left_seconds)} at {result.per_second:,.1f} runs/s"
    table.add_row("left", left)
    if result.hosts:
        table.add_row("hosts, in the last ten minutes", ", ".join(result.hosts))
    for number, processor in enumerate(result.processors):
        table.add_row("" if number else "processors", processor)
    for name, value in result.extent.items():
        table.add_row(name, str(value))
    printer.print(table)
    columns = ("created", "runs", "versions", "devices", "processor", "host", "job")
    table = Table("session", *columns, title="Sessions")
    for number, entry in enumerate(result.sessions, 1):
        table.add_row(str(number), *(str(entry[name]) for name in columns))
    printer.print(table)
    return 0


def _merge(options) -> int:
    from jaxbandits.console.printing import Printer
    from jaxbandits.simulation.stores import merge

    result = merge(options.stores, options.into)
    Printer().sentence(f"wrote {options.into}: {result.sizes['seed']} seeds")
    return 0


def _verify(options) -> int:
    from jaxbandits.console.printing import Printer
    from jaxbandits.simulation import read_spec
    from jaxbandits.simulation.stores import replay
    from jaxbandits.store.block_store import BlockStore

    checks.whole("--blocks", options.blocks, 0)
    if options.spec is not None and not options.blocks:
        raise ValueError("--spec says how blocks are played again: give --blocks, too")
    files = BlockStore(options.store).examine()
    printer = Printer()
    printer.sentence(
        f"{options.store}: every file is as it was written ({files} blocks)"
    )
    if options.blocks:
        spec = None if options.spec is None else read_spec(options.spec)
        count = replay(options.store, spec, options.blocks)
        printer.sentence(
            f"{count} random blocks played again, every bit as in the store"
        )
    return 0
