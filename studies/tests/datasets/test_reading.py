"""Files as spreadsheets write them: what is read, noted, refused."""

import gzip
import re
import warnings
import zipfile
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jaxbandits_studies.datasets import from_table, load_runs, reading, records_of
from studies.tests.checks import memory_below
from tests.tables import naming

COLUMNS = {"arm": "Channel", "cost": "Cost", "reward": "Revenue"}
PLAIN = "Channel,Cost,Revenue\nA,1.5,2\nB,0.5,0\nA,2,1299\n"
# By name: reward and cost, smallest reward first.
FOUND = {"A": [(2, 1.5), (1299, 2)], "B": [(0, 0.5)]}


def found(environment):
    return {
        r.name: [
            *zip(r.reward.round(9).tolist(), r.cost.round(9).tolist(), strict=True)
        ]
        for r in records_of(environment)
    }


def noted(path, **options):
    """Records of a file, and the words that were said of it."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        environment = from_table(path, **COLUMNS | options)
    notes = environment.provenance["notes"]
    assert [str(w.message) for w in said] == [f"{path}: {note}" for note in notes]
    return found(environment), " / ".join(notes)


# The same records in another form, options, and words of the notes.
FORMS = {
    "blanks in the header": (PLAIN.replace(",", ", ", 2), {}, "headers were left out"),
    "blanks at cells": (PLAIN.replace("A,2", " A ,2"), {}, "first of ' A ' in row 3"),
    "title lines": (
        "Report\n\nMay,2026\n" + PLAIN,
        {},
        "lines above .* 2 of them, first 'Report'",
    ),
    "sep=": ("sep=,\n" + PLAIN, {}, ""),
    "sep=;": ("sep=;\r\n" + PLAIN.replace(",", ";").replace("\n", "\r\n"), {}, ""),
    "trailing commas": (PLAIN.replace("\n", ",,\n"), {}, ""),
    "trailing commas below": (
        PLAIN.replace("\n", ",\n").replace(",\n", "\n", 1),
        {},
        "",
    ),
    "rows of commas": (PLAIN + ",,\n,,\n", {}, "without an entry were left out, 2 of"),
    "old line ends": (PLAIN.replace("\n", "\r"), {}, ""),
    "German thousands": (
        PLAIN.replace(",", ";").replace(".", ",").replace("1299", "1.299"),
        {},
        "a decimal comma",
    ),
    "English thousands": (PLAIN.replace("1299", '"1,299.00"'), {}, ""),
    "quotes after blanks": (
        PLAIN.replace(",", ", ").replace("1299", '"1,299"'),
        {},
        "blanks before quotes",
    ),
    "French": (
        PLAIN.replace(",", ";").replace(".", ",").replace("1299", "1\u202f299,00"),
        {},
        "a decimal comma",
    ),
    "Swiss": (PLAIN.replace("1299", "1'299.00"), {}, ""),
    "currencies": (
        PLAIN.replace("A,", "A,€ ").replace("B,", "B,€"),
        {},
        "column 'Cost': the sign '€' was left out",
    ),
    "named currencies": (PLAIN.replace("5,", "5 EUR,"), {}, "sign 'EUR'"),
    "another separator": (PLAIN.replace(",", "^"), {"sep": "^"}, ""),
}


def test_every_form_of_a_file_is_read_with_its_notes(write):
    for form, (text, options, words) in FORMS.items():
        with naming(form):
            path = write("")
            path.write_bytes(text.encode())
            records, notes = noted(path, **options)
            assert records == FOUND
            assert (notes == "") == (words == "")
            assert re.search(words, notes)
    # Where "0.5" is no number any more.
    path = write(PLAIN.replace("1.5", '"1,50"'))
    with pytest.raises(ValueError, match="first '0.5' in row 2 .* ',' is before"):
        from_table(path, **COLUMNS, decimal=",")


def test_encodings_of_spreadsheets_are_read(write):
    """Also one that shows late."""
    path = write("")
    for encoding in ("utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"):
        with naming(encoding):
            path.write_bytes(PLAIN.replace("A,", "Schuhe für €,").encode(encoding))
            records, notes = noted(path)
            assert set(records) == {"Schuhe für €", "B"}
            assert ("Windows-1252" in notes) == (encoding == "cp1252")
    path.write_bytes((PLAIN + "B,1,0\n" * 20_000).encode() + "é,1,1\n".encode("cp1252"))
    records, notes = noted(path)
    assert records["é"] == [(1, 1)] and "Windows-1252" in notes


def test_a_mark_that_may_mean_two_things_can_be_told(write):
    for cell, options, value in (
        ("1.299", {"decimal": ","}, 1299),
        ("1.299", {"decimal": "."}, 1.299),
        ('"1,299"', {"decimal": "."}, 1299),
        ('"1,299"', {"decimal": ","}, 1.299),
        ("1.299.000", {}, 1_299_000),
        ('"1,299,000"', {}, 1_299_000),
        ("1e3", {}, 1000),
    ):
        with naming((cell, options)):
            path = write(f"Channel,Cost,Revenue\nA,1,{cell}\nB,2,0\n")
            assert noted(path, **options)[0]["A"] == [(value, 1)]
    path = write("Channel,Cost,Revenue\nA,1,12 %\nB,2,0%\n")
    records, notes = noted(path)
    assert records["A"] == [(0.12, 1)] and "per cent were read as shares" in notes
    path = write("Channel,Cost,Revenue\nA,1,12 %\nB,2,0\n")
    with pytest.raises(ValueError, match="one unit, but are '12 %' in row 1 and '0'"):
        noted(path)
    for options, words in (
        ({"sep": ",,"}, "sep must be one"),
        ({"sep": '"'}, "sep must be one character, no quote"),
        ({"sep": "\n"}, "sep must be one character, no quote and no line break"),
        ({"decimal": "'"}, "decimal must be"),
    ):
        with naming(options), pytest.raises(ValueError, match=words):
            from_table(path, **COLUMNS, **options)


def test_a_thousand_that_was_read_as_a_decimal_is_worth_a_note(write):
    path = write("Channel,Cost,Revenue\nA,1,850\nB,2,1.299\n")
    records, notes = noted(path)
    assert records["B"] == [(1.299, 2)]
    assert "'1.299' in row 2 below the header was read as 1.299: if it means" in notes
    path.write_text("Channel;Cost;Revenue\nA;1,250;8.5\nB;2,500;1.25\n")
    records, notes = noted(path)
    assert records["A"] == [(8.5, 1250)]
    assert "'1,250' in row 1 below the header was read as 1250, as another" in notes
    path.write_text("Channel,Cost,Revenue\nA,1,850 €\nB,2,1.299 €\n")
    assert "'1.299 €' in row 2 below the header was read as 1.299" in noted(path)[1]
    path.write_text("Channel;Cost;Revenue\nA;1;850 €\nB;2;1,299 €\n")
    with pytest.raises(ValueError, match="'1,299 €' in row 2 .* what its comma means"):
        from_table(path, **COLUMNS)
    # Other decimals tell what the point means, and so does the option.
    path.write_text("Channel,Cost,Revenue\nA,0.5,850\nB,2,1.299\n")
    assert noted(path)[1] == ""
    path.write_text("Channel,Cost,Revenue\nA,1,850\nB,2,1.299\n")
    assert noted(path, decimal=".")[1] == ""


def test_a_number_that_begins_with_zero_has_no_thousands(write):
    for first, second, options, value in (
        ("0,125", "0,500", {}, 0.125),
        ("00,125", "0,500", {}, 0.125),
        ("0,125", "1,500", {}, 0.125),
        ("0,125", "7", {"decimal": ","}, 0.125),
        ("0,125", "7", {"decimal": "."}, None),
        ("0.125", "7", {"decimal": ","}, None),
        ("0 125", "7", {}, None),
        ("0.125.500", "7", {}, None),
        ("0.500", "1,5", {}, None),
    ):
        with naming((first, second, options)):
            path = write(f"Channel;Cost;Revenue\nA;{first};1\nB;{second};0\n")
            if value is None:
                with pytest.raises(ValueError, match=f"first '{first}|first '{second}"):
                    from_table(path, **COLUMNS, **options)
                continue
            records, notes = noted(path, **options)
            assert records["A"] == [(1, value)]
            assert ("decimal comma" in notes) == (not options)


BAD = {
    "Revenue: .* has no column 'Revenue', but Channel, Cost, Sales": (
        PLAIN.replace("Revenue", "Sales")
    ),
    "did you mean 'revenue'": PLAIN.replace("Revenue", "revenue"),
    "path: .* one column of a name, but has two of Cost": (
        PLAIN.replace("Channel,Cost", "Channel,Cost , Cost")
    ),
    "more cells than columns, first row 2 .* decimal comma": PLAIN.replace(
        "0.5", "0,5"
    ),
    "column 'Cost' .* first 'n/a' in row 2 below the header": PLAIN.replace(
        "0.5", "n/a"
    ),
    "column 'Cost' .* are no numbers >= 0, first '' in row 2": PLAIN.replace("0.5", ""),
    "column 'Cost' .* neither 0 nor .* float32 .*1.2e-38.*, first '1e-50' in row 2": (
        PLAIN.replace("0.5", "1e-50")
    ),
    "column 'Channel' .* are empty, first ' ' in row 2": PLAIN.replace("B", " "),
    "'1,299' in row 3 .* say what its comma means, decimal=','": (
        PLAIN.replace("1.5", "1").replace("0.5", "1").replace("1299", '"1,299"')
    ),
    "first '1.5.2' in row 1 .* '.' is before decimals": PLAIN.replace("1.5", "1.5.2"),
    "first '£5' in row 1 .* one unit|'£1.5' in row 1 and '\\$2' in row 3": (
        PLAIN.replace("1.5", "£1.5").replace("A,2", "A,$2")
    ),
    "expected after .* in row 1 below the header .a quote": PLAIN.replace(
        "A,", '"A"x,'
    ),
    "unexpected end of data, in row 3": PLAIN.replace("1299", '"1299') + "C,3,1\n",
    "path: .* has no rows": "Channel,Cost,Revenue\n",
    "path: .* is empty": "\n\n",
    "path: .* is an Excel workbook": "PK\x03\x04" + PLAIN,
}


@pytest.mark.filterwarnings("ignore")
def test_a_file_that_cannot_be_read_is_refused_by_row_and_column(write):
    for words, text in BAD.items():
        words = words.replace("Revenue: ", "reward: ")
        with naming(words), pytest.raises(ValueError, match=words):
            from_table(write(text), **COLUMNS)


def test_rows_that_quotes_make_one_cell_are_refused_or_noted(write):
    path = write(PLAIN.replace("1.5,2", '1.5,2,"7 inch').replace("2,12", '2,"12'))
    with pytest.raises(ValueError, match="expected after .* in row 1 below"):
        from_table(path, **COLUMNS)
    path.write_text(PLAIN + '"B,2,1\nC,3,1\nD",1,1\n"two\nlines",1,1\n')
    records, notes = noted(path)
    assert set(records) == {"A", "B", "B,2,1\nC,3,1\nD", "two\nlines"}
    assert "1 of them, first 'B,2,1\\nC,3,1\\nD' in row 4 below the header" in notes
    path.write_text(PLAIN + '"two\nlines",1,1\n\nD,1,1\n')
    assert noted(path)[1] == ""


def test_an_archive_holds_one_file_besides_what_a_mac_adds(tmp_path):
    path = tmp_path / "mine.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.csv", PLAIN)
        archive.writestr("__MACOSX/._a.csv", "\x00")
    assert noted(path) == (FOUND, "")
    for second, named in (("b.csv", r"but holds \['a.csv', 'b.csv'\]"), ("", r"\[\]")):
        with zipfile.ZipFile(path, "w") as archive:
            for name in ("a.csv", second) if second else ():
                archive.writestr(name, PLAIN)
        with pytest.raises(ValueError, match=f"path: .*mine.zip must hold .* {named}"):
            from_table(path, **COLUMNS)


def test_names_that_look_alike(write):
    """Composed accents are one name; capitals are two, with a note."""
    path = write(PLAIN + "Caf\u00e9,1,1\nCafe\u0301,1,2\nb,1,1\n")
    records, notes = noted(path)
    assert set(records) == {"A", "B", "b", "Caf\u00e9"}
    assert records["Caf\u00e9"] == [(1, 1), (2, 1)]
    assert "accents composed" in notes and "kept apart: 'B', 'b'" in notes


def test_a_total_is_worth_a_note(write):
    for name in ("Total", "SUMME", "Grand total:", "everything"):
        records, notes = noted(write(PLAIN + f"{name},4,1301\n"))
        assert len(records) == 3 and "take it out of the file" in notes
        assert name in notes


cells = st.floats(0, 1e6, allow_nan=False).map(lambda x: round(x, 2))


@given(
    st.lists(st.tuples(st.sampled_from("abc"), cells, cells), min_size=2, max_size=9),
    st.randoms(use_true_random=False),
)
def test_numbers_come_back_from_every_form_in_any_order(tmp_path, rows, random):
    rows = [("a", 1000.5, 1.25), *rows]
    random.shuffle(rows)

    def german(x):
        return f"{x:,.2f}".translate(str.maketrans(",.", ".,"))

    forms = {",": lambda x: f"{x:.2f}", ";": german, "\t": lambda x: f"{x:,.2f} €"}
    every = []
    for sep, write in forms.items():
        lines = [sep.join(("Channel", "Cost", "Revenue"))]
        lines += [sep.join((a, write(x + 0.01), write(y))) for a, x, y in rows]
        path = tmp_path / "mine.csv"
        path.write_text("\n".join(lines))
        every.append(noted(path)[0])
    assert every[0] == every[1] == every[2]
    want = {}
    for a, x, y in rows:
        want.setdefault(a, []).append((y, round(x + 0.01, 2)))
    for name, pairs in want.items():
        np.testing.assert_allclose(every[0][name], sorted(pairs), rtol=1e-9)


def test_the_memory_is_that_of_the_rows(tmp_path):
    """A thousand ads, one with 20,000 rows, in groups as unequal as the ads."""
    random = np.random.default_rng(0)
    ads = np.append(np.zeros(20_000, int), np.arange(5_000) % 999 + 1)
    random.shuffle(ads)
    path = tmp_path / "mine.csv"
    lines = [f"{ad},{1 + ad % 7 / 8},{ad % 3},{ad // 500 * ad}\n" for ad in ads]
    path.write_text("Channel,Cost,Revenue,Group\n" + "".join(lines))
    from_table(path, **COLUMNS)  # What is imported on the way counts for nothing.
    for group in (None, "Group"):
        with memory_below(10 * 16 * len(lines)):
            from_table(path, **COLUMNS, group=group)


def test_long_reading_says_how_far_it_is(tmp_path, monkeypatch):
    path = tmp_path / "mine.csv.gz"
    with gzip.open(path, "wt") as file:
        file.write(PLAIN)
    reports = []

    @contextmanager
    def shown(show, report):
        reports.append(report)
        yield report

    monkeypatch.setattr(reading, "reporting", shown)
    from_table(path, **COLUMNS)
    assert reports[-1].title == "mine.csv.gz"
    assert reports[-1].share == 1
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(
        (ValueError, OSError), match="path: .* (damaged|cannot be read)"
    ):
        from_table(path, **COLUMNS)


def test_blanks_behind_quotes_are_left_out_with_a_note(tmp_path):
    """Also of a header; what a quoted cell holds stays as it is."""
    path = tmp_path / "mine.csv"
    lines = PLAIN.splitlines(keepends=True)
    spaced = '"Channel" ,Cost,"Revenue" \n' + "".join(lines[1:])
    path.write_text(spaced.replace("B,", '"B"  ,') + '"C ""x"" ,y",1,1\n')
    records, notes = noted(path)
    assert set(records) == {"A", "B", 'C "x" ,y'}
    assert notes == "blanks behind quotes were left out"


OPEN = "Channel,Cost,Revenue"


@pytest.mark.parametrize(
    ("data", "named"),
    [
        (
            PLAIN.replace(OPEN, 'Channel,"Cost,Revenue').encode(),
            "arm: .*unexpected end of data: a quote is left open",
        ),
        (
            PLAIN.replace(OPEN, OPEN + ',"Note').replace("0.5", '"0.5').encode(),
            "arm: .* expected after .*: a quote is left open",
        ),
        (PLAIN.replace("B", "B\0").encode(), "path: .* it holds NUL$"),
        (
            (PLAIN + "C,1,1\n" * 100 + "D\0,1,1\n").encode(),
            "path: .* it holds NUL, in row 104 below the header$",
        ),
        (PLAIN.encode("utf-32"), "path: .* is in UTF-32"),
        (PLAIN.encode("utf-32-be"), "path: .* is in UTF-32"),
    ],
    ids=["header", "header and row", "NUL", "NUL below", "UTF-32", "UTF-32 unmarked"],
)
def test_quotes_left_open_above_and_other_codings_are_named(tmp_path, data, named):
    path = tmp_path / "mine.csv"
    path.write_bytes(data)
    with pytest.raises(ValueError, match=named):
        from_table(path, **COLUMNS)


def test_rows_that_a_quote_makes_the_header_are_noted(write):
    path = write('Channel,Cost,Revenue,"Note\nA,1,2,"\nB,2,1,x\n')
    records, notes = noted(path)
    assert set(records) == {"B"} and "'Note\\nA,1,2,' in row 0" in notes


def logged(path, **options):
    """Runs of a log, and the words that were said of it."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        runs = load_runs(path, reward=None, **options)
    return runs, " / ".join(str(w.message) for w in said)


def test_a_log_of_runs_has_statuses_in_any_capitals_and_totals_with_a_note(write):
    path = write("mode,seconds,end\nall,1,ok\nall,2,OK\nb,2,ok\nTotal,5,ok\n")
    runs, notes = logged(path, status="end")
    assert runs.counts.tolist() == [1, 2, 1]
    assert "'Total' was taken for the name" in notes
    assert "capitals" not in notes and "'all'" not in notes


def test_a_run_that_was_stopped_took_no_negative_time(write):
    path = write("mode,seconds,end\na,1,ok\na,-1,crash\na,-1,timeout\n")
    with pytest.raises(ValueError, match="'seconds' .* below 0 .* '-1' in row 3"):
        logged(path, status="end")
