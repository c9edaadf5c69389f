"""What is said of how long experiments take was measured, and of their sizes."""

import datetime
import json

import pytest

from jaxbandits.cli import main as cli
from jaxbandits.cli.listing import minutes_text
from jaxbandits_studies import REGISTRY, minutes
from jaxbandits_studies.minutes import Timing
from tests.tables import naming

ROWS = minutes.measured()
SIZES = {
    form: {minutes.size_of(each, getattr(each, form)) for each in REGISTRY.values()}
    for form in ("quick", "full")
}


# A leaderboard goes on with what it has played: its summary is of its last call alone.
WHOLE = [name for name in REGISTRY if not name.startswith("leaderboard-")]


def test_the_quick_form_of_every_experiment_was_measured():
    for name in WHOLE:
        with naming(name):
            row = ROWS.get(minutes.size_of(REGISTRY[name], REGISTRY[name].quick))
            assert row, f"jaxbandits reproduce {name} --quick, then studies/minutes.py"
            assert 0 <= row.seconds < 3600 and 0 <= row.processor_seconds < 600


def test_no_row_is_of_what_is_no_experiment_any_more():
    assert set(ROWS) <= SIZES["quick"] | SIZES["full"]
    for row in ROWS.values():
        # A moment of every core is all that there is.
        assert row.processor_seconds <= row.cores * (row.seconds + 0.2)
        assert row.processor and datetime.date.fromisoformat(row.date)


def test_a_summary_without_seconds_makes_no_row():
    """Those that have some are compared with the rows in test_reproduction.py."""
    with pytest.raises(ValueError, match="a: the summary has no seconds"):
        minutes.timing_in({"experiment": "a", "options": {}, "provenance": {}})


def test_the_file_has_registered_sizes_in_order_and_the_last_of_two():
    one, two = list(REGISTRY.values())[2:4]

    def row(experiment, options, seconds):
        size = minutes.size_of(experiment, options)
        return Timing(*size, seconds, seconds, 2, "P", "2026-11-24")

    stale = row(one, one.full._replace(seeds=7), 1.0)
    given = [row(two, two.full, 2.0), stale, row(one, one.quick, 3.0)]
    given.append(row(two, two.full, 4.0))
    header, *lines = minutes.lines_of(given, REGISTRY)
    assert header == list(Timing._fields)
    assert [line[:5] for line in lines] == [
        [one.name, str(one.quick.seeds), str(one.quick.horizon), "True", "3.0"],
        [two.name, str(two.full.seeds), str(two.full.horizon), "False", "4.0"],
    ]


def test_minutes_in_a_table():
    for value, text in [
        (None, ""),
        (0.04, "< 0.1"),
        (9.94, "9.9"),
        (75.0, "75"),
        (1234.0, "1,234"),
    ]:
        with naming((value, text)):
            assert minutes_text(value) == text


def test_the_list_shows_minutes_of_experiments(capsys):
    assert cli.main(["list", "farewell", "--json"]) == 0
    (entry,) = (
        each
        for each in json.loads(capsys.readouterr().out)["experiments"]
        if each["name"] == "farewell-fig1"
    )
    experiment = REGISTRY["farewell-fig1"]
    row = ROWS[minutes.size_of(experiment, experiment.quick)]
    assert entry["minutes"]["quick"] == round(row.processor_seconds / 60, 2)
    assert cli.main(["list", "farewell"]) == 0
    lines = capsys.readouterr().out.splitlines()
    (line,) = (line for line in lines if " farewell-fig1 " in line)
    assert line.split()[1] == minutes_text(entry["minutes"]["quick"])
