"""Records of one's own: CSV files as spreadsheets, shops and solvers write them.

Cells are text until they are asked for as numbers. A file is read piece by piece, so
that the memory is that of the numbers, and nothing that is changed or left out on the
way is so in silence: it stands in the notes, which are warnings, too.
"""

import csv
import itertools
import lzma
import re
import time
import unicodedata
import warnings
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from operator import itemgetter
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TextIO

import numpy as np
import pandas as pd
from pandas.io.common import get_handle, infer_compression

from jaxbandits import checks
from jaxbandits.console.progress import Report, reporting

SEPARATORS = (",", ";", "\t", "|")
DECIMALS = (".", ",")
_UTF8, _WINDOWS = "utf-8-sig", "cp1252"  # encodings
SNIFFED = 200  # lines that are looked at before a file is read
PIECE = 4096, 1 << 18  # rows of the first piece, and at most of any
MOST_NAMES = 40  # of columns in an error
TINY = float(np.finfo(np.float32).tiny)  # games are played in float32
BEHIND = "blanks behind quotes were left out"
NUL = "it holds NUL"
_SEP_LINE = re.compile(r'\s*"?sep=([^"\r\n])"?[\s,;]*', re.IGNORECASE)
_MAGIC = {
    b"PK\x03\x04": "is an Excel workbook or a zip archive: save it as CSV",
    b"\xd0\xcf\x11\xe0": "is an Excel workbook: save it as CSV",
    b"\x1f\x8b": "is compressed: its name must end in .gz",
}
_GROUP = " \u00a0\u2009\u202f'\u2019"  # between thousands, besides the other mark
_BODY = re.compile(
    rf"([^\d.,+-]*)([+-]?[.,]?\d(?:[\d.,{_GROUP}]*[\d.,])?(?:[eE][+-]?\d+)?)(\D*)"
)
_NAMED_SIGNS = {"kr", "kr.", "zł", "Kč", "Ft", "%"}
_DOUBTFUL = re.compile(r"[1-9]\d{0,2}([.,])\d{3}")
# What the last row of a table is called that sums up the others, in small letters.
TOTALS = {
    *("total", "totals", "grand total", "sum", "sums", "overall", "all", "subtotal"),
    *("average", "mean", "mittelwert", "durchschnitt", "moyenne", "promedio", "media"),
    *("summe", "summen", "gesamt", "gesamtsumme", "gesamtergebnis", "insgesamt"),
    *("total général", "somme", "ensemble", "totale", "somma", "suma", "total general"),
    *("totaal", "eindtotaal", "totalt", "yhteensä", "razem", "celkem", "итого", "合計"),
}


class Layout(NamedTuple):
    """How a file is laid out.

    Attributes:
      path: of it.
      columns: their names, without blanks at the ends.
      named: the columns that were asked for, by argument.
      unnamed: positions of columns without a name that have cells in the first lines.
      encoding: of its text.
      sep: between its cells.
      skip: lines above the header.
      padded: whether blanks stand between a separator and a quote.
      sample: first rows below the header.
      notes: what is worth a word.
    """

    path: Path
    columns: tuple[str, ...]
    named: dict[str, str]
    unnamed: tuple[int, ...]
    encoding: str
    sep: str
    skip: int
    padded: bool
    sample: list[list[str]]
    notes: tuple[str, ...]


class Words(NamedTuple):
    """A column of text.

    Attributes:
      codes: i32[R], positions in `names`.
      names: the different cells, in order of appearance.
    """

    codes: np.ndarray
    names: tuple[str, ...]

    @property
    def cells(self) -> np.ndarray:
        """str[R]."""
        return np.array(self.names)[self.codes]


class Allowed(NamedTuple):
    """What a column of numbers may have.

    Attributes:
      lowest, highest: of its numbers.
      infinite: whether ``inf`` is one.
      any_text: whether a cell may be anything; what is no such number is NaN then.
    """

    lowest: float = -np.inf
    highest: float = np.inf
    infinite: bool = False
    any_text: bool = False

    @property
    def words(self) -> str:
        """For errors."""
        if np.isinf(self.highest):
            return "numbers" if np.isinf(self.lowest) else f"numbers >= {self.lowest:g}"
        return f"numbers in [{self.lowest:g}, {self.highest:g}]"


