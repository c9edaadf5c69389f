"""Reading CSV tables of known data, with errors that name the path and the column.

Records of one's own, whose form is not known, are read by `reading`.
"""

import warnings
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from jaxbandits.checks import path as local_path
from jaxbandits.console.progress import doing

# What the last row of a table is called that sums up the others, in small letters.
TOTALS = {
    *("total", "totals", "grand total", "sum", "sums", "overall", "all", "subtotal"),
    *("average", "mean", "mittelwert", "durchschnitt", "moyenne", "promedio", "media"),
    *("summe", "summen", "gesamt", "gesamtsumme", "gesamtergebnis", "insgesamt"),
    *("total général", "somme", "ensemble", "totale", "somma", "suma", "total general"),
    *("totaal", "eindtotaal", "totalt", "yhteensä", "razem", "celkem", "итого", "合計"),
}


@doing("reading a table")
def read_csv(path: str | PathLike[str], **options: Any) -> pd.DataFrame:
    """`pandas.read_csv` of a local file, plain or compressed.

    Args:
      path: of the file, no URL.
      **options: of pandas.

    Raises:
      TypeError: if `path` is none.
      ValueError: naming `path`, if the file is empty or not a CSV table, has rows with
        more cells than columns, or two columns of one name.
      OSError: naming `path`, if it cannot be read (FileNotFoundError: there is none).
    """
    path = local_path("path", path)
    table = _parsed(path, **options)
    # It would name a second column "x" "x.1": only then the header is worth a look.
    if any(f"{column}.1" in table.columns for column in table.columns):
        header = _parsed(path, header=None, nrows=1, dtype=str).iloc[0].dropna()
        if twice := sorted(set(header[header.duplicated()])):
            raise ValueError(
                f"path: {path} must have one column of a name, but has two of "
                + ", ".join(twice)
            )
    return table


def _parsed(path: Path, **options: Any) -> pd.DataFrame:
    """`read_csv`, whatever pandas makes of the file."""
    try:
        with warnings.catch_warnings():
            # Cells beyond the header's: left out with a warning, or by default taken
            # for an index, which shifts all others.
            warnings.simplefilter("error", pd.errors.ParserWarning)
            return pd.read_csv(path, index_col=False, **options)
    except pd.errors.ParserWarning:
        raise ValueError(
            f"path: {path} has rows with more cells than columns"
        ) from None
    except pd.errors.EmptyDataError:
        raise ValueError(f"path: {path} is empty") from None
    except FileNotFoundError:
        raise FileNotFoundError(f"path: there is no file {path}") from None
    except OSError as error:
        raise OSError(f"path: {path} cannot be read: {error}") from None
    except Exception as error:  # of the parser, the encoding, the decompression
        raise ValueError(f"path: {path} is not a CSV table: {error}") from error


def check_columns(
    path: str | PathLike[str], table: pd.DataFrame, columns: Iterable[str]
) -> None:
    """Require columns of a table.

    Raises:
      ValueError: naming `path`, if one is missing.
    """
    missing = [c for c in columns if c not in table.columns]
    if missing:
        raise ValueError(f"path: {path} has no column {', '.join(missing)}")


def read_table(path: str | PathLike[str], columns: Iterable[str]) -> pd.DataFrame:
    """Read a CSV file of text cells that has exactly these columns, and some rows.

    Raises:
      ValueError: naming `path`, if it is empty, is no table or has other columns.
    """
    # An id may be spelled "NA"; only empty cells are missing.
    table = read_csv(path, dtype=str, keep_default_na=False)
    check_columns(path, table, columns)
    unknown = [str(c) for c in table.columns if c not in columns]
    if unknown:
        raise ValueError(f"path: {path} has an unknown column {', '.join(unknown)}")
    if table.empty:
        raise ValueError(f"path: {path} is empty: it has no row below its header")
    return table


def factorized(
    path: str | PathLike[str], ids: pd.Series
) -> tuple[np.ndarray, tuple[str, ...]]:
    """Codes i64[R] of a column of ids, and the ids in order of first appearance.

    Raises:
      ValueError: naming `path`, if an id is missing.
    """
    if (ids.isna() | (ids == "")).any():
        raise ValueError(f"path: {path} has a row without {ids.name}")
    codes, names = pd.factorize(ids)
    return codes.astype(np.int64), tuple(map(str, names))


def numbers(path: str | PathLike[str], column: pd.Series) -> np.ndarray:
    """A column as f64[R].

    Raises:
      ValueError: naming `path`, if a cell is no finite number.
    """
    values = coerced(column).to_numpy(np.float64)
    bad = ~np.isfinite(values)
    if np.any(bad):
        # A list of Python's values: NumPy's show their types.
        wrong = column.tolist()[int(np.flatnonzero(bad)[0])]
        raise ValueError(
            f"path: {path} has a {column.name} that is not a finite number: {wrong!r}"
        )
    return values


def coerced(column: pd.Series) -> pd.Series:
    """A column as f64[R], NaN where a cell is no number."""
    return pd.to_numeric(column, errors="coerce").astype(np.float64)


def binary(path: str | PathLike[str], column: pd.Series) -> np.ndarray:
    """A column of 0 and 1 as bool[R].

    Raises:
      ValueError: naming `path`, if there is anything else.
    """
    values = numbers(path, column)
    if not np.all((values == 0) | (values == 1)):
        raise ValueError(f"path: {path} has a {column.name} that is not 0 or 1")
    return values == 1


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
