"""Reading tables of logs, with errors that name the path and the column."""

import numpy as np
import pandas as pd

from jaxbandits.settings.tables import read_csv


def read_table(path, columns) -> pd.DataFrame:
    """Read a CSV file of text cells that has exactly these columns, and some rows.

    Raises:
      ValueError: naming `path`, if it is empty, is no table or has other columns.
    """
    # An id may be spelled "NA"; only empty cells are missing.
    table = read_csv(path, dtype=str, keep_default_na=False)
    missing = [c for c in columns if c not in table.columns]
    if missing:
        raise ValueError(f"path: {path} has no column {', '.join(missing)}")
    unknown = [str(c) for c in table.columns if c not in columns]
    if unknown:
        raise ValueError(f"path: {path} has an unknown column {', '.join(unknown)}")
    # Pandas takes the first cell of rows that are too long for an index.
    if not isinstance(table.index, pd.RangeIndex):
        raise ValueError(f"path: {path} has rows with more cells than columns")
    if table.empty:
        raise ValueError(f"path: {path} is empty: it has no row below its header")
    return table


def factorized(path, ids) -> tuple[np.ndarray, tuple[str, ...]]:
    """Codes i64[R] of a column of ids, and the ids in order of first appearance.

    Raises:
      ValueError: naming `path`, if an id is missing.
    """
    if (ids.isna() | (ids == "")).any():
        raise ValueError(f"path: {path} has a row without {ids.name}")
    codes, names = pd.factorize(ids)
    return codes.astype(np.int64), tuple(map(str, names))


def numbers(path, column) -> np.ndarray:
    """A column as f64[R].

    Raises:
      ValueError: naming `path`, if a cell is not a finite number.
    """
    values = pd.to_numeric(column, errors="coerce").to_numpy(np.float64)
    if not np.all(np.isfinite(values)):
        wrong = column.iloc[int(np.flatnonzero(~np.isfinite(values))[0])]
        raise ValueError(
            f"path: {path} has a {column.name} that is not a finite number: {wrong!r}"
        )
    return values


def binary(path, column) -> np.ndarray:
    """A column of 0 and 1 as bool[R].

    Raises:
      ValueError: naming `path`, if there is anything else.
    """
    values = numbers(path, column)
    if not np.all((values == 0) | (values == 1)):
        raise ValueError(f"path: {path} has a {column.name} that is not 0 or 1")
    return values == 1