class Read(NamedTuple):
    """What was read of R rows.

    Attributes:
      words: columns of text, by name.
      numbers: columns of numbers f64[R], by name.
      bad: of a column in which any text may stand, the cells that are no such numbers,
        by position.
      rows: i64[R], their places in the file, 1 for the first below the header.
      notes: what was changed or left out on the way.
    """

    words: dict[str, Words]
    numbers: dict[str, np.ndarray]
    bad: dict[str, dict[int, str]]
    rows: np.ndarray
    notes: tuple[str, ...]


def look(
    path: str | PathLike[str], named: Mapping[str, str], sep: str | None = None
) -> Layout:
    """Find the header of a file: the first line with all columns that are asked for.

    Args:
      path: of a CSV file, plain or compressed (.gz, .bz2, .xz, .zip, .zst), in UTF-8,
        UTF-16 or Windows-1252.
      named: the columns, by the argument that names each.
      sep: between cells; by default a comma, semicolon, tab or ``|``, whichever there
        is between these columns.

    Raises:
      ValueError: naming the argument whose column is missing, or `path` if the file is
        empty, is no text, or has two columns of a name that is asked for.
      TypeError: if `path` is no path, or `sep` no text.
      OSError: naming `path`, if it cannot be read (FileNotFoundError: there is none).
    """
    path = checks.path("path", path)
    named = {argument: tidy(checks.text(argument, x)) for argument, x in named.items()}
    if sep is not None and (len(checks.text("sep", sep)) != 1 or sep in '"\r\n'):
        raise ValueError(
            f"sep must be one character, no quote and no line break, got {sep!r}"
        )
    for encoding in (_encoding(path), _WINDOWS):
        try:
            with _opened(path, encoding) as handle:
                lines = list(itertools.islice(handle, SNIFFED))
            break
        except UnicodeDecodeError:
            if encoding != _UTF8:
                raise ValueError(
                    f"path: {path} is not a CSV table: it is no text"
                ) from None
    start, notes = 0, []
    if lines and (line := _SEP_LINE.fullmatch(lines[0])):
        start, sep = 1, sep or line[1]
    if not "".join(lines[start:]).strip():
        raise ValueError(f"path: {path} is empty")
    result = []
    for mark in [sep] if sep else SEPARATORS:
        padded = any(f'{mark} "' in line for line in lines)
        rows, ends, wrong = _rows(lines[start:], mark, padded)
        for place, row in enumerate(rows):
            columns = [tidy(cell) for cell in row]
            known = sum(x in columns for x in named.values())
            width = len(row) if place == 0 and known < len(named) else 0
            parts = mark, padded, place, columns, rows, ends, wrong
            result.append(((known, width), parts))
    mark, padded, place, columns, rows, ends, wrong = max(result, key=itemgetter(0))[1]
    for argument, column in named.items():
        if column not in columns:
            raise ValueError(
                f"{argument}: {path} has no column {column!r}, but "
                + ", ".join([x for x in columns if x][:MOST_NAMES])
                + ("" if len(columns) <= MOST_NAMES else ", ...")
                + checks.hint(column, columns)
                + (f" ({wrong}: a quote is left open, perhaps)" if wrong else "")
            )
    twice = sorted(x for x in set(named.values()) if columns.count(x) > 1)
    if twice:
        raise ValueError(
            f"path: {path} must have one column of a name, but has two of "
            + ", ".join(twice)
        )
    above = [row for row in rows[:place] if any(map(str.strip, row))]
    if above:
        notes.append(
            f"lines above the header were left out, {len(above)} of them, first "
            f"{' '.join(above[0]).strip()!r}"
        )
    blanks = [x for x in rows[place] if x != x.strip() and x.strip()]
    if blanks:
        notes.append(
            f"blanks at the ends of headers were left out, as in {blanks[0]!r}"
        )
    sample = [row for row in rows[place + 1 :] if any(map(str.strip, row))]
    filled = {i for row in sample for i, cell in enumerate(row) if cell.strip()}
    unnamed = tuple(i for i in sorted(filled) if columns[i : i + 1] == [""])
    if padded:
        notes.append("blanks before quotes were left out")
    return Layout(
        path,
        tuple(columns),
        named,
        unnamed,
        encoding,
        mark,
        start + sum(ends[:place][-1:]),
        padded,
        sample,
        tuple(notes),
    )


