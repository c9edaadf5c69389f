"""Reading CSV tables of data, with errors that name the path."""

import pandas as pd

from jaxbandits.checks import path as local_path


def read_csv(path, **options) -> pd.DataFrame:
    """`pandas.read_csv` of a local file, plain or compressed.

    Args:
      path: of the file, no URL.
      **options: of pandas.

    Raises:
      TypeError: if `path` is none.
      ValueError: naming `path`, if the file is empty or not a CSV table.
      OSError: naming `path`, if it cannot be read (FileNotFoundError: there is none).
    """
    path = local_path("path", path)
    try:
        return pd.read_csv(path, **options)
    except pd.errors.EmptyDataError:
        raise ValueError(f"path: {path} is empty") from None
    except FileNotFoundError:
        raise FileNotFoundError(f"path: there is no file {path}") from None
    except OSError as error:
        raise OSError(f"path: {path} cannot be read: {error}") from None
    except Exception as error:  # of the parser, the encoding, the decompression
        raise ValueError(f"path: {path} is not a CSV table: {error}") from error