def tidy(cell: str) -> str:
    """A cell as it is compared: composed, without blanks at its ends."""
    return unicodedata.normalize("NFC", cell).strip()


def _encoding(path: Path) -> str:
    with _opened(path, None) as handle:
        head = handle.read(400)
    for magic, words in _MAGIC.items():
        if head.startswith(magic):
            raise ValueError(f"path: {path} {words}")
    zeros = head.count(0)  # of four bytes in UTF-32 three, of two in UTF-16 one
    if head.startswith((b"\xff\xfe\0\0", b"\0\0\xfe\xff")) or 8 * zeros > 5 * len(head):
        raise ValueError(f"path: {path} is in UTF-32, or holds NUL: save it as UTF-8")
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    if zeros and 10 * zeros >= len(head):
        return "utf-16-le" if head[1:2] == b"\x00" else "utf-16-be"
    if zeros:
        raise ValueError(f"path: {path} is not a CSV table: {NUL}")
    return _UTF8


@contextmanager
def _opened(
    path: Path, encoding: str | None, raw: list[BinaryIO] | None = None
) -> Iterator[Any]:
    """A file of bytes, or of text of an encoding; `raw` gets the file on disk."""
    try:
        with open(path, "rb") as file:
            if raw is not None:
                raw.append(file)
            text, compression = encoding is not None, infer_compression(path, "infer")
            zipped = compression == "zip"
            with get_handle(
                _member(path, file) if zipped else file,
                "r" if text else "rb",
                encoding=encoding or "utf-8",
                compression=None if zipped else compression,
                is_text=text,
            ) as handles:
                yield handles.handle
    except UnicodeDecodeError:
        raise
    except FileNotFoundError:
        raise FileNotFoundError(f"path: there is no file {path}") from None
    except (EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile) as error:
        raise ValueError(f"path: {path} is damaged: {error}") from error
    except OSError as error:
        raise OSError(f"path: {path} cannot be read: {error}") from None


def _member(path: Path, file: BinaryIO) -> Any:
    """The one file of a zip archive, without those that a Mac adds."""
    archive = zipfile.ZipFile(file)
    names = [x for x in archive.namelist() if x[-1] != "/"]
    names = [x for x in names if x.rsplit("/", 1)[-1][0] != "."]
    if len(names) != 1:
        raise ValueError(f"path: {path} must hold one file, but holds {names}")
    return archive.open(names[0])


def _rows(
    lines: list[str], sep: str, padded: bool
) -> tuple[list[list[str]], list[int], str]:
    """The cells of lines, how many lines there are up to each row's end, and what is
    wrong with the first row that is none."""
    reader = _reader(lines, sep, padded, [])
    rows: list[list[str]] = []
    ends: list[int] = []
    wrong = ""
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return rows, ends, wrong
        except csv.Error as error:  # in a title, perhaps
            row, wrong = lines[sum(ends[-1:]) :][:1], wrong or f"{error}"
        rows.append(row)
        ends.append(reader.line_num)


def _reader(lines: Iterable[str], sep: str, padded: bool, notes: list[str]) -> Any:
    """A reader of rows, which leaves out blanks at quotes; a note of those behind."""
    # A quote behind a cell, not one before it: of two, one is a quote in the cell.
    behind = re.compile(
        rf'(?<=[^{re.escape(sep)}" ])("(?:"")*) +(?={re.escape(sep)}|\s*$)'
    )

    def cleaned():
        for line in lines:
            if "\0" in line:
                raise csv.Error(NUL)
            if '" ' in line and sep != " ":
                line, count = behind.subn(r"\1", line)
                if count and BEHIND not in notes:
                    notes.append(BEHIND)
            yield line

    return csv.reader(cleaned(), delimiter=sep, skipinitialspace=padded, strict=True)


def read(
    layout: Layout,
    words: Sequence[str],
    numbers: Mapping[str, Allowed],
    decimal: str | None = None,
    loose: Sequence[str] = (),
) -> Read:
    """Read columns of a file.

    Args:
      layout: of `look`.
      words: columns of text, without an empty cell.
      numbers: columns of numbers. A currency's sign is left out; per cent are shares;
        thousands may be apart (``1,299.00``, ``1 299``, ``1'299``).
      decimal: the mark before decimals, ``.`` or ``,``; by default what the first rows
        show.
      loose: those of `words` whose capitals mean nothing.

    Raises:
      ValueError: naming `path`, the column and the row, if a cell is empty or no number
        (or one only if the decimal mark were known), if a column has several units, a
        row has more cells than the header, or there is no row; naming `decimal`.
      OSError: naming `path`, if it cannot be read.
    """
    if decimal is not None:
        checks.one_of("decimal", decimal, DECIMALS)
    try:
        result = _read(layout, words, numbers, decimal)
    except UnicodeDecodeError:
        if layout.encoding != _UTF8:
            raise ValueError(f"path: {layout.path} is not text") from None
        layout = layout._replace(encoding=_WINDOWS)
        result = _read(layout, words, numbers, decimal)
    alike = [x for c in words if c not in loose for x in _alike(c, result.words[c])]
    notes = (*layout.notes, *result.notes, *alike)
    if layout.encoding == _WINDOWS:
        notes = ("it is no UTF-8, and was read as Windows-1252", *notes)
    for note in notes:
        tell(layout.path, note)
    return result._replace(notes=notes)


def read_known(
    path: str | PathLike[str], words: Sequence[str], numbers: Mapping[str, Allowed]
) -> Read:
    """Read the columns of a file of known form: decimals have a point.

    Raises:
      ValueError, OSError: as `look` and `read`, naming `path` and the column.
    """
    layout = look(path, {f"path: {c}": c for c in (*words, *numbers)})
    return read(layout, words, numbers, ".", loose=words)


def whether(path: str | PathLike[str], column: str, values: np.ndarray) -> np.ndarray:
    """A column of 0 and 1 as bool[R].

    Raises:
      ValueError: naming `path`, if there is anything else.
    """
    if not np.isin(values, (0, 1)).all():
        raise ValueError(f"path: {path} has a {column} that is not 0 or 1")
    return values == 1


def tell(path: str | PathLike[str], note: str) -> None:
    """Warn of something about a file that is no error."""
    warnings.warn(f"{path}: {note}", stacklevel=4)


def _read(
    layout: Layout,
    words: Sequence[str],
    numbers: Mapping[str, Allowed],
    decimal: str | None,
) -> Read:
    texts = {c: _Texts(layout, c) for c in words}
    figures = {c: _Figures(layout, c, kind) for c, kind in numbers.items()}
    mark, notes, rows = decimal, [], [np.zeros(0, np.int64)]
    if mark is None:
        mark = _decimal_mark(layout, list(numbers))
        if mark == ",":
            notes.append("numbers were read with a decimal comma (decimal=',')")
    row = 0
    for piece in _pieces(layout, [*words, *numbers], notes):
        void = np.all([x == "" for x in piece.values()], axis=0)
        rows.append(np.flatnonzero(~void) + row + 1)
        row += len(void)
        for column, part in (texts | figures).items():
            part.add(piece[column][~void], rows[-1], mark)
    places = np.concatenate(rows)
    if not places.size:
        raise ValueError(f"path: {layout.path} has no rows")
    if row > places.size:
        notes.append(
            f"rows without an entry were left out, {row - places.size} of them"
        )
    notes += [x for part in texts.values() for x in part.notes()]
    notes += [x for part in figures.values() for x in part.notes()]
    sure = mark is not None or any(x.sure for x in figures.values())
    for part in figures.values():
        if part.doubtful and not sure:
            cell, where = part.doubtful
            digits = _digits(cell)
            notes.append(
                f"column {part.column!r}: {cell!r} in row {where} below the header was "
                f"read as {float(digits):g}: if it means {digits.replace('.', '')}, "
                "give decimal=','"
            )
        if part.grouped and decimal is None and not part.sure:
            cell, where = part.grouped
            digits = _digits(cell)
            notes.append(
                f"column {part.column!r}: {cell!r} in row {where} below the header was "
                f"read as {digits.replace(',', '')}, as another column has decimal "
                f"points: if it means {digits.replace(',', '.')}, give decimal=','"
            )
    return Read(
        {c: x.result() for c, x in texts.items()},
        {c: x.result() for c, x in figures.items()},
        {c: x.bad for c, x in figures.items()},
        places,
        tuple(notes),
    )


def _pieces(
    layout: Layout, columns: list[str], notes: list[str]
) -> Iterator[dict[str, pd.Series]]:
    """Cells of some columns as text, a piece of the rows at a time, and notes."""
    places = [layout.columns.index(c) for c in columns]
    raw: list[BinaryIO] = []
    name, size, begun = layout.path.name, PIECE[0], time.monotonic()
    report = Report({name: layout.path.stat().st_size}, name)
    done, before = 0, 0
    with (
        reporting(None, report),
        report.phase(f"reading {name}"),
        _opened(layout.path, layout.encoding, raw) as handle,
    ):
        for _ in range(layout.skip):
            handle.readline()
        rows = _cells(layout, handle, places, notes)
        while part := list(itertools.islice(rows, size)):
            done += len(part)
            size = min(max(size, done // 4), PIECE[1])
            now, place = time.monotonic(), raw[0].tell()
            report.advance(name, place - before, now - begun)
            before, begun = place, now
            cells = zip(columns, zip(*part, strict=True), strict=False)
            yield {column: pd.Series(x, dtype=object) for column, x in cells}


def _cells(
    layout: Layout, handle: TextIO, places: list[int], notes: list[str]
) -> Iterator[tuple[str, ...]]:
    """The cells of each row that stand at some places, and a note in the end."""
    width, number = len(layout.columns), -1  # the header's row is 0
    pick = itemgetter(*places, 0)  # one more, so that it is a tuple always
    reader = _reader(handle, layout.sep, layout.padded, notes)
    lines, several, first = 0, 0, ""  # up to a row's end; cells that look like rows
    try:
        for row in reader:
            if reader.line_num > lines + 1:
                for cell in row:
                    if layout.sep in cell and re.search("[\r\n]", cell):
                        several += 1
                        first = first or f"{cell!r} in row {number + 1}"
            lines = reader.line_num
            if len(row) != width:
                if not row:
                    continue
                if any(map(str.strip, row[width:])):
                    raise ValueError(
                        f"path: {layout.path} has rows with more cells than columns, "
                        f"first row {number + 1} below the header (a decimal comma "
                        "between commas, perhaps, or a separator in a name without "
                        "quotes)"
                    )
                row += [""] * (width - len(row))
            number += 1
            if number:
                yield pick(row)
    except csv.Error as error:
        hint = (
            " (a quote that is never closed, perhaps, or text behind a closing one; a "
            "quote in a quoted cell is written twice)"
        )
        raise ValueError(
            f"path: {layout.path} is not a CSV table: {error}, in row {number + 1} "
            f"below the header{'' if NUL in str(error) else hint}"
        ) from error
    if several:
        notes.append(
            f"quoted cells hold line breaks and {layout.sep!r}, {several} of them, "
            f"first {first} below the header: if they are rows, there is a quote too "
            "many"
        )


class _Texts:
    """A column of text, piece by piece."""

    def __init__(self, layout: Layout, column: str) -> None:
        self.layout, self.column = layout, column
        self.names: dict[str, int] = {}
        self.codes: list[np.ndarray] = []
        self.changed: tuple[str, int] | None = None  # the first cell that was, its row

    def add(self, cells: pd.Series, rows: np.ndarray, mark: str | None) -> None:
        del mark
        codes, raw = pd.factorize(cells)
        names = [tidy(cell) for cell in raw]
        for code, (cell, name) in enumerate(zip(raw, names, strict=True)):
            if name and (cell == name or self.changed):
                continue
            where = int(rows[np.argmax(codes == code)])
            if not name:
                raise ValueError(_bad(self.layout, self.column, "empty", cell, where))
            self.changed = cell, where
        numbers = [self.names.setdefault(x, len(self.names)) for x in names]
        self.codes.append(np.array(numbers, np.int32)[codes])

    def notes(self) -> list[str]:
        if self.changed is None:
            return []
        cell, where = self.changed
        return [
            f"column {self.column!r}: blanks at the ends of cells were left out (and "
            f"accents composed), first of {cell!r} in row {where} below the header"
        ]

    def result(self) -> Words:
        return Words(np.concatenate(self.codes), tuple(self.names))


def _alike(column: str, words: Words) -> list[str]:
    """A note on names that may be one."""
    alike: dict[str, list[str]] = {}
    for name in words.names:
        alike.setdefault(_loosely(name), []).append(name)
    several = [names for names in alike.values() if len(names) > 1]
    if not several:
        return []
    more = f", and {len(several) - 1} more" if several[1:] else ""
    return [
        f"column {column!r}: names that differ in capitals or blanks alone are kept "
        "apart: " + ", ".join(map(repr, several[0])) + more
    ]


class _Figures:
    """A column of numbers, piece by piece."""

    def __init__(self, layout: Layout, column: str, kind: Allowed) -> None:
        self.layout, self.column, self.kind = layout, column, kind
        self.values: list[np.ndarray] = []
        self.bad: dict[int, str] = {}
        self.size = 0  # rows so far
        self.signs: dict[str, tuple[str, int]] = {}  # with a cell that has it, its row
        self.sure = False  # whether a cell shows that a point is before decimals
        self.doubtful: tuple[str, int] | None = None  # a cell that may be thousands
        self.grouped: tuple[str, int] | None = None  # one that may be a decimal comma

    def add(self, cells: pd.Series, rows: np.ndarray, mark: str | None) -> None:
        values = np.full(len(cells), np.nan)
        if mark != ",":
            values = pd.to_numeric(cells, errors="coerce").to_numpy(np.float64).copy()
            self._look_at_points(cells, rows)
        odd = np.flatnonzero(np.isnan(values))
        codes, texts = pd.factorize(cells.iloc[odd])
        parsed = [_number(text, mark) for text in texts]
        for code, result in enumerate(parsed):
            if result is not None and result[1] not in self.signs:
                where = int(rows[odd[np.argmax(codes == code)]])
                self.signs[result[1]] = texts[code], where
            if mark == "." and _DOUBTFUL.fullmatch(_digits(texts[code])):
                where = int(rows[odd[np.argmax(codes == code)]])
                self.grouped = self.grouped or (tidy(texts[code]), where)
        if len(texts):
            values[odd] = np.array([x[0] if x else np.nan for x in parsed])[codes]
        if len(odd) < len(cells) and "" not in self.signs:
            place = int(np.argmin(np.isin(np.arange(len(cells)), odd)))
            self.signs[""] = cells.iloc[place], int(rows[place])
        self._refuse_mixed()
        with np.errstate(invalid="ignore"):
            good = (values >= self.kind.lowest) & (values <= self.kind.highest)
        good &= self.kind.infinite | ~np.isinf(values)
        for place in np.flatnonzero((values != 0) & (np.abs(values) < TINY))[:1]:
            what = f"neither 0 nor of a size that float32 has (from {TINY:.2g})"
            cell, row = cells.iloc[place], int(rows[place])
            raise ValueError(_bad(self.layout, self.column, what, cell, row))
        for place in np.flatnonzero(~good):
            if not self.kind.any_text:
                raise ValueError(
                    self.refused(cells.iloc[place], int(rows[place]), mark)
                )
            self.bad[self.size + int(place)] = cells.iloc[place]
        self.size += len(cells)
        self.values.append(np.where(good, values, np.nan))

    def refused(self, cell: str, row: int, mark: str | None) -> str:
        """The words of an error about a cell."""
        words = _bad(self.layout, self.column, f"no {self.kind.words}", cell, row)
        if mark is None and _DOUBTFUL.fullmatch(_digits(cell)):
            return words + ": say what its comma means, decimal=',' or decimal='.'"
        if re.search(r"\d[.,]\d", cell):
            return words + f", where {mark or '.'!r} is before decimals (decimal=)"
        return words

    def _look_at_points(self, cells: pd.Series, rows: np.ndarray) -> None:
        if self.sure:
            return
        dotted = cells.str.contains(".", regex=False).to_numpy(bool)
        for text in cells[dotted].unique():
            if not _DOUBTFUL.fullmatch(_digits(text)):
                self.sure = True
                return
            if self.doubtful is None:
                where = int(rows[(cells == text).to_numpy().argmax()])
                self.doubtful = tidy(text), where

    def _refuse_mixed(self) -> None:
        signs = set(self.signs)
        if len(signs - {""}) > 1 or ("%" in signs and len(signs) > 1):
            several = [x for s, x in self.signs.items() if s or "%" in signs]
            (one, first), (other, second) = several[:2]
            raise ValueError(
                f"path: cells of column {self.column!r} of {self.layout.path} must be "
                f"in one unit, but are {one!r} in row {first} and {other!r} in row "
                f"{second} below the header"
            )

    def notes(self) -> list[str]:
        signs = [sign for sign in self.signs if sign]
        if signs == ["%"]:
            return [f"column {self.column!r}: per cent were read as shares"]
        return [f"column {self.column!r}: the sign {x!r} was left out" for x in signs]

    def result(self) -> np.ndarray:
        return np.concatenate(self.values)


def _bad(layout: Layout, column: str, what: str, cell: str, row: int) -> str:
    # Not the line: empty ones are no rows, and a quoted cell may have several.
    return (
        f"path: cells of column {column!r} of {layout.path} are {what}, first {cell!r} "
        f"in row {row} below the header"
    )


def _digits(cell: str) -> str:
    """What is left of a number without its unit and signs."""
    return re.sub(rf"[^\d.,{_GROUP}]", "", cell).strip()


def _loosely(name: str) -> str:
    """What is left of a name without capitals, blanks and what is not seen."""
    text = unicodedata.normalize("NFKC", name).casefold()
    return "".join(c for c in text if unicodedata.category(c)[0] not in "ZC") or text


def _number(text: str, mark: str | None) -> tuple[float, str] | None:
    """The value of a cell, and the sign of its unit; None if it is no number."""
    text = tidy(text)
    if mark is None and "," in text and _DOUBTFUL.fullmatch(_digits(text)):
        return None  # 1299 or 1.299: who knows?
    result = _BODY.fullmatch(text)
    if result is None:
        return None
    before, body, after = (part.strip() for part in result.groups())
    sign = before or after
    if (before and after) or not _is_sign(sign) or before == "%":
        return None
    decimal = mark or "."
    whole, _, rest = body.partition(decimal)
    other = "." if decimal == "," else ","
    group = (
        rf"[+-]?[1-9]\d{{0,2}}(?P<mark>[{other}{_GROUP}])\d{{3}}(?:(?P=mark)\d{{3}})*"
    )
    if not re.fullmatch(rf"{group}|[+-]?\d*|[+-]?\d+[eE][+-]?\d+", whole):
        return None
    plain = re.sub(rf"[{other}{_GROUP}]", "", whole) + "." + rest
    if "e" in whole.lower():
        plain = whole
    try:
        value = float(plain)
    except ValueError:
        return None
    return (value / 100 if sign == "%" else value), sign


def _is_sign(text: str) -> bool:
    """Whether a text can be that of a currency, or none: $, R$, EUR, kr, %."""
    if not text or text in _NAMED_SIGNS:
        return True
    if any(unicodedata.category(c) == "Sc" for c in text):
        return len(text) <= 4
    return bool(re.fullmatch("[A-Z]{3}", text)) and text not in ("NAN", "INF")


def _decimal_mark(layout: Layout, columns: Sequence[str]) -> str | None:
    """The mark that the first rows show; None if they show none, or both."""
    shown = set()
    for column in columns:
        place = layout.columns.index(column)
        for row in layout.sample:
            cell = tidy(row[place]) if len(row) > place else ""
            digits = _digits(cell)
            if not digits or _DOUBTFUL.fullmatch(digits):
                continue
            can = [mark for mark in DECIMALS if _number(cell, mark) is not None]
            if len(can) == 1:
                shown.add(can[0])
    return shown.pop() if len(shown) == 1 else None


def named_as_totals(names: Iterable[str], what: str) -> list[str]:
    """Notes on names that rows have which sum up others.

    Args:
      names: different ones.
      what: they were taken to be the name of.
    """
    return [
        f"{name!r} was taken for the name of an {what}: if its row sums up others, "
        "take it out of the file"
        for name in names
        if name.casefold().rstrip(" :.") in TOTALS
    ]
